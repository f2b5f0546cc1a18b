package metrics

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/meter"
)

// Store returns the store with its calls counted and timed. Give it to
// runner.New in place of the store itself, once.
func (m *Metrics) Store(store store.Store) store.Store {
	m.registry.MustRegister(newDispatches(store), newQuestions(store))
	return &meteredStore{store, m}
}

// newDispatches collects what is in the store's queues, if it answers in time.
func newDispatches(st store.Store) prometheus.Collector {
	return meter.OnScrape(func(tell func(string, float64, ...string)) {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		counts, err := st.CountDispatches(ctx)
		if err != nil {
			return
		}
		for _, state := range []store.DispatchState{store.DispatchQueued, store.DispatchClaimed, store.DispatchAcked, store.DispatchCancelled, store.DispatchSuperseded, store.DispatchDeadLetter} {
			tell("dispatches", float64(counts[state]), string(state))
		}
	}, meter.Figure{Name: "dispatches", Help: "Dispatches in the store, of all processes, by state.", Labels: []string{"state"}, Type: prometheus.GaugeValue})
}

// newQuestions collects what waits for people, if the store answers in time.
func newQuestions(inbox store.Inbox) prometheus.Collector {
	return meter.OnScrape(func(tell func(string, float64, ...string)) {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		open, err := store.OpenQuestions(ctx, inbox)
		if err != nil {
			return
		}
		var age time.Duration
		if open.Threads > 0 {
			age = max(time.Since(open.Since), 0)
		}
		tell("open_questions", float64(open.Threads))
		tell("open_questions_oldest_seconds", age.Seconds())
	},
		meter.Figure{Name: "open_questions", Help: "Threads with open questions in the store.", Type: prometheus.GaugeValue},
		meter.Figure{Name: "open_questions_oldest_seconds", Help: "How long the oldest of them has been open.", Type: prometheus.GaugeValue})
}

type meteredStore struct {
	store.Store
	m *Metrics
}

// timed measures one call.
func timed[T any](m *Metrics, call string, f func() (T, error)) (T, error) {
	began := time.Now()
	v, err := f()
	m.called(call, began, err)
	return v, err
}

func (m *Metrics) called(call string, began time.Time, err error) {
	m.counts.StoreTime.WithLabelValues(call).Observe(time.Since(began).Seconds())
	if err != nil && !errors.Is(err, store.ErrNoRoom) {
		m.counts.StoreErrors.WithLabelValues(call).Inc()
	}
}

func (s *meteredStore) Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	return timed(s.m, "read", func() (*store.ThreadView, error) { return s.Store.Read(ctx, key, q) })
}

func (s *meteredStore) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	r, err := timed(s.m, "begin", func() (store.BeginResult, error) { return s.Store.Begin(ctx, b) })
	if err != nil || r.Status != store.BeginAccepted {
		return r, err
	}
	s.m.counts.Answered.Add(float64(len(b.Answers())))
	if claimed := b.Claimed(); claimed != nil {
		s.m.counts.Started.Inc()
		s.m.counts.Logged.Add(float64(len(claimed.Events)))
	}
	return r, err
}

func (s *meteredStore) Take(ctx context.Context, t store.Take) (store.Taken, error) {
	return timed(s.m, "take", func() (store.Taken, error) { return s.Store.Take(ctx, t) })
}

func (s *meteredStore) Stop(ctx context.Context, stop store.Stop) (store.StopResult, error) {
	r, err := timed(s.m, "stop", func() (store.StopResult, error) { return s.Store.Stop(ctx, stop) })
	if err == nil && r.Stopped {
		s.m.counts.Ended.WithLabelValues(meter.Outcomes[store.EndCancel]).Inc()
	}
	return r, err
}

func (s *meteredStore) Claim(ctx context.Context, c store.ClaimRequest) (store.ClaimResult, error) {
	r, err := timed(s.m, "claim", func() (store.ClaimResult, error) { return s.Store.Claim(ctx, c) })
	if err == nil && r.Kind == store.ClaimTakeover {
		s.m.counts.Takeovers.Inc()
	}
	return r, err
}

func (s *meteredStore) Activate(ctx context.Context, a store.Activation) (store.CommitResult, error) {
	r, err := timed(s.m, "activate", func() (store.CommitResult, error) { return s.Store.Activate(ctx, a) })
	if err == nil && r.Status == store.CommitOK {
		s.m.counts.Started.Inc()
		s.m.counts.Logged.Add(float64(len(a.Events)))
	}
	return r, err
}

