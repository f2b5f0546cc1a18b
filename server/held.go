package server

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/budget"
	"github.com/aguiws/aguiws/server/internal/conn"
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

// account opens an account of the budget for a caller.
func (s *core) account(kind budget.Kind, c *caller) *budget.Account {
	return s.budget.Open(kind, c.user, c.address)
}

// overShares is what the log was told of users who hold too much.
type overShares struct {
	mu   sync.Mutex
	told time.Time
}

// overShare says in the log who is over a share, every now and then, and returns what
// such a request is told.
func (s *core) overShare(c *caller, full *budget.Full) *refusal.Refusal {
	s.overShares.mu.Lock()
	tell := time.Since(s.overShares.told) >= time.Minute
	if tell {
		s.overShares.told = time.Now()
	}
	s.overShares.mu.Unlock()
	if tell {
		s.opts.Logger.Warn("the bytes held for clients have reached a bound; the log says so once a minute", "bound", full.Reason.String(), "of", full.Kind.String(),
			"namespace", c.identity.Namespace, "user", c.identity.User, "address", c.address)
	}
	if full.Own() {
		return refuseShare
	}
	return refuseWork
}

// holding is what one request holds.
type holding struct {
	srv             *core
	c               *caller
	ctx             context.Context
	bodies, replies *budget.Account
}

func (s *core) hold(ctx context.Context, c *caller) *holding {
	h := &holding{s, c, ctx, s.account(budget.Bodies, c), s.account(budget.Replies, c)}
	h.replies.Join(h.bodies)
	return h
}

// Release gives all of it back.
func (h *holding) Release() {
	h.bodies.Close()
	h.replies.Close()
}

// Body makes room for so many bytes more of a body.
func (h *holding) Body(bytes int64) error { return h.take(h.bodies, keptWeight*bytes) }

// Build makes room for a reply that is made of so many stored bytes.
func (h *holding) Build(bytes int64) error { return h.take(h.replies, builtWeight*bytes) }

// Keep makes room for a reply of so many bytes, instead of all for what it was made of.
func (h *holding) Keep(bytes int64) error {
	if more := keptWeight*bytes - h.replies.Held(); more > 0 {
		return h.take(h.replies, more)
	} else {
		h.replies.Give(-more)
	}
	return nil
}

// take's error is a *refusal.Error, or the context's.
func (h *holding) take(a *budget.Account, bytes int64) error {
	err := a.Take(h.ctx, bytes)
	if full, ok := errors.AsType[*budget.Full](err); ok {
		return &refusal.Error{Refusal: h.srv.overShare(h.c, full)}
	}
	return err
}

// outgoing counts what was gathered for a client and not flushed yet, and what was read
// to be gathered.
type outgoing struct {
	account  *budget.Account
	gathered int64
	held     int64 // of the account
	read     int64 // of that, for what was read and is not gathered yet, as far as is known
	partly   bool  // what is flushed is not all of it
}

// flusher writes what was gathered.
type flusher interface{ flush() error }

// gather makes room for so many bytes more. Before it waits, what was gathered is
// flushed.
func (p *peer) gather(n int, to flusher) error {
	o, bytes := &p.out, int64(n)
	if o.gathered > 0 && o.gathered+bytes > conn.FlushAt {
		if err := o.between(to); err != nil {
			return err
		}
	}
	o.gathered += bytes
	need := keptWeight*o.gathered - o.held
	if o.gathered <= lightReply || need <= 0 {
		return nil
	}
	if need = max(need, budget.Small/2); o.account.Try(need) {
		o.held += need
		return nil
	}
	if o.gathered > bytes {
		if err := o.between(to); err != nil {
			return err
		}
		o.gathered = bytes
	}
	if o.gathered <= lightReply {
		return nil
	}
	return p.reserveReply(keptWeight*o.gathered - o.held)
}

// between flushes while there is more to be gathered of what was read.
func (o *outgoing) between(to flusher) error {
	o.partly = true
	defer func() { o.partly = false }()
	return to.flush()
}

func (p *peer) reserveReply(bytes int64) error {
	err := p.out.account.Take(p.ctx, bytes)
	if err == nil {
		p.out.held = p.out.account.Held() // less than was asked for, of more than there is
		return nil
	}
	if full, ok := errors.AsType[*budget.Full](err); ok {
		p.srv.overShare(p.caller, full)
		return closeOverload
	}
	return err
}

// flushed gives back what was held for what is written now.
func (o *outgoing) flushed() {
	o.gathered = 0
	if !o.partly {
		o.read = 0
	}
	if less := o.held - o.read; less > 0 {
		o.account.Give(less)
		o.held -= less
	}
}

// reading is a context for reading threads: what is read of them is held until all was
// flushed, or keep says that it is less.
func (p *peer) reading(ctx context.Context) context.Context {
	if ctx == p.ctx && p.pages != nil {
		return p.pages
	}
	return store.WithRoom(ctx, func(bytes int64) error {
		before := p.out.held
		err := p.reserveReply(builtWeight * bytes)
		p.out.read += p.out.held - before
		return err
	})
}

// keep gives back what was held for making these of what was read.
func (o *outgoing) keep(events [][]byte) {
	bytes := int64(0)
	for _, e := range events {
		bytes += int64(len(e))
	}
	if less := o.read - keptWeight*bytes; less > 0 {
		o.account.Give(less)
		o.held -= less
		o.read -= less
	}
}

// held tells a budget's usage when it is asked itself.
type held struct {
	usage                   func() budget.Usage
	bytes, waiting, refused *prometheus.Desc
}

func newHeld(usage func() budget.Usage) held {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("aguiws_"+name, help, labels, nil)
	}
	return held{usage, desc("held_bytes", "Bytes that are held for clients, as they are counted.", "kind"),
		desc("held_waiting", "Frames, bodies and replies that wait for room."),
		desc("held_refused_total", "Frames, bodies and replies that found no room, by the bound that was met.", "bound")}
}

func (h held) Describe(ch chan<- *prometheus.Desc) {
	ch <- h.bytes
	ch <- h.waiting
	ch <- h.refused
}

func (h held) Collect(ch chan<- prometheus.Metric) {
	now := h.usage()
	for kind, bytes := range now.Held {
		ch <- prometheus.MustNewConstMetric(h.bytes, prometheus.GaugeValue, float64(bytes), kind)
	}
	ch <- prometheus.MustNewConstMetric(h.waiting, prometheus.GaugeValue, float64(now.Waiting))
	for bound, n := range now.Refused {
		ch <- prometheus.MustNewConstMetric(h.refused, prometheus.CounterValue, float64(n), bound)
	}
}
