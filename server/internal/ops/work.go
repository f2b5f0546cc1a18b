package ops

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/aguiws/aguiws/adapter/store"
)

// workAge is for how long what waits for workers is not asked for again, whoever scrapes.
const workAge = 2 * time.Second

// Work asks what waits for the workers of this process's agents when it is asked itself.
type Work struct {
	of                       func(context.Context) ([]store.WorkStats, error)
	waiting, pending, oldest *prometheus.Desc

	mu    sync.Mutex
	asked time.Time
	stats []store.WorkStats
	err   error
}

// NewWork collects what waits for workers, as of says.
func NewWork(of func(context.Context) ([]store.WorkStats, error)) *Work {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("aguiws_work_"+name, help, []string{"agent"}, nil)
	}
	return &Work{of: of, waiting: desc("waiting", "Threads that want a worker, of all processes, by agent."),
		pending: desc("pending", "Of them, those that a process was given and has not claimed yet."),
		oldest:  desc("oldest_seconds", "For how long the one has waited that has waited longest.")}
}

func (w *Work) Describe(ch chan<- *prometheus.Desc) {
	ch <- w.waiting
	ch <- w.pending
	ch <- w.oldest
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

// Collect leaves the metrics out when the store does not answer in time.
func (w *Work) Collect(ch chan<- prometheus.Metric) {
	stats, err := w.WorkStats(context.Background())
	if err != nil {
		return
	}
	for _, s := range stats {
		gauge := func(d *prometheus.Desc, v float64) {
			ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, s.Agent)
		}
		gauge(w.waiting, float64(s.Waiting))
		gauge(w.pending, float64(s.Pending))
		gauge(w.oldest, s.Oldest.Seconds())
	}
}
