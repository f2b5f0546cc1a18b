// Package meter has what the rooms of a server count. No label carries an id, a name that a
// client chose, or anything else without a bound.
package meter

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Counters are what a server and its store count, as docs/metrics.md lists them.
type Counters struct {
	Sockets     *prometheus.GaugeVec
	Streams     prometheus.Gauge
	Watchers    prometheus.Gauge
	NoticesTold prometheus.Counter
	NoticeReads *prometheus.CounterVec
	Closed      *prometheus.CounterVec
	Strangers   prometheus.Gauge
	Displaced   prometheus.Counter
	Frames      *prometheus.CounterVec
	Requests    *prometheus.CounterVec
	Refusals    *prometheus.CounterVec
	Credentials *prometheus.CounterVec
	Threads     prometheus.Gauge
	Delivered   prometheus.Counter
	Attaches    *prometheus.CounterVec
	Inputs      *prometheus.CounterVec
	Cancels     prometheus.Counter
	Disconnects prometheus.Counter
	Started     prometheus.Counter
	Ended       *prometheus.CounterVec
	Logged      prometheus.Counter
	Raised      prometheus.Counter
	Answered    prometheus.Counter
	Takeovers   prometheus.Counter
	Fenced      prometheus.Counter
	StoreTime   *prometheus.HistogramVec
	StoreErrors *prometheus.CounterVec
	Available   prometheus.Gauge
}

// Outcomes is how docs/metrics.md calls the ends of runs.
var Outcomes = map[store.EndKind]string{
	store.EndFinish: "success", store.EndSuspend: "interrupt", store.EndCancel: "cancelled", store.EndFail: "error",
}

// Refused counts a refusal by its code.
func (c *Counters) Refused(code string) { c.Refusals.WithLabelValues(code).Inc() }

// Noted counts a refusal and returns it; nil is none.
func (c *Counters) Noted(why *protocol.RunError) *protocol.RunError {
	if why != nil {
		c.Refused(why.Code)
	}
	return why
}
