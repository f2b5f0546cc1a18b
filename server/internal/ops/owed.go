package ops

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/webhook"
)

// owed asks what targets are owed when it is asked itself.
type owed struct {
	sender      *webhook.Sender
	owed, wants *prometheus.Desc
}

// NewOwed collects what the targets of webhooks are owed.
func NewOwed(s *webhook.Sender) owed {
	return owed{s, prometheus.NewDesc("aguiws_webhooks_owed", "Webhooks in the store, of all processes, by target and state.", []string{"target", "state"}, nil),
		prometheus.NewDesc("aguiws_webhook_target_enabled", "0 when the target has answered 410, and gets nothing more.", []string{"target"}, nil)}
}

func (o owed) Describe(ch chan<- *prometheus.Desc) {
	ch <- o.owed
	ch <- o.wants
}

// Collect leaves the metrics out when the store does not answer in time.
func (o owed) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	all, err := o.sender.Status(ctx)
	if err != nil && !errors.Is(err, store.ErrPartial) {
		return
	}
	gauge := func(d *prometheus.Desc, n int, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n), labels...)
	}
	for _, t := range all {
		enabled := 1
		if !t.Gone.IsZero() {
			enabled = 0
		}
		gauge(o.wants, enabled, t.Name)
		gauge(o.owed, t.Counts.Waiting-t.Counts.Failed, t.Name, "waiting")
		gauge(o.owed, t.Counts.Failed, t.Name, "retrying")
		gauge(o.owed, t.Counts.Dead, t.Name, "dead")
	}
}
