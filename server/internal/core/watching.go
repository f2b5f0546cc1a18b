package core

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/notices"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

var refuseCursor = refusal.New(http.StatusBadRequest, refusal.CodeInvalidInput, "after, or Last-Event-ID, is no cursor of this store: begin without one, and look at what is")

// newNotices reads notices for all who watch them.
func (s *Core) newNotices(source notices.Source) *notices.Feed {
	return notices.New(source, notices.Options{
		Timeout: s.Options.CallTimeout,
		Failed:  func(err error) { s.Options.Logger.Warn("reading notices failed", "error", err) },
		Read: func(forAll bool) {
			of := "watcher"
			if forAll {
				of = "all"
			}
			s.Metrics.NoticeReads.WithLabelValues(of).Inc()
		},
	})
}

// WatchRules are how requests to watch notices are read and refused.
type WatchRules struct {
	Query  func(r *http.Request, c *peer.Caller) (notices.Query, *refusal.Refusal)
	Refuse func(w http.ResponseWriter, refused *refusal.Refusal)
}

// Admit reads what a request to watch asks for. The caller calls Unreserve.
func (s *Core) Admit(r *http.Request, c *peer.Caller, rules WatchRules) (notices.Query, *refusal.Refusal) {
	q, refused := rules.Query(r, c)
	if refused == nil && s.Memory.Short(peer.ShedSockets) {
		refused = peer.RefuseMemory
	}
	if refused == nil {
		refused = s.Reserve(c.User, c.Address)
	}
	return q, refused
}

// Watching is a peer that watches notices. It belongs to the goroutine that serves the
// peer.
type Watching struct {
	*peer.Peer
	srv      *Core
	watcher  *notices.Watcher
	first    *notices.Page // what was found before the answer began
	told     string        // the cursor that the client has last been told
	failures int
}

// pageWriter takes what a watching peer is told.
type pageWriter interface {
	peer.Flusher
	// Page gathers a page, which may have nothing but a cursor.
	Page(p *notices.Page) error
}

// Watch begins to watch. It refuses a cursor that is none. The caller calls Unwatch.
func (s *Core) Watch(p *peer.Peer, q notices.Query) (*Watching, *refusal.Refusal) {
	n := &Watching{Peer: p, srv: s}
	n.watcher = s.Notices.Watch(q, p.Poke)
	s.Metrics.Watchers.Inc()
	if q.After == "" {
		return n, nil
	}
	first, err := n.next(p.Ctx)
	if err == nil || first.Next != "" {
		n.first = &first
		return n, nil
	}
	n.Unwatch()
	switch {
	case errors.Is(err, store.ErrBadCursor):
		return nil, refuseCursor
	case errors.Is(err, store.ErrNoRoom):
		return nil, peer.RefuseShare
	}
	p.LogFailure("reading notices", "", err)
	return nil, peer.RefuseStore
}

// Unwatch ends what Watch began.
func (n *Watching) Unwatch() {
	n.watcher.Close()
	n.srv.Metrics.Watchers.Dec()
}

func (n *Watching) next(ctx context.Context) (notices.Page, error) {
	within, cancel := context.WithTimeout(n.Reading(ctx), n.srv.Options.CallTimeout)
	defer cancel()
	return n.watcher.Next(within)
}

// Advance writes one page, if there is one, and reports whether there may be more at once.
// wait is how long to wait before the next attempt, after the store has failed; 0: it has
// not. An error ends the connection.
func (n *Watching) Advance(to pageWriter) (more bool, wait time.Duration, err error) {
	var p notices.Page
	if n.first != nil {
		p, n.first = *n.first, nil
		p.More = true
	} else if p, err = n.next(n.Ctx); n.Ctx.Err() != nil {
		return false, 0, context.Cause(n.Ctx)
	} else if errors.Is(err, store.ErrBadCursor) || errors.Is(err, store.ErrNoRoom) {
		return false, 0, peer.CloseOverload // the client comes back, and is told
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
	n.LogFailure("reading notices", "", err)
	return false, min(backoffFirst<<min(n.failures-1, 10), backoffMost), nil
}

func (n *Watching) tell(p *notices.Page, to pageWriter) error {
	n.told = p.Next
	n.srv.Metrics.NoticesTold.Add(float64(len(p.Items)))
	return to.Page(p)
}

// Stand tells a client that is told nothing for long where it is, if that has changed.
func (n *Watching) Stand(to pageWriter) (told bool, err error) {
	at := n.watcher.Cursor()
	if at == "" || at == n.told {
		return false, nil
	}
	return true, n.tell(&notices.Page{Next: at}, to)
}

// Breathe is a sign of life, and says where the client is.
func (n *Watching) Breathe(to pageWriter) error {
	return n.tell(&notices.Page{Next: n.watcher.Cursor()}, to)
}

// AppendPage appends a page as a client reads it. next: with its cursor.
func AppendPage(b []byte, p *notices.Page, next bool) []byte {
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

// PageSize is about how many bytes AppendPage appends.
func PageSize(p *notices.Page) int {
	n := len(p.Next) + 64
	for _, item := range p.Items {
		n += len(item.Text) + 1
	}
	return n
}
