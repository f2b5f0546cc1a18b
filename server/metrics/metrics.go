// Package metrics counts what a server, its store and the agents behind it do, for Prometheus.
package metrics

import (
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/aguiws/aguiws/internal/build"
	"github.com/aguiws/aguiws/server/internal/meter"
	"github.com/aguiws/aguiws/server/webhook"
)

// Metrics counts what a server.Server and its store do, for Prometheus. docs/metrics.md
// lists it. No label carries an id, a name that a client chose, or anything
// else without a bound. Make it with New; it may be used concurrently.
type Metrics struct {
	registry *prometheus.Registry

	counts meter.Counters

	webhooks    *prometheus.CounterVec
	logins      *prometheus.CounterVec
	webhookTime *prometheus.HistogramVec

	upstreams                                         []*Upstream
	upstreamRequests, upstreamEvents, upstreamRepairs *prometheus.CounterVec
	upstreamFirst                                     *prometheus.HistogramVec
}

// New returns metrics that nothing is counted in yet, but for the
// process's own.
func New() *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	c := &m.counts
	c.Sockets = add(m, prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "aguiws_sockets", Help: "Open WebSockets."}, []string{"mode"}))
	c.Streams = add(m, prometheus.NewGauge(prometheus.GaugeOpts{Name: "aguiws_streams", Help: "Open streams over HTTP."}))
	c.Watchers = add(m, prometheus.NewGauge(prometheus.GaugeOpts{Name: "aguiws_notice_watchers", Help: "Connections that watch notices."}))
	c.NoticesTold = m.count("notices_told", "Notices handed to connections that watch them.")
	c.NoticeReads = m.vec("notice_reads", "Readings of notices from the store.", "for")
	c.Closed = m.vec("sockets_closed", "WebSockets that ended, by close code; 0 without one.", "code")
	c.Strangers = add(m, prometheus.NewGauge(prometheus.GaugeOpts{Name: "aguiws_stranger_connections", Help: "Open connections without a request of somebody who was recognised."}))
	c.Displaced = m.count("stranger_connections_displaced", "Such connections that were closed to make room for others.")
	c.Frames = m.vec("frames_received", "Frames from clients.", "kind")
	c.Requests = m.vec("http_requests", "Answered requests.", "route", "status")
	c.Refusals = m.vec("refusals", "Requests, frames and inputs that were refused.", "code")
	c.Credentials = m.vec("credentials_refused", "Credentials that were not taken, by the reason.", "reason")
	c.Threads = add(m, prometheus.NewGauge(prometheus.GaugeOpts{Name: "aguiws_attached_threads", Help: "Threads that connections follow."}))
	c.Delivered = m.count("events_delivered", "Events handed to connections, replay and restatements included.")
	c.Attaches = m.vec("attaches", "How followers were placed: recovered, or restated for a reason.", "result")
	c.Inputs = m.vec("inputs", "Inputs by what became of them.", "disposition")
	c.Cancels = m.count("cancels", "Runs that a client had stopped.")
	c.Disconnects = m.count("disconnect_cancels", "Runs that were cancelled because their client closed the connection.")
	c.Started = m.count("runs_started", "Runs whose RUN_STARTED was logged by this process.")
	c.Ended = m.vec("runs_ended", "Runs that this process logged the end of.", "outcome")
	c.Logged = m.count("events_logged", "Events that this process logged.")
	c.Raised = m.count("interrupts_raised", "Interrupts that runs ended with.")
	c.Answered = m.count("interrupts_answered", "Interrupts whose answers were accepted.")
	c.Takeovers = m.count("takeovers", "Runs of lost workers that this process claimed.")
	c.Fenced = m.count("commits_fenced", "Batches that the store refused because the run was not this process's any more.")
	c.StoreTime = add(m, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "aguiws_store_call_seconds", Help: "Time of calls of the store.",
		Buckets: []float64{.00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5},
	}, []string{"call"}))
	c.StoreErrors = m.vec("store_errors", "Calls of the store that failed.", "call")
	c.Available = add(m, prometheus.NewGauge(prometheus.GaugeOpts{Name: "aguiws_store_available", Help: "1 while the store answers, 0 while it does not."}))
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
	info.WithLabelValues(build.Version(), runtime.Version()).Set(1)
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

// Registry is where the metrics are, for whoever adds their own.
func (m *Metrics) Registry() *prometheus.Registry { return m.registry }

// Counters are what a Server counts.
func (m *Metrics) Counters() *meter.Counters { return &m.counts }

// Handler answers with the metrics, whoever asks.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
}

// Login counts what happens to logins. Give it to login.New as Options.Observe.
func (m *Metrics) Login(provider, event string) {
	m.logins.WithLabelValues(provider, event).Inc()
}

// Webhook counts a try. Give it to webhook.New as Options.Observe.
func (m *Metrics) Webhook(t webhook.Try) {
	m.webhooks.WithLabelValues(t.Target, string(t.Outcome)).Inc()
	m.webhookTime.WithLabelValues(t.Target).Observe(t.Took.Seconds())
}
