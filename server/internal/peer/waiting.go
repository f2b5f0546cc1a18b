package peer

import (
	"context"
	"time"

	"github.com/aguiws/aguiws/server/internal/refusal"
)

// Await counts a request that waits as one of the connections that stay open.
func (s *Gate) Await(ctx context.Context, c *Caller) (context.Context, func(), *refusal.Refusal) {
	if refused := s.Reserve(c.User, c.Address); refused != nil {
		return nil, nil, refused
	}
	ctx, end := context.WithCancelCause(ctx)
	expired := &refusal.Error{Refusal: RefuseCredential}
	w := &waiting{gate: s, end: end, revoked: c.Identity.Revoked}
	s.Track(w)
	unwatch := s.Revocations.Watch(c.Identity.Revoked, w)
	var expiry *time.Timer
	if !c.Identity.Expires.IsZero() {
		expiry = time.AfterFunc(time.Until(c.Identity.Expires), func() { end(expired) })
	}
	w.Poke()
	return ctx, func() {
		if expiry != nil {
			expiry.Stop()
		}
		unwatch()
		s.Untrack(w)
		end(nil)
		s.Unreserve(c.User, c.Address)
	}, nil
}

// waiting is a request that waits for something to answer.
type waiting struct {
	gate    *Gate
	end     context.CancelCauseFunc
	revoked <-chan struct{}
}

func (w *waiting) Cut(why *Closing) { w.end(why) }

func (w *waiting) Poke() {
	select {
	case <-w.revoked:
		w.end(&refusal.Error{Refusal: RefuseCredential})
	case <-w.gate.Drain:
		w.end(&refusal.Error{Refusal: RefuseDraining})
	default:
	}
}
