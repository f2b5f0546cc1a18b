package adapter

import (
	"errors"
	"github.com/aguiws/aguiws/adapter/store"
	"log/slog"
	"time"
)

// parts says in the log when a part of the store does not answer, and when all of it
// does again, which no bound on what is said of single calls keeps back. It is for
// the goroutine of the sweep.
type parts struct {
	since time.Time // zero: all of them answer
}

// note takes in how a call ended that asks all parts.
func (p *parts) note(log *slog.Logger, err error) {
	switch {
	case errors.Is(err, store.ErrPartial) && p.since.IsZero():
		p.since = time.Now()
		log.Warn("a part of the store does not answer; the others are served", "error", err)
	case err == nil && !p.since.IsZero():
		log.Warn("all of the store answers again", "after", time.Since(p.since).Round(time.Millisecond).String())
		p.since = time.Time{}
	}
}
