package ops

import (
	"errors"
	"math"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/controlapi"
	"github.com/aguiws/aguiws/server/internal/meter"
)

const (
	// ratesKept is how many spans of tellEvery rates go back.
	ratesKept = 60
	// storeSpans is how many of them the times of the store are of.
	storeSpans = 12
)

// rates are the latest counts of what this process does, a sample each tellEvery.
type rates struct {
	of *meter.Counters

	mu      sync.Mutex
	samples []sample // the latest last
}

// sample is what was counted until then.
type sample struct {
	counts  map[string]float64
	buckets map[float64]uint64 // of the calls of the store, by upper bound: how many took no longer
	calls   uint64
	errors  float64
}

func (r *rates) sample() {
	s := sampleOf(r.of)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.samples = append(r.samples, s); len(r.samples) > ratesKept+1 {
		r.samples = append(r.samples[:0], r.samples[1:]...)
	}
}

// into tells of them, and of how the store was met lately.
func (r *rates) into(about *controlapi.Node) {
	r.mu.Lock()
	defer r.mu.Unlock()
	about.Every, about.Rates = tellEvery.Milliseconds(), map[string][]int64{}
	if len(r.samples) == 0 {
		return
	}
	for name := range r.samples[0].counts {
		spans := make([]int64, 0, len(r.samples))
		for i := 1; i < len(r.samples); i++ {
			spans = append(spans, int64(r.samples[i].counts[name]-r.samples[i-1].counts[name]))
		}
		about.Rates[name] = spans
	}
	last := r.samples[len(r.samples)-1]
	first := r.samples[max(0, len(r.samples)-1-storeSpans)]
	about.StoreCalls, about.StoreErrs = int64(last.calls-first.calls), int64(last.errors-first.errors)
	about.Store50, about.Store95 = quantile(first, last, 0.5), quantile(first, last, 0.95)
}

// quantile is the upper bound of the bucket in which it lies, in milliseconds; nil: there
// were no calls. A call that took longer than the last bound is said to have taken that.
func quantile(first, last sample, q float64) *float64 {
	n := last.calls - first.calls
	if n == 0 {
		return nil
	}
	least, longest := math.Inf(1), 0.0
	for bound, count := range last.buckets {
		if math.IsInf(bound, 1) {
			continue
		}
		longest = max(longest, bound)
		if float64(count-first.buckets[bound]) >= q*float64(n) {
			least = min(least, bound)
		}
	}
	ms := min(least, longest) * 1000
	return &ms
}

// sampleOf is what was counted until now.
func sampleOf(m *meter.Counters) sample {
	s := sample{buckets: map[float64]uint64{}, counts: map[string]float64{
		"inputs": sum(m.Inputs, "disposition", "started", "queued"), "runs": sum(m.Started, ""), "failed": sum(m.Ended, "outcome", meter.Outcomes[store.EndFail]),
		"events": sum(m.Logged, ""), "asked": sum(m.Raised, ""),
	}}
	s.errors = sum(m.StoreErrors, "")
	for _, each := range collected(m.StoreTime) {
		h := each.GetHistogram()
		s.calls += h.GetSampleCount()
		for _, b := range h.GetBucket() {
			s.buckets[b.GetUpperBound()] += b.GetCumulativeCount()
		}
	}
	return s
}

// holds is what the process holds for clients now.
func holds(m *meter.Counters, about *controlapi.Node) {
	about.Sockets, about.Streams, about.Threads = int64(sum(m.Sockets, "")), int64(sum(m.Streams, "")), int64(sum(m.Threads, ""))
}

// sum adds what a metric counts, of all its labels or of those that have one of the values.
func sum(c prometheus.Collector, label string, values ...string) (n float64) {
	for _, each := range collected(c) {
		counts := len(values) == 0
		for _, l := range each.GetLabel() {
			for _, v := range values {
				counts = counts || l.GetName() == label && l.GetValue() == v
			}
		}
		if counts {
			n += each.GetCounter().GetValue() + each.GetGauge().GetValue()
		}
	}
	return n
}

func collected(c prometheus.Collector) []*dto.Metric {
	ch := make(chan prometheus.Metric)
	go func() {
		defer close(ch)
		c.Collect(ch)
	}()
	var list []*dto.Metric
	for each := range ch {
		var d dto.Metric
		if each.Write(&d) == nil {
			list = append(list, &d)
		}
	}
	return list
}

// processMemory is what the process has from the system, as the runtime counts it.
func processMemory() int64 {
	of := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(of)
	return int64(of[0].Value.Uint64() - of[1].Value.Uint64())
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func isPartial(err error) bool { return errors.Is(err, store.ErrPartial) }
