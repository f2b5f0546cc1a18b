package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/aguiws/aguiws/adapter/store"
)

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
	for _, state := range []store.DispatchState{store.DispatchQueued, store.DispatchClaimed, store.DispatchAcked, store.DispatchCancelled, store.DispatchSuperseded, store.DispatchDeadLetter} {
		ch <- prometheus.MustNewConstMetric(d.desc, prometheus.GaugeValue, float64(counts[state]), string(state))
	}
}
