package metrics

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/aguiws/aguiws/server/internal/controlapi"
	"github.com/aguiws/aguiws/server/internal/meter"
)

// Upstream counts what goes on with an agent that another server serves, for /metrics and
// /v1/upstreams. Metrics.Upstream makes it; it may be used concurrently.
type Upstream struct {
	name, url string
	load      func() (inFlight, waiting int)

	requests, repairs *prometheus.CounterVec
	firstEvent        prometheus.Observer
	events            prometheus.Counter

	mu       sync.Mutex
	minutes  [upstreamMinutes]upstreamMinute // the present one stands at its number modulo their count
	firsts   []time.Duration                 // the latest, in a ring
	at       int                             // where the next one goes
	repaired map[string]int64
	last     *controlapi.UpstreamError
}

// These bound what is shown as recent: whole minutes, the present one included, and at most
// so many times of the first event.
const (
	upstreamMinutes = 5
	upstreamFirsts  = 256
)

type upstreamMinute struct{ number, requests, failed int64 }

// Upstream is the one of this name: that of its agent. The URL is what may be shown of where
// it is, and load is asked what is under way. It may be called once for each name, before
// the metrics are a Server's.
func (m *Metrics) Upstream(name, url string, load func() (inFlight, waiting int)) *Upstream {
	u := &Upstream{name: name, url: url, load: load, repaired: map[string]int64{},
		requests: m.upstreamRequests.MustCurryWith(prometheus.Labels{"upstream": name}), repairs: m.upstreamRepairs.MustCurryWith(prometheus.Labels{"upstream": name}),
		firstEvent: m.upstreamFirst.WithLabelValues(name), events: m.upstreamEvents.WithLabelValues(name)}
	m.upstreams = append(m.upstreams, u)
	return u
}

// UpstreamRequest is a request to an upstream that is over.
type UpstreamRequest struct {
	// Code is "" for one that ended in order, UpstreamCancelled for one that was not let
	// end, or says how it failed. Codes are from a fixed list.
	Code       string
	FirstEvent time.Duration // 0: none came
	Events     int64
}

// UpstreamCancelled is the code of a request that was given up here.
const UpstreamCancelled = "cancelled"

// Ended counts a request.
func (u *Upstream) Ended(r UpstreamRequest) {
	u.requests.WithLabelValues(cmp.Or(r.Code, "ok")).Inc()
	u.events.Add(float64(r.Events))
	if r.FirstEvent > 0 {
		u.firstEvent.Observe(r.FirstEvent.Seconds())
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	now := time.Now()
	m := u.minute(now)
	m.requests++
	if r.FirstEvent > 0 {
		u.noteFirst(r.FirstEvent)
	}
	if r.Code != "" && r.Code != UpstreamCancelled {
		m.failed++
		u.last = &controlapi.UpstreamError{Code: r.Code, At: now.UTC()}
	}
}

func (u *Upstream) noteFirst(took time.Duration) {
	if len(u.firsts) < upstreamFirsts {
		u.firsts = append(u.firsts, took)
		return
	}
	u.firsts[u.at] = took
	u.at = (u.at + 1) % upstreamFirsts
}

// Repaired counts what was put right in what came. Kinds are from a fixed list.
func (u *Upstream) Repaired(kind string) {
	u.repairs.WithLabelValues(kind).Inc()
	u.mu.Lock()
	defer u.mu.Unlock()
	u.repaired[kind]++
}

// minute is the present one.
func (u *Upstream) minute(now time.Time) *upstreamMinute {
	number := now.Unix() / 60
	m := &u.minutes[number%upstreamMinutes]
	if m.number != number {
		*m = upstreamMinute{number: number}
	}
	return m
}

func (u *Upstream) status() controlapi.Upstream {
	s := controlapi.Upstream{Name: u.name, URL: u.url}
	s.InFlight, s.Waiting = u.load()
	u.mu.Lock()
	defer u.mu.Unlock()
	now := time.Now()
	oldest := u.minute(now).number - upstreamMinutes + 1
	for _, m := range u.minutes {
		if m.number >= oldest {
			s.Requests += m.requests
			s.Failed += m.failed
		}
	}
	s.Seconds = now.Unix() - 60*oldest
	if firsts := slices.Sorted(slices.Values(u.firsts)); len(firsts) > 0 {
		of := func(q int) *int64 {
			ms := firsts[(len(firsts)-1)*q/100].Milliseconds()
			return &ms
		}
		s.First50, s.First95 = of(50), of(95)
	}
	s.Repairs = maps.Clone(u.repaired)
	s.Last = u.last
	return s
}

// Upstreams tells of them in the order in which they were made.
func (m *Metrics) Upstreams() []controlapi.Upstream {
	list := make([]controlapi.Upstream, len(m.upstreams))
	for i, u := range m.upstreams {
		list[i] = u.status()
	}
	return list
}

// newUpstreamLoad asks upstreams what is under way when it is asked itself.
func newUpstreamLoad(m *Metrics) prometheus.Collector {
	of := []string{"upstream"}
	return meter.OnScrape(func(tell func(string, float64, ...string)) {
		for _, u := range m.upstreams {
			inFlight, waiting := u.load()
			tell("upstream_in_flight", float64(inFlight), u.name)
			tell("upstream_waiting", float64(waiting), u.name)
		}
	},
		meter.Figure{Name: "upstream_in_flight", Help: "Requests to upstreams that are under way.", Labels: of, Type: prometheus.GaugeValue},
		meter.Figure{Name: "upstream_waiting", Help: "Requests to upstreams that wait for a place.", Labels: of, Type: prometheus.GaugeValue})
}