func (s *meteredStore) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	r, err := timed(s.m, "commit", func() (store.CommitResult, error) { return s.Store.Commit(ctx, b) })
	s.committed(len(b.Events), r, err)
	if err == nil && r.Status == store.CommitOK && b.End != nil {
		s.m.counts.Ended.WithLabelValues(meter.Outcomes[b.End.Kind]).Inc()
		s.m.counts.Raised.Add(float64(len(b.End.Interrupts)))
	}
	return r, err
}

// Send implements store.Sender, if the store does.
func (s *meteredStore) Send(ctx context.Context, b store.Batch, answered func(store.CommitResult, error)) bool {
	sender, sends := s.Store.(store.Sender)
	began, events := time.Now(), len(b.Events)
	return sends && sender.Send(ctx, b, func(r store.CommitResult, err error) {
		s.m.called("commit", began, err)
		s.committed(events, r, err)
		answered(r, err)
	})
}

func (s *meteredStore) committed(events int, r store.CommitResult, err error) {
	switch {
	case err != nil:
	case r.Status == store.CommitFenced:
		s.m.counts.Fenced.Inc()
	case r.Status == store.CommitOK:
		s.m.counts.Logged.Add(float64(events))
	}
}

func (s *meteredStore) Checkpoint(ctx context.Context, c store.Checkpoint) (bool, error) {
	return timed(s.m, "checkpoint", func() (bool, error) { return s.Store.Checkpoint(ctx, c) })
}

func (s *meteredStore) Nack(ctx context.Context, n store.Nack) (store.NackResult, error) {
	r, err := timed(s.m, "nack", func() (store.NackResult, error) { return s.Store.Nack(ctx, n) })
	s.buried(r, err)
	return r, err
}

func (s *meteredStore) Bury(ctx context.Context, n store.Nack) (store.NackResult, error) {
	r, err := timed(s.m, "bury", func() (store.NackResult, error) { return s.Store.Bury(ctx, n) })
	s.buried(r, err)
	return r, err
}

func (s *meteredStore) buried(r store.NackResult, err error) {
	if err == nil && r.State == store.DispatchDeadLetter {
		s.m.counts.Ended.WithLabelValues(meter.Outcomes[store.EndFail]).Inc()
	}
}

func (s *meteredStore) StopAll(ctx context.Context, i store.StopAll) (store.StopAllResult, error) {
	r, err := timed(s.m, "interrupt", func() (store.StopAllResult, error) { return s.Store.StopAll(ctx, i) })
	if err == nil && !r.Stale {
		n := len(r.Superseded)
		if r.Active != "" {
			n++
		}
		s.m.counts.Ended.WithLabelValues(meter.Outcomes[store.EndCancel]).Add(float64(n))
	}
	return r, err
}

func (s *meteredStore) Range(ctx context.Context, key store.ThreadKey, epoch string, first int64, limit int) (store.RangeResult, error) {
	return timed(s.m, "range", func() (store.RangeResult, error) { return s.Store.Range(ctx, key, epoch, first, limit) })
}

func (s *meteredStore) Messages(ctx context.Context, key store.ThreadKey, q store.MessageQuery) (store.MessagePage, error) {
	return timed(s.m, "messages", func() (store.MessagePage, error) { return s.Store.Messages(ctx, key, q) })
}

func (s *meteredStore) Branches(ctx context.Context, key store.ThreadKey) ([]store.Branch, error) {
	return timed(s.m, "branches", func() ([]store.Branch, error) { return s.Store.Branches(ctx, key) })
}

func (s *meteredStore) BranchMessages(ctx context.Context, key store.ThreadKey, id string) (json.RawMessage, error) {
	return timed(s.m, "branch", func() (json.RawMessage, error) { return s.Store.BranchMessages(ctx, key, id) })
}

func (s *meteredStore) Work(ctx context.Context, q store.WorkQuery) ([]store.Work, error) {
	return timed(s.m, "work", func() ([]store.Work, error) { return s.Store.Work(ctx, q) })
}

func (s *meteredStore) Renew(ctx context.Context, c store.Claim) (bool, error) {
	return timed(s.m, "renew", func() (bool, error) { return s.Store.Renew(ctx, c) })
}

func (s *meteredStore) Journal(ctx context.Context, c store.Claim) (*store.ExecutionView, error) {
	return timed(s.m, "journal", func() (*store.ExecutionView, error) { return s.Store.Journal(ctx, c) })
}
