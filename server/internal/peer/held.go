package peer

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/budget"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

const (
	// builtWeight is about how many times its stored size a thread takes while a reply is
	// made of it, and keptWeight what a reply takes that is written: as much again is what
	// the collector has not come to yet.
	builtWeight = 4
	keptWeight  = 2
	// lightReply is what a client may have gathered for it without being counted.
	lightReply = 16 << 10
)

// Account opens an account of the budget for a caller.
func (s *Gate) Account(kind budget.Kind, c *Caller) *budget.Account {
	return s.Budget.Open(kind, c.User, c.Address)
}

// OverShare says in the log who is over a share, every now and then, and returns what
// such a request is told.
func (s *Gate) OverShare(c *Caller, full *budget.Full) *refusal.Refusal {
	tell := false
	s.overShares.Do(func() { tell = true }) // Under a lock, which a slow log must not hold.
	if tell {
		s.Options.Logger.Warn("the bytes held for clients have reached a bound; the log says so once a minute", "bound", full.Reason.String(), "of", full.Kind.String(),
			"namespace", c.Identity.Namespace, "user", c.Identity.User, "address", c.Address)
	}
	if full.Own() {
		return RefuseShare
	}
	return RefuseWork
}

// Holding is what one request holds.
type Holding struct {
	srv             *Gate
	Caller          *Caller
	ctx             context.Context
	Bodies, Replies *budget.Account
}

// Hold opens what a request of the caller holds. The caller of Hold calls Release.
func (s *Gate) Hold(ctx context.Context, c *Caller) *Holding {
	h := &Holding{s, c, ctx, s.Account(budget.Bodies, c), s.Account(budget.Replies, c)}
	h.Replies.Join(h.Bodies)
	return h
}

// Release gives all of it back.
func (h *Holding) Release() {
	h.Bodies.Close()
	h.Replies.Close()
}

// Body makes room for so many bytes more of a body.
func (h *Holding) Body(bytes int64) error { return h.Take(h.Bodies, keptWeight*bytes) }

// Build makes room for a reply that is made of so many stored bytes.
func (h *Holding) Build(bytes int64) error { return h.Take(h.Replies, builtWeight*bytes) }

// Keep makes room for a reply of so many bytes, instead of all for what it was made of.
func (h *Holding) Keep(bytes int64) error {
	if more := keptWeight*bytes - h.Replies.Held(); more > 0 {
		return h.Take(h.Replies, more)
	} else {
		h.Replies.Give(-more)
	}
	return nil
}

// Take's error is a *refusal.Error, or the context's.
func (h *Holding) Take(a *budget.Account, bytes int64) error {
	err := a.Take(h.ctx, bytes)
	if full, ok := errors.AsType[*budget.Full](err); ok {
		return &refusal.Error{Refusal: h.srv.OverShare(h.Caller, full)}
	}
	return err
}

// outgoing counts what was gathered for a client and not flushed yet, and what was read
// to be gathered.
type outgoing struct {
	Account  *budget.Account
	gathered int64
	held     int64 // of the account
	read     int64 // of that, for what was read and is not gathered yet, as far as is known
	partly   bool  // what is flushed is not all of it
}

// Flusher writes what was gathered.
type Flusher interface{ Flush() error }

// Gather makes room for so many bytes more. Before it waits, what was gathered is
// flushed.
func (p *Peer) Gather(n int, to Flusher) error {
	o, bytes := &p.Out, int64(n)
	if o.gathered > 0 && o.gathered+bytes > budget.FlushAt {
		if err := o.Between(to); err != nil {
			return err
		}
	}
	o.gathered += bytes
	need := keptWeight*o.gathered - o.held
	if o.gathered <= lightReply || need <= 0 {
		return nil
	}
	if need = max(need, budget.Small/2); o.Account.Try(need) {
		o.held += need
		return nil
	}
	if o.gathered > bytes {
		if err := o.Between(to); err != nil {
			return err
		}
		o.gathered = bytes
	}
	if o.gathered <= lightReply {
		return nil
	}
	return p.reserveReply(keptWeight*o.gathered - o.held)
}

// Between flushes while there is more to be gathered of what was read.
func (o *outgoing) Between(to Flusher) error {
	o.partly = true
	defer func() { o.partly = false }()
	return to.Flush()
}

func (p *Peer) reserveReply(bytes int64) error {
	err := p.Out.Account.Take(p.Ctx, bytes)
	if err == nil {
		p.Out.held = p.Out.Account.Held() // less than was asked for, of more than there is
		return nil
	}
	if full, ok := errors.AsType[*budget.Full](err); ok {
		p.gate.OverShare(p.Caller, full)
		return CloseOverload
	}
	return err
}

// Flushed gives back what was held for what is written now.
func (o *outgoing) Flushed() {
	o.gathered = 0
	if !o.partly {
		o.read = 0
	}
	if less := o.held - o.read; less > 0 {
		o.Account.Give(less)
		o.held -= less
	}
}

// Reading is a context for reading threads: what is read of them is held until all was
// flushed, or keep says that it is less.
func (p *Peer) Reading(ctx context.Context) context.Context {
	if ctx == p.Ctx && p.pages != nil {
		return p.pages
	}
	return store.WithRoom(ctx, func(bytes int64) error {
		before := p.Out.held
		err := p.reserveReply(builtWeight * bytes)
		p.Out.read += p.Out.held - before
		return err
	})
}

// Keep gives back what was held for making these of what was read.
func (o *outgoing) Keep(events [][]byte) {
	bytes := int64(0)
	for _, e := range events {
		bytes += int64(len(e))
	}
	if less := o.read - keptWeight*bytes; less > 0 {
		o.Account.Give(less)
		o.held -= less
		o.read -= less
	}
}
