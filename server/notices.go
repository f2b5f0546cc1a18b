package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/controlapi"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/notices"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// NoticesSubprotocol is the name of notices over a WebSocket, version 1.
const NoticesSubprotocol = "aguiws.notices.v1.json"

var refuseCursor = refusal.New(http.StatusBadRequest, refusal.CodeInvalidInput, "after, or Last-Event-ID, is no cursor of this store: begin without one, and look at what is")

// newNotices reads notices for all who watch them.
func (s *core) newNotices(source notices.Source) *notices.Feed {
	return notices.New(source, notices.Options{
		Timeout: s.opts.CallTimeout,
		Failed:  func(err error) { s.opts.Logger.Warn("reading notices failed", "error", err) },
		Read: func(forAll bool) {
			of := "watcher"
			if forAll {
				of = "all"
			}
			s.metrics.NoticeReads.WithLabelValues(of).Inc()
		},
	})
}

// noticesOver answers requests for notices: by a socket or a stream if that is asked for,
// else by page.
func (s *core) noticesOver(page http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case isUpgrade(r):
			s.serveNoticesSocket(w, r)
		case slices.ContainsFunc(tokens(r.Header, "Accept"), isEventStream):
			s.serveNoticesStream(w, r)
		default:
			page(w, r)
		}
	}
}

func isEventStream(accepted string) bool {
	kind, _, _ := strings.Cut(accepted, ";")
	return strings.EqualFold(strings.TrimSpace(kind), "text/event-stream")
}

// noticeQuery reads what a request to watch asks for.
func (s *core) noticeQuery(r *http.Request, c *caller) (notices.Query, *refusal.Refusal) {
	q, refused := controlapi.NoticeQuery(controlCaller{s, c}, r.URL.Query(), s.agentNamed)
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		q.After = id
	}
	if refused == nil && s.memory.short(shedSockets) {
		refused = refuseMemory
	}
	if refused == nil {
		refused = s.reserve(c.user, c.address, &s.opts)
	}
	return q, refused
}

// watching is a peer that watches notices. It belongs to the goroutine that serves the
// peer.
type watching struct {
	*peer
	watcher  *notices.Watcher
	first    *notices.Page // what was found before the answer began
	told     string        // the cursor that the client has last been told
	failures int
}

// pageWriter takes what a watching peer is told.
type pageWriter interface {
	flusher
	// page gathers a page, which may have nothing but a cursor.
	page(p *notices.Page) error
}

// watch begins to watch. It refuses a cursor that is none. The caller calls unwatch.
func (s *core) watch(p *peer, q notices.Query) (*watching, *refusal.Refusal) {
	n := &watching{peer: p}
	n.watcher = s.notices.Watch(q, p.poke)
	s.metrics.Watchers.Inc()
	if q.After == "" {
		return n, nil
	}
	first, err := n.next(p.ctx)
	if err == nil || first.Next != "" {
		n.first = &first
		return n, nil
	}
	n.unwatch()
	switch {
	case errors.Is(err, store.ErrBadCursor):
		return nil, refuseCursor
	case errors.Is(err, store.ErrNoRoom):
		return nil, refuseShare
	}
	p.logFailure("reading notices", "", err)
	return nil, refuseStore
}

func (n *watching) unwatch() {
	n.watcher.Close()
	n.srv.metrics.Watchers.Dec()
}

func (n *watching) next(ctx context.Context) (notices.Page, error) {
	within, cancel := context.WithTimeout(n.reading(ctx), n.srv.opts.CallTimeout)
	defer cancel()
	return n.watcher.Next(within)
}

// advance writes one page, if there is one, and reports whether there may be more at once.
// wait is how long to wait before the next attempt, after the store has failed; 0: it has
// not. An error ends the connection.
func (n *watching) advance(to pageWriter) (more bool, wait time.Duration, err error) {
	var p notices.Page
	if n.first != nil {
		p, n.first = *n.first, nil
		p.More = true
	} else if p, err = n.next(n.ctx); n.ctx.Err() != nil {
		return false, 0, context.Cause(n.ctx)
	} else if errors.Is(err, store.ErrBadCursor) || errors.Is(err, store.ErrNoRoom) {
		return false, 0, closeOverload // the client comes back, and is told
	}
	if len(p.Items) > 0 || p.Missed || p.Next != "" && n.told == "" {
		if failed := n.tell(&p, to); failed != nil {
			return false, 0, failed
		}
	}
	if err == nil {
		n.failures = 0
		return p.More, 0, nil
	}
	n.failures++
	n.logFailure("reading notices", "", err)
	return false, min(backoffFirst<<min(n.failures-1, 10), backoffMost), nil
}

func (n *watching) tell(p *notices.Page, to pageWriter) error {
	n.told = p.Next
	n.srv.metrics.NoticesTold.Add(float64(len(p.Items)))
	return to.page(p)
}

// stand tells a client that is told nothing for long where it is, if that has changed.
func (n *watching) stand(to pageWriter) (told bool, err error) {
	at := n.watcher.Cursor()
	if at == "" || at == n.told {
		return false, nil
	}
	return true, n.tell(&notices.Page{Next: at}, to)
}

// appendPage appends a page as a client reads it. next: with its cursor.
func appendPage(b []byte, p *notices.Page, next bool) []byte {
	b = append(b, `{"items":[`...)
	for i, item := range p.Items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, item.Text...)
	}
	b = append(b, ']')
	if next {
		cursor, _ := frames.Encode(p.Next) // a text
		b = append(append(b, `,"next":`...), cursor...)
	}
	if p.Missed {
		b = append(b, `,"missed":true`...)
	}
	return append(b, '}')
}

// pageSize is about how many bytes appendPage appends.
func pageSize(p *notices.Page) int {
	n := len(p.Next) + 64
	for _, item := range p.Items {
		n += len(item.Text) + 1
	}
	return n
}
