package ops

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/budget"
	"github.com/aguiws/aguiws/server/internal/meter"
	"github.com/aguiws/aguiws/server/webhook"
)

// NewLoad collects what a runner says of its load.
func NewLoad(of func() runner.Load) prometheus.Collector {
	return meter.OnScrape(func(tell func(string, float64, ...string)) {
		now := of()
		tell("runs", float64(now.Runs))
		tell("runs_max", float64(now.MaxRuns))
		tell("panics_total", float64(now.Panics))
		tell("cached_threads", float64(now.Cached.Threads))
		tell("cached_threads_bytes", float64(now.Cached.Bytes))
		tell("thread_reads_total", float64(now.Cached.Hits), "hit")
		tell("thread_reads_total", float64(now.Cached.Misses), "miss")
	},
		meter.Figure{Name: "runs", Help: "Runs that this process carries.", Type: prometheus.GaugeValue},
		meter.Figure{Name: "runs_max", Help: "Runs that it carries at once at most.", Type: prometheus.GaugeValue},
		meter.Figure{Name: "panics_total", Help: "Panics over stored data that were contained.", Type: prometheus.CounterValue},
		meter.Figure{Name: "cached_threads", Help: "Threads in use whose messages this process holds.", Type: prometheus.GaugeValue},
		meter.Figure{Name: "cached_threads_bytes", Help: "Memory that they take.", Type: prometheus.GaugeValue},
		meter.Figure{Name: "thread_reads_total", Help: "Threads read to judge an input.", Labels: []string{"cache"}, Type: prometheus.CounterValue})
}

// NewHeld collects what a budget says of its usage.
func NewHeld(usage func() budget.Usage) prometheus.Collector {
	return meter.OnScrape(func(tell func(string, float64, ...string)) {
		now := usage()
		for kind, bytes := range now.Held {
			tell("held_bytes", float64(bytes), kind)
		}
		tell("held_waiting", float64(now.Waiting))
		for bound, n := range now.Refused {
			tell("held_refused_total", float64(n), bound)
		}
	},
		meter.Figure{Name: "held_bytes", Help: "Bytes that are held for clients, as they are counted.", Labels: []string{"kind"}, Type: prometheus.GaugeValue},
		meter.Figure{Name: "held_waiting", Help: "Frames, bodies and replies that wait for room.", Type: prometheus.GaugeValue},
		meter.Figure{Name: "held_refused_total", Help: "Frames, bodies and replies that found no room, by the bound that was met.", Labels: []string{"bound"}, Type: prometheus.CounterValue})
}

// NewMemoryUsed tells how much of the memory limit is in use when it is asked itself.
func NewMemoryUsed(share func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "aguiws_memory_used_ratio", Help: "How much of the memory limit is in use; 0 without a limit."}, share)
}

// NewOwed collects what the targets of webhooks are owed, if the store answers in time.
func NewOwed(s *webhook.Sender) prometheus.Collector {
	return meter.OnScrape(func(tell func(string, float64, ...string)) {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		all, err := s.Status(ctx)
		if err != nil && !errors.Is(err, store.ErrPartial) {
			return
		}
		for _, t := range all {
			enabled := 1.0
			if !t.Gone.IsZero() {
				enabled = 0
			}
			tell("webhook_target_enabled", enabled, t.Name)
			tell("webhooks_owed", float64(t.Counts.Waiting-t.Counts.Failed), t.Name, "waiting")
			tell("webhooks_owed", float64(t.Counts.Failed), t.Name, "retrying")
			tell("webhooks_owed", float64(t.Counts.Dead), t.Name, "dead")
		}
	},
		meter.Figure{Name: "webhooks_owed", Help: "Webhooks in the store, of all processes, by target and state.", Labels: []string{"target", "state"}, Type: prometheus.GaugeValue},
		meter.Figure{Name: "webhook_target_enabled", Help: "0 when the target has answered 410, and gets nothing more.", Labels: []string{"target"}, Type: prometheus.GaugeValue})
}
