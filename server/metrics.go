package server

import (
	"context"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
)

// Metrics counts what a Server and its store do, for Prometheus. docs/metrics.md
// lists it. No label carries an id, a name that a client chose, or anything
// else without a bound. Make it with NewMetrics; it may be used concurrently.
type Metrics struct {
	registry *prometheus.Registry

	sockets     *prometheus.GaugeVec
	streams     prometheus.Gauge
	watchers    prometheus.Gauge
	noticesTold prometheus.Counter
	noticeReads *prometheus.CounterVec
	closed      *prometheus.CounterVec
	strangers   prometheus.Gauge
	displaced   prometheus.Counter
	frames      *prometheus.CounterVec
	requests    *prometheus.CounterVec
	refusals    *prometheus.CounterVec
	credentials *prometheus.CounterVec
	threads     prometheus.Gauge
	delivered   prometheus.Counter
	attaches    *prometheus.CounterVec
	inputs      *prometheus.CounterVec
	cancels     prometheus.Counter
	disconnects prometheus.Counter
	started     prometheus.Counter
	ended       *prometheus.CounterVec
	logged      prometheus.Counter
	raised      prometheus.Counter
	answered    prometheus.Counter
	takeovers   prometheus.Counter
	fenced      prometheus.Counter
	storeTime   *prometheus.HistogramVec
	storeErrors *prometheus.CounterVec
	available   prometheus.Gauge
	webhooks    *prometheus.CounterVec
	logins      *prometheus.CounterVec
	webhookTime *prometheus.HistogramVec

	upstreams                                         []*Upstream
	upstreamRequests, upstreamEvents, upstreamRepairs *prometheus.CounterVec
	upstreamFirst                                     *prometheus.HistogramVec
}

