package server

import (
	"context"
	"sync"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// meteredBackend counts what is asked of the runner, whatever asks.
type meteredBackend struct {
	backend
	m *Metrics
}

func (b meteredBackend) Submit(ctx context.Context, in admission.Input) (admission.Admitted, error) {
	a, err := b.backend.Submit(ctx, in)
	switch {
	case err != nil:
		b.m.inputs.WithLabelValues("unknown").Inc()
	case a.Disposition == admission.Refused:
		b.m.refused(a.Refusal.Code)
		fallthrough
	default:
		b.m.inputs.WithLabelValues(string(a.Disposition)).Inc()
	}
	return a, err
}

func (b meteredBackend) Cancel(ctx context.Context, key store.ThreadKey, label string, by admission.Actor) (admission.Cancelled, error) {
	c, err := b.backend.Cancel(ctx, key, label, by)
	if err == nil && c.Stopped {
		b.m.cancels.Inc()
	}
	return c, err
}

func (b meteredBackend) Follow(key store.ThreadKey, notify func()) follower {
	b.m.threads.Inc()
	return &meteredFollower{follower: b.backend.Follow(key, notify), m: b.m}
}

type meteredFollower struct {
	follower
	m      *Metrics
	closed sync.Once
}

func (f *meteredFollower) Attach(ctx context.Context, after *store.Position) (*follow.Attached, error) {
	a, err := f.follower.Attach(ctx, after)
	if err == nil {
		f.placed(a)
	}
	return a, err
}

func (f *meteredFollower) Next(ctx context.Context) (follow.Page, error) {
	p, err := f.follower.Next(ctx)
	if err == nil {
		f.m.delivered.Add(float64(len(p.Events)))
	}
	if err == nil && p.Restated != nil {
		f.placed(p.Restated)
	}
	return p, err
}

func (f *meteredFollower) placed(a *follow.Attached) {
	result := a.Reason
	if a.Recovered {
		result = "recovered"
	}
	f.m.attaches.WithLabelValues(result).Inc()
	f.m.delivered.Add(float64(len(a.Restatement)))
}

func (f *meteredFollower) Close() {
	f.closed.Do(f.m.threads.Dec)
	f.follower.Close()
}

// refused counts a refusal by its code.
func (m *Metrics) refused(code string) { m.refusals.WithLabelValues(code).Inc() }

// noted counts a refusal and returns it; nil is none.
func (m *Metrics) noted(why *protocol.RunError) *protocol.RunError {
	if why != nil {
		m.refused(why.Code)
	}
	return why
}

// frame counts what a client sent. The name of a frame that does not exist becomes no
// label.
func (m *Metrics) frame(f *frame) {
	kind := f.kind
	switch {
	case f.fault != nil:
		kind = "invalid"
	case f.input != nil:
		kind = "input"
	}
	m.frames.WithLabelValues(kind).Inc()
}
