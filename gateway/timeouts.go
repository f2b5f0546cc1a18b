package gateway

import (
	"sync"
	"sync/atomic"
	"time"
)

// watch ends a request that takes too long: to connect, to say something, or between two
// things that it says. Time in which nobody reads does not count: a slow log is not the
// agent's silence.
type watch struct {
	options *Options
	fail    func(*failure)
	begun   time.Time
	reading atomic.Int64 // since when somebody waits for bytes, in ns after begun; 0: nobody

	mu    sync.Mutex
	phase waiting
	timer *time.Timer
}

type waiting uint8

const (
	forConnection waiting = iota
	forFirstEvent
	forMore
	forEnd // of the stream, behind a run's end
	forNothing
)

const defaultAfterEnd = 5 * time.Second

func startWatch(o *Options, fail func(*failure)) *watch {
	w := &watch{options: o, fail: fail, begun: time.Now()}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(o.ConnectTimeout, w.over)
	return w
}

// enter begins a later phase; an earlier one is over already. Another run may begin behind
// a run's end.
func (w *watch) enter(p waiting) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p <= w.phase && !(w.phase == forEnd && p == forMore) {
		return
	}
	w.phase = p
	switch p {
	case forFirstEvent:
		w.timer.Reset(w.options.FirstByteTimeout)
	case forMore:
		w.timer.Reset(w.options.SilenceTimeout)
	case forEnd:
		w.timer.Reset(w.options.afterEnd)
	case forNothing:
		w.timer.Stop()
	}
}

// waits notes that bytes are waited for, and that some have come.
func (w *watch) waits() { w.reading.Store(max(1, int64(time.Since(w.begun)))) }
func (w *watch) heard() { w.reading.Store(0) }

func (w *watch) over() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch w.phase {
	case forConnection:
		w.fail(failed(CodeTimeout, "the agent could not be connected to within %v", w.options.ConnectTimeout))
	case forFirstEvent:
		w.fail(failed(CodeTimeout, "the agent sent no event within %v", w.options.FirstByteTimeout))
	case forEnd:
		w.fail(failed(CodeTimeout, "the agent did not end its answer within %v behind the run", w.options.afterEnd))
	case forMore:
		quiet := time.Duration(0)
		if since := w.reading.Load(); since > 0 {
			quiet = time.Since(w.begun) - time.Duration(since)
		}
		if quiet < w.options.SilenceTimeout {
			w.timer.Reset(w.options.SilenceTimeout - quiet)
			return
		}
		w.fail(failed(CodeTimeout, "the agent was silent for %v", w.options.SilenceTimeout))
	}
}
