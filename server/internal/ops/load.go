package ops

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/aguiws/aguiws/adapter/runner"
)

// load asks a runner what it carries when it is asked itself.
type load struct {
	load              func() runner.Load
	runs, max, panics *prometheus.Desc
	threads, bytes    *prometheus.Desc // that are cached
	reads             *prometheus.Desc
}

// NewLoad collects what a runner says of its load.
func NewLoad(of func() runner.Load) load {
	desc := func(name, help string) *prometheus.Desc { return prometheus.NewDesc("aguiws_"+name, help, nil, nil) }
	return load{of, desc("runs", "Runs that this process carries."), desc("runs_max", "Runs that it carries at once at most."),
		desc("panics_total", "Panics over stored data that were contained."),
		desc("cached_threads", "Threads in use whose messages this process holds."), desc("cached_threads_bytes", "Memory that they take."),
		prometheus.NewDesc("aguiws_thread_reads_total", "Threads read to judge an input.", []string{"cache"}, nil)}
}

func (l load) Describe(ch chan<- *prometheus.Desc) {
	ch <- l.runs
	ch <- l.max
	ch <- l.panics
	ch <- l.threads
	ch <- l.bytes
	ch <- l.reads
}

func (l load) Collect(ch chan<- prometheus.Metric) {
	now := l.load()
	ch <- prometheus.MustNewConstMetric(l.runs, prometheus.GaugeValue, float64(now.Runs))
	ch <- prometheus.MustNewConstMetric(l.max, prometheus.GaugeValue, float64(now.MaxRuns))
	ch <- prometheus.MustNewConstMetric(l.panics, prometheus.CounterValue, float64(now.Panics))
	ch <- prometheus.MustNewConstMetric(l.threads, prometheus.GaugeValue, float64(now.Cached.Threads))
	ch <- prometheus.MustNewConstMetric(l.bytes, prometheus.GaugeValue, float64(now.Cached.Bytes))
	ch <- prometheus.MustNewConstMetric(l.reads, prometheus.CounterValue, float64(now.Cached.Hits), "hit")
	ch <- prometheus.MustNewConstMetric(l.reads, prometheus.CounterValue, float64(now.Cached.Misses), "miss")
}
