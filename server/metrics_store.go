package server

import (
	"context"
	"time"

	"github.com/aguiws/aguiws/adapter"
)

// Store returns the store with its calls counted and timed. Give it to
// adapter.NewRunner in place of the store itself, once.
func (m *Metrics) Store(store adapter.Store) adapter.Store {
	m.registry.MustRegister(newDispatches(store))
	return &meteredStore{store, m}
}

type meteredStore struct {
	adapter.Store
	m *Metrics
}

// timed measures one call.
func timed[T any](m *Metrics, call string, f func() (T, error)) (T, error) {
	began := time.Now()
	v, err := f()
	m.storeTime.WithLabelValues(call).Observe(time.Since(began).Seconds())
	if err != nil {
		m.storeErrors.WithLabelValues(call).Inc()
	}
	return v, err
}

func (s *meteredStore) Read(ctx context.Context, key adapter.ThreadKey, q adapter.ReadQuery) (*adapter.ThreadView, error) {
	return timed(s.m, "read", func() (*adapter.ThreadView, error) { return s.Store.Read(ctx, key, q) })
}

func (s *meteredStore) Begin(ctx context.Context, b adapter.Begin) (adapter.BeginResult, error) {
	r, err := timed(s.m, "begin", func() (adapter.BeginResult, error) { return s.Store.Begin(ctx, b) })
	if err != nil || r.Status != adapter.BeginAccepted {
		return r, err
	}
	s.m.answered.Add(float64(len(b.Answers)))
	if !b.Queue {
		s.m.started.Inc()
		s.m.logged.Add(float64(len(b.Events)))
	}
	return r, err
}

func (s *meteredStore) Stop(ctx context.Context, stop adapter.Stop) (adapter.StopResult, error) {
	r, err := timed(s.m, "stop", func() (adapter.StopResult, error) { return s.Store.Stop(ctx, stop) })
	if err == nil && r.Stopped {
		s.m.ended.WithLabelValues(outcomes[adapter.EndCancel]).Inc()
	}
	return r, err
}

func (s *meteredStore) Claim(ctx context.Context, c adapter.ClaimRequest) (adapter.ClaimResult, error) {
	r, err := timed(s.m, "claim", func() (adapter.ClaimResult, error) { return s.Store.Claim(ctx, c) })
	if err == nil && r.Kind == adapter.ClaimTakeover {
		s.m.takeovers.Inc()
	}
	return r, err
}

func (s *meteredStore) Activate(ctx context.Context, a adapter.Activation) (adapter.CommitResult, error) {
	r, err := timed(s.m, "activate", func() (adapter.CommitResult, error) { return s.Store.Activate(ctx, a) })
	if err == nil && r.Status == adapter.CommitOK {
		s.m.started.Inc()
		s.m.logged.Add(float64(len(a.Events)))
	}
	return r, err
}

// outcomes is how METRICS.md calls the ends of runs.
var outcomes = map[adapter.EndKind]string{
	adapter.EndFinish: "success", adapter.EndSuspend: "interrupt", adapter.EndCancel: "cancelled", adapter.EndFail: "error",
}

func (s *meteredStore) Commit(ctx context.Context, b adapter.Batch) (adapter.CommitResult, error) {
	r, err := timed(s.m, "commit", func() (adapter.CommitResult, error) { return s.Store.Commit(ctx, b) })
	switch {
	case err != nil:
	case r.Status == adapter.CommitFenced:
		s.m.fenced.Inc()
	case r.Status == adapter.CommitOK:
		s.m.logged.Add(float64(len(b.Events)))
		if b.End != nil {
			s.m.ended.WithLabelValues(outcomes[b.End.Kind]).Inc()
			s.m.raised.Add(float64(len(b.End.Interrupts)))
		}
	}
	return r, err
}

func (s *meteredStore) Nack(ctx context.Context, n adapter.Nack) (adapter.NackResult, error) {
	r, err := timed(s.m, "nack", func() (adapter.NackResult, error) { return s.Store.Nack(ctx, n) })
	s.buried(r, err)
	return r, err
}

func (s *meteredStore) Bury(ctx context.Context, n adapter.Nack) (adapter.NackResult, error) {
	r, err := timed(s.m, "bury", func() (adapter.NackResult, error) { return s.Store.Bury(ctx, n) })
	s.buried(r, err)
	return r, err
}

func (s *meteredStore) buried(r adapter.NackResult, err error) {
	if err == nil && r.State == adapter.DispatchDeadLetter {
		s.m.ended.WithLabelValues(outcomes[adapter.EndFail]).Inc()
	}
}

func (s *meteredStore) Interrupt(ctx context.Context, i adapter.Interruption) (adapter.InterruptResult, error) {
	r, err := timed(s.m, "interrupt", func() (adapter.InterruptResult, error) { return s.Store.Interrupt(ctx, i) })
	if err == nil && !r.Stale {
		n := len(r.Superseded)
		if r.Active != "" {
			n++
		}
		s.m.ended.WithLabelValues(outcomes[adapter.EndCancel]).Add(float64(n))
	}
	return r, err
}

func (s *meteredStore) Range(ctx context.Context, key adapter.ThreadKey, epoch string, first int64, limit int) (adapter.RangeResult, error) {
	return timed(s.m, "range", func() (adapter.RangeResult, error) { return s.Store.Range(ctx, key, epoch, first, limit) })
}

func (s *meteredStore) Due(ctx context.Context, limit int) ([]adapter.ThreadKey, error) {
	return timed(s.m, "due", func() ([]adapter.ThreadKey, error) { return s.Store.Due(ctx, limit) })
}

func (s *meteredStore) Renew(ctx context.Context, c adapter.Claim) (bool, error) {
	return timed(s.m, "renew", func() (bool, error) { return s.Store.Renew(ctx, c) })
}

func (s *meteredStore) Journal(ctx context.Context, c adapter.Claim) (*adapter.ExecutionView, error) {
	return timed(s.m, "journal", func() (*adapter.ExecutionView, error) { return s.Store.Journal(ctx, c) })
}
