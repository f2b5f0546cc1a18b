package node

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

const (
	// thinEvery and thinMost bound the warnings about calls that failed while the
	// store was not down as a whole.
	thinEvery = time.Minute
	thinMost  = 5
)

func ThinLog(l *slog.Logger, health *storeHealth) *slog.Logger {
	return slog.New(thinHandler{shortHandler{l.Handler()}, health})
}

// thinHandler lowers the level of what the storeHealth says better.
type thinHandler struct {
	slog.Handler
	health *storeHealth
}

func (t thinHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return thinHandler{t.Handler.WithAttrs(attrs), t.health}
}

func (t thinHandler) WithGroup(name string) slog.Handler {
	return thinHandler{t.Handler.WithGroup(name), t.health}
}

func (t thinHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn && aboutStore(r) && (t.health.failing.Load() || !t.health.worthSaying()) {
		r.Level = slog.LevelDebug
		if !t.Enabled(ctx, r.Level) {
			return nil
		}
	}
	return t.Handler.Handle(ctx, r)
}

func aboutStore(r slog.Record) (is bool) {
	r.Attrs(func(a slog.Attr) bool {
		err, _ := a.Value.Any().(error)
		is = a.Key == "error" && errors.Is(err, store.ErrOutcomeUnknown)
		return !is
	})
	return is
}

// said counts what was said of calls that failed.
type said struct {
	mu    sync.Mutex
	since time.Duration
	times int
}

// worthSaying reports whether there is room for one more warning about calls that
// failed.
func (h *storeHealth) worthSaying() bool {
	h.said.mu.Lock()
	defer h.said.mu.Unlock()
	if now := h.now(); h.said.times == 0 || now-h.said.since >= thinEvery {
		h.said.since, h.said.times = now, 0
	}
	h.said.times++
	return h.said.times <= thinMost
}
