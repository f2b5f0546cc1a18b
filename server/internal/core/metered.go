package core

import (
	"context"
	"sync"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/meter"
)

// meteredBackend counts what is asked of the runner, whatever asks.
type meteredBackend struct {
	Backend
	m *meter.Counters
}

func (b meteredBackend) Submit(ctx context.Context, in admission.Input) (admission.Admitted, error) {
	a, err := b.Backend.Submit(ctx, in)
	switch {
	case err != nil:
		b.m.Inputs.WithLabelValues("unknown").Inc()
	case a.Disposition == admission.Refused:
		b.m.Refused(a.Refusal.Code)
		fallthrough
	default:
		b.m.Inputs.WithLabelValues(string(a.Disposition)).Inc()
	}
	return a, err
}

func (b meteredBackend) Cancel(ctx context.Context, key store.ThreadKey, label string, by admission.Actor) (admission.Cancelled, error) {
	c, err := b.Backend.Cancel(ctx, key, label, by)
	if err == nil && c.Stopped {
		b.m.Cancels.Inc()
	}
	return c, err
}

func (b meteredBackend) Follow(key store.ThreadKey, notify func()) Follower {
	b.m.Threads.Inc()
	return &meteredFollower{Follower: b.Backend.Follow(key, notify), m: b.m}
}

type meteredFollower struct {
	Follower
	m      *meter.Counters
	closed sync.Once
}

func (f *meteredFollower) Attach(ctx context.Context, after *store.Position) (*follow.Attached, error) {
	a, err := f.Follower.Attach(ctx, after)
	if err == nil {
		f.placed(a)
	}
	return a, err
}

func (f *meteredFollower) Next(ctx context.Context) (follow.Page, error) {
	p, err := f.Follower.Next(ctx)
	if err == nil {
		f.m.Delivered.Add(float64(len(p.Events)))
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
	f.m.Attaches.WithLabelValues(result).Inc()
	f.m.Delivered.Add(float64(len(a.Restatement)))
}

func (f *meteredFollower) Close() {
	f.closed.Do(f.m.Threads.Dec)
	f.Follower.Close()
}
