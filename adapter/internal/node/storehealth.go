package node

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

const (
	// storeSilence is for how long no call of the store succeeds, at least two
	// having failed, until it is taken for down.
	storeSilence = 1500 * time.Millisecond
	// storeReminder is how often the log says that the store is still down.
	storeReminder = time.Minute
)

// storeHealth knows from the outcomes of calls whether the store answers. One
// success says that it does: where only a part of it is gone, it is not down. The
// sweep asks often enough to find both out when nobody else calls.
type storeHealth struct {
	log     *slog.Logger
	changed func()    // called after each change, with nothing held
	began   time.Time // what the times below are counted from: a clock that is set makes no outage

	answered atomic.Int64 // when a call last succeeded
	failing  atomic.Bool  // calls have failed since
	down     atomic.Bool

	mu     sync.Mutex
	since  time.Duration // from when on no call has succeeded; while failing
	failed int           // calls since then
	cause  error         // of the latest
	told   time.Duration // when the log last said so; while down
	partly time.Time     // since when a part of the store does not answer; zero: all of them do

	said said
}

func NewStoreHealth(log *slog.Logger, changed func()) *storeHealth {
	return &storeHealth{log: log, changed: changed, began: time.Now()}
}

func (h *storeHealth) now() time.Duration { return time.Since(h.began) }

// Available reports whether the store answers, as far as is known.
func (h *storeHealth) Available() bool { return !h.down.Load() }

// outcome takes in how a call ended that began at the given time.
func (h *storeHealth) outcome(began time.Duration, err error) {
	switch {
	case err == nil, errors.Is(err, store.ErrPartial), errors.Is(err, store.ErrCorrupted), errors.Is(err, store.ErrMoved):
		h.succeeded()
	case errors.Is(err, context.Canceled), errors.Is(err, store.ErrClaimLost), errors.Is(err, store.ErrBadCursor), errors.Is(err, store.ErrNoRoom):
		// The caller has gone, or that is an answer: it says nothing.
	default:
		h.didFail(began, err)
	}
}

func (h *storeHealth) succeeded() {
	now := h.now()
	h.answered.Store(int64(now))
	if !h.failing.Load() {
		return
	}
	h.mu.Lock()
	if !h.failing.Load() {
		h.mu.Unlock()
		return
	}
	wasDown, failed, cause, silent := h.down.Load(), h.failed, h.cause, now-h.since
	h.failed, h.cause = 0, nil
	h.failing.Store(false)
	h.down.Store(false)
	h.mu.Unlock()
	switch {
	case wasDown:
		h.log.Warn("the store answers again", "after", silent.Round(time.Millisecond).String(), "failedCalls", failed)
		h.changed()
	case h.worthSaying():
		h.log.Warn("calls of the store failed", "failedCalls", failed, "error", cause)
	}
}

func (h *storeHealth) didFail(began time.Duration, err error) {
	now := h.now()
	h.mu.Lock()
	if h.failed == 0 {
		h.since = max(began, time.Duration(h.answered.Load()))
		h.failing.Store(true)
	}
	h.failed, h.cause = h.failed+1, err
	failed, silent := h.failed, now-h.since
	begins := !h.down.Load() && failed > 1 && silent >= storeSilence
	reminds := h.down.Load() && now-h.told >= storeReminder
	if begins {
		h.down.Store(true)
	}
	if begins || reminds {
		h.told = now
	}
	h.mu.Unlock()
	switch {
	case begins:
		h.log.Warn("the store does not answer", "silent", silent.Round(time.Millisecond).String(), "failedCalls", failed, "error", err)
		h.changed()
	case reminds:
		h.log.Warn("the store still does not answer", "silent", silent.Round(time.Millisecond).String(), "failedCalls", failed, "error", err)
	}
}