// NewMetrics returns metrics that nothing is counted in yet, but for the
// process's own.
func NewMetrics() *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.sockets = add(m, prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "aguiws_sockets", Help: "Open WebSockets."}, []string{"mode"}))
	m.streams = add(m, prometheus.NewGauge(prometheus.GaugeOpts{Name: "aguiws_streams", Help: "Open streams over HTTP."}))
	m.watchers = add(m, prometheus.NewGauge(prometheus.GaugeOpts{Name: "aguiws_notice_watchers", Help: "Connections that watch notices."}))
	m.noticesTold = m.count("notices_told", "Notices handed to connections that watch them.")
	m.noticeReads = m.vec("notice_reads", "Readings of notices from the store.", "for")
	m.closed = m.vec("sockets_closed", "WebSockets that ended, by close code; 0 without one.", "code")
	m.strangers = add(m, prometheus.NewGauge(prometheus.GaugeOpts{Name: "aguiws_stranger_connections", Help: "Open connections without a request of somebody who was recognised."}))
	m.displaced = m.count("stranger_connections_displaced", "Such connections that were closed to make room for others.")
	m.frames = m.vec("frames_received", "Frames from clients.", "kind")
	m.requests = m.vec("http_requests", "Answered requests.", "route", "status")
	m.refusals = m.vec("refusals", "Requests, frames and inputs that were refused.", "code")
	m.credentials = m.vec("credentials_refused", "Credentials that were not taken, by the reason.", "reason")
	m.threads = add(m, prometheus.NewGauge(prometheus.GaugeOpts{Name: "aguiws_attached_threads", Help: "Threads that connections follow."}))
	m.delivered = m.count("events_delivered", "Events handed to connections, replay and restatements included.")
	m.attaches = m.vec("attaches", "How followers were placed: recovered, or restated for a reason.", "result")
	m.inputs = m.vec("inputs", "Inputs by what became of them.", "disposition")
	m.cancels = m.count("cancels", "Runs that a client had stopped.")
	m.disconnects = m.count("disconnect_cancels", "Runs that were cancelled because their client closed the connection.")
	m.started = m.count("runs_started", "Runs whose RUN_STARTED was logged by this process.")
	m.ended = m.vec("runs_ended", "Runs that this process logged the end of.", "outcome")
	m.logged = m.count("events_logged", "Events that this process logged.")
	m.raised = m.count("interrupts_raised", "Interrupts that runs ended with.")
	m.answered = m.count("interrupts_answered", "Interrupts whose answers were accepted.")
	m.takeovers = m.count("takeovers", "Runs of lost workers that this process claimed.")
	m.fenced = m.count("commits_fenced", "Batches that the store refused because the run was not this process's any more.")
	m.storeTime = add(m, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "aguiws_store_call_seconds", Help: "Time of calls of the store.",
		Buckets: []float64{.00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5},
	}, []string{"call"}))
	m.storeErrors = m.vec("store_errors", "Calls of the store that failed.", "call")
	m.available = add(m, prometheus.NewGauge(prometheus.GaugeOpts{Name: "aguiws_store_available", Help: "1 while the store answers, 0 while it does not."}))
	m.logins = m.vec("logins", "Logins of users at other services, and what becomes of their tokens.", "provider", "event")
	m.webhooks = m.vec("webhook_tries", "Requests to targets of webhooks.", "target", "outcome")
	m.webhookTime = add(m, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "aguiws_webhook_seconds", Help: "Time that targets of webhooks took.", Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15},
	}, []string{"target"}))
	m.upstreamRequests = m.vec("upstream_requests", "Requests to upstreams that ended, by what they came to.", "upstream", "code")
	m.upstreamEvents = m.vec("upstream_events", "Events from upstreams.", "upstream")
	m.upstreamRepairs = m.vec("upstream_repairs", "What was put right in what came from upstreams.", "upstream", "kind")
	m.upstreamFirst = add(m, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "aguiws_upstream_first_event_seconds", Help: "Time until the first event of an upstream.", Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
	}, []string{"upstream"}))
	add(m, newUpstreamLoad(m))
	info := add(m, prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "aguiws_build_info", Help: "Always 1."}, []string{"version", "go"}))
	if b, ok := debug.ReadBuildInfo(); ok {
		info.WithLabelValues(b.Main.Version, b.GoVersion).Set(1)
	}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func add[C prometheus.Collector](m *Metrics, c C) C {
	m.registry.MustRegister(c)
	return c
}

func (m *Metrics) count(name, help string) prometheus.Counter {
	return add(m, prometheus.NewCounter(prometheus.CounterOpts{Name: "aguiws_" + name + "_total", Help: help}))
}

func (m *Metrics) vec(name, help string, labels ...string) *prometheus.CounterVec {
	return add(m, prometheus.NewCounterVec(prometheus.CounterOpts{Name: "aguiws_" + name + "_total", Help: help}, labels))
}

// Handler answers with the metrics, whoever asks.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
}

// dispatches asks the store for what is in its queues when it is asked itself.
type dispatches struct {
	store store.Store
	desc  *prometheus.Desc
}

func newDispatches(store store.Store) dispatches {
	return dispatches{store, prometheus.NewDesc("aguiws_dispatches", "Dispatches in the store, of all processes, by state.", []string{"state"}, nil)}
}

func (d dispatches) Describe(ch chan<- *prometheus.Desc) { ch <- d.desc }

// Collect leaves the metric out when the store does not answer in time.
func (d dispatches) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	counts, err := d.store.CountDispatches(ctx)
	if err != nil {
		return
	}
	for state, n := range counts {
		ch <- prometheus.MustNewConstMetric(d.desc, prometheus.GaugeValue, float64(n), string(state))
	}
}

// load asks a runner what it carries when it is asked itself.
type load struct {
	load              func() runner.Load
	runs, max, panics *prometheus.Desc
	threads, bytes    *prometheus.Desc // that are cached
	reads             *prometheus.Desc
}

func newLoad(of func() runner.Load) load {
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
