package sse

import (
	"context"
	"net/http"
	"time"

	"github.com/aguiws/aguiws/server/internal/core"
	"github.com/aguiws/aguiws/server/internal/notices"
)

// ServeNotices tells notices by Server-Sent Events: an event is a page, and its id
// the cursor behind it.
func (s *Streams) ServeNotices(w http.ResponseWriter, r *http.Request, rules core.WatchRules) {
	c, refused := s.Enter(r)
	var q notices.Query
	if refused == nil {
		q, refused = s.Admit(r, c, rules)
	}
	if refused != nil {
		rules.Refuse(w, refused)
		return
	}
	defer s.Unreserve(c.User, c.Address)
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Type", "text/event-stream")
		return
	}
	s.stream(w, r, c, "", func(out *Stream) {
		n, refused := s.Watch(out.Peer, q)
		if refused != nil {
			rules.Refuse(w, refused)
			return
		}
		defer n.Unwatch()
		(&noticeStream{n, out}).serve()
	})
}

// noticeStream is notices over Server-Sent Events.
type noticeStream struct {
	*core.Watching
	out *Stream
}

func (n *noticeStream) Flush() error { return n.out.Flush() }

// Page gathers an event. One without notices is none: it says where the client is.
func (n *noticeStream) Page(p *notices.Page) error {
	if err := n.Gather(core.PageSize(p), n); err != nil {
		return err
	}
	b := n.out.buffer()
	*b = append(append(append(*b, "id: "...), p.Next...), '\n')
	if len(p.Items) > 0 || p.Missed {
		*b = append(core.AppendPage(append(*b, "data: "...), p, false), '\n')
	}
	*b = append(*b, '\n')
	return nil
}

// serve tells what comes until the client goes, its credential ends or the server closes.
// A client that comes back is told what it has missed.
func (n *noticeStream) serve() {
	if n.out.begin() != nil {
		return
	}
	retry := time.NewTimer(0)
	defer retry.Stop()
	for {
		more, wait, err := n.Advance(n)
		if err == nil && n.out.quiet.Load() {
			_, err = n.Stand(n)
		}
		if err == nil {
			err = n.Flush()
		}
		if err != nil {
			n.Log.Debug("notices end", "why", err)
			return
		}
		if wait > 0 {
			retry.Reset(wait)
		}
		if more {
			n.Poke()
		}
		select {
		case <-n.Ctx.Done():
			n.Log.Debug("notices end", "why", context.Cause(n.Ctx))
			return
		case <-n.Identity.Revoked:
			return
		case <-n.out.srv.Leave:
			return
		case <-retry.C:
		case <-n.Wake:
		}
	}
}