// parts takes in how a call ended that asks all parts of the store. The log is told
// when one of them does not answer, and when all do again, which no bound on what is
// said of single calls keeps back.
func (h *storeHealth) parts(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case errors.Is(err, store.ErrPartial) && h.partly.IsZero():
		h.partly = time.Now()
		h.log.Warn("a part of the store does not answer; the others are served", "error", err)
	case err == nil && !h.partly.IsZero():
		h.log.Warn("all of the store answers again", "after", time.Since(h.partly).Round(time.Millisecond).String())
		h.partly = time.Time{}
	}
}

// WatchedStore tells a storeHealth how calls end: those that are made all the
// time.
type WatchedStore struct {
	store.Store
	Health *storeHealth
}

func watched[T any](h *storeHealth, call func() (T, error)) (T, error) {
	began := h.now()
	v, err := call()
	h.outcome(began, err)
	return v, err
}

func (s WatchedStore) Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	return watched(s.Health, func() (*store.ThreadView, error) { return s.Store.Read(ctx, key, q) })
}

func (s WatchedStore) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	return watched(s.Health, func() (store.BeginResult, error) { return s.Store.Begin(ctx, b) })
}

func (s WatchedStore) Stop(ctx context.Context, stop store.Stop) (store.StopResult, error) {
	return watched(s.Health, func() (store.StopResult, error) { return s.Store.Stop(ctx, stop) })
}

func (s WatchedStore) Checkpoint(ctx context.Context, c store.Checkpoint) (bool, error) {
	return watched(s.Health, func() (bool, error) { return s.Store.Checkpoint(ctx, c) })
}

func (s WatchedStore) Claim(ctx context.Context, c store.ClaimRequest) (store.ClaimResult, error) {
	return watched(s.Health, func() (store.ClaimResult, error) { return s.Store.Claim(ctx, c) })
}

func (s WatchedStore) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	return watched(s.Health, func() (store.CommitResult, error) { return s.Store.Commit(ctx, b) })
}

// Send implements store.Sender, if the store does.
func (s WatchedStore) Send(ctx context.Context, b store.Batch, answered func(store.CommitResult, error)) bool {
	sender, sends := s.Store.(store.Sender)
	began := s.Health.now()
	return sends && sender.Send(ctx, b, func(r store.CommitResult, err error) {
		s.Health.outcome(began, err)
		answered(r, err)
	})
}

func (s WatchedStore) Renew(ctx context.Context, c store.Claim) (bool, error) {
	return watched(s.Health, func() (bool, error) { return s.Store.Renew(ctx, c) })
}

func (s WatchedStore) Work(ctx context.Context, q store.WorkQuery) ([]store.Work, error) {
	due, err := watched(s.Health, func() ([]store.Work, error) { return s.Store.Work(ctx, q) })
	s.Health.parts(err)
	return due, err
}

func (s WatchedStore) Range(ctx context.Context, key store.ThreadKey, epoch string, first int64, limit int) (store.RangeResult, error) {
	return watched(s.Health, func() (store.RangeResult, error) { return s.Store.Range(ctx, key, epoch, first, limit) })
}

func (s WatchedStore) Messages(ctx context.Context, key store.ThreadKey, q store.MessageQuery) (store.MessagePage, error) {
	return watched(s.Health, func() (store.MessagePage, error) { return s.Store.Messages(ctx, key, q) })
}

func (s WatchedStore) Branches(ctx context.Context, key store.ThreadKey) ([]store.Branch, error) {
	return watched(s.Health, func() ([]store.Branch, error) { return s.Store.Branches(ctx, key) })
}

func (s WatchedStore) BranchMessages(ctx context.Context, key store.ThreadKey, id string) (json.RawMessage, error) {
	return watched(s.Health, func() (json.RawMessage, error) { return s.Store.BranchMessages(ctx, key, id) })
}

func (s WatchedStore) Tail(ctx context.Context, keys []store.ThreadKey) ([]store.Position, error) {
	return watched(s.Health, func() ([]store.Position, error) { return s.Store.Tail(ctx, keys) })
}
