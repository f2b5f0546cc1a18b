package ops

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/aguiws/aguiws/server/internal/budget"
)

// held tells a budget's usage when it is asked itself.
type held struct {
	usage                   func() budget.Usage
	bytes, waiting, refused *prometheus.Desc
}

// NewHeld collects what a budget says of its usage.
func NewHeld(usage func() budget.Usage) held {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("aguiws_"+name, help, labels, nil)
	}
	return held{usage, desc("held_bytes", "Bytes that are held for clients, as they are counted.", "kind"),
		desc("held_waiting", "Frames, bodies and replies that wait for room."),
		desc("held_refused_total", "Frames, bodies and replies that found no room, by the bound that was met.", "bound")}
}

func (h held) Describe(ch chan<- *prometheus.Desc) {
	ch <- h.bytes
	ch <- h.waiting
	ch <- h.refused
}

func (h held) Collect(ch chan<- prometheus.Metric) {
	now := h.usage()
	for kind, bytes := range now.Held {
		ch <- prometheus.MustNewConstMetric(h.bytes, prometheus.GaugeValue, float64(bytes), kind)
	}
	ch <- prometheus.MustNewConstMetric(h.waiting, prometheus.GaugeValue, float64(now.Waiting))
	for bound, n := range now.Refused {
		ch <- prometheus.MustNewConstMetric(h.refused, prometheus.CounterValue, float64(n), bound)
	}
}

// NewMemoryUsed tells how much of the memory limit is in use when it is asked itself.
func NewMemoryUsed(share func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "aguiws_memory_used_ratio", Help: "How much of the memory limit is in use; 0 without a limit."}, share)
}
