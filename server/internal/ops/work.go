package ops

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/meter"
)

// workAge is for how long what waits for workers is not asked for again, whoever scrapes.
const workAge = 2 * time.Second

// Work asks what waits for the workers of this process's agents when it is asked itself.
type Work struct {
	prometheus.Collector
	of func(context.Context) ([]store.WorkStats, error)

	mu    sync.Mutex
	asked time.Time
	stats []store.WorkStats
	err   error
}

// NewWork collects what waits for workers, as of says, if that answers in time.
func NewWork(of func(context.Context) ([]store.WorkStats, error)) *Work {
	w := &Work{of: of}
	agent := []string{"agent"}
	w.Collector = meter.OnScrape(func(tell func(string, float64, ...string)) {
		stats, err := w.WorkStats(context.Background())
		if err != nil {
			return
		}
		for _, s := range stats {
			tell("work_waiting", float64(s.Waiting), s.Agent)
			tell("work_pending", float64(s.Pending), s.Agent)
			tell("work_oldest_seconds", s.Oldest.Seconds(), s.Agent)
		}
	},
		meter.Figure{Name: "work_waiting", Help: "Threads that want a worker, of all processes, by agent.", Labels: agent, Type: prometheus.GaugeValue},
		meter.Figure{Name: "work_pending", Help: "Of them, those that a process was given and has not claimed yet.", Labels: agent, Type: prometheus.GaugeValue},
		meter.Figure{Name: "work_oldest_seconds", Help: "For how long the one has waited that has waited longest.", Labels: agent, Type: prometheus.GaugeValue})
	return w
}

// WorkStats is what the store says, or said a moment ago: what fails is not asked for again
// at once either.
func (w *Work) WorkStats(context.Context) ([]store.WorkStats, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.asked) > workAge {
		// The first caller asks for all who ask meanwhile.
		ctx, cancel := context.WithTimeout(context.Background(), workAge)
		defer cancel()
		w.stats, w.err = w.of(ctx)
		w.asked = time.Now()
	}
	return w.stats, w.err
}
