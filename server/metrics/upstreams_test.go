package metrics

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"
)

func sampled(t *testing.T, m *Metrics, name string, labels []string) float64 {
	t.Helper()
	families, err := m.Registry().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, each := range f.GetMetric() {
			if f.GetName() == name && slices.EqualFunc(each.GetLabel(), labels, func(p *dto.LabelPair, v string) bool { return p.GetValue() == v }) {
				return each.GetCounter().GetValue() + each.GetGauge().GetValue() + float64(each.GetHistogram().GetSampleCount())
			}
		}
	}
	return 0
}

// What is shown of an upstream is of the last minutes, of the latest requests, and since
// the process began, each as it says.
func TestUpstreamIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New()
		u := m.Upstream("far", "http://far/", func() (inFlight, waiting int) { return 3, 4 })
		for i := range 300 {
			u.Ended(UpstreamRequest{FirstEvent: time.Duration(i+1) * time.Millisecond, Events: 2})
		}
		u.Repaired("open_at_end")
		u.Ended(UpstreamRequest{Code: "upstream_failed"})
		u.Ended(UpstreamRequest{Code: "upstream_timeout"})
		u.Ended(UpstreamRequest{Code: UpstreamCancelled})
		for _, want := range []struct {
			n      float64
			name   string
			labels []string
		}{
			{300, "requests_total", []string{"ok", "far"}},
			{1, "requests_total", []string{"cancelled", "far"}},
			{1, "requests_total", []string{"upstream_failed", "far"}},
			{3, "in_flight", []string{"far"}},
			{4, "waiting", []string{"far"}},
			{300, "first_event_seconds", []string{"far"}},
			{600, "events_total", []string{"far"}},
			{1, "repairs_total", []string{"open_at_end", "far"}},
		} {
			if n := sampled(t, m, "aguiws_upstream_"+want.name, want.labels); n != want.n {
				t.Errorf("%s%v is %v", want.name, want.labels, n)
			}
		}
		s := m.Upstreams()[0]
		if s.Name != "far" || s.Requests != 303 || s.Failed != 2 || s.InFlight != 3 || s.Waiting != 4 || s.Repairs["open_at_end"] != 1 || s.Seconds < 240 || s.Seconds > 300 {
			t.Errorf("%+v", s)
		}
		if *s.First50 != 172 || *s.First95 != 287 { // of 45 to 300
			t.Errorf("first events %d and %d", *s.First50, *s.First95)
		}
		if s.Last == nil || s.Last.Code != "upstream_timeout" {
			t.Errorf("%+v", s.Last)
		}
		time.Sleep(4 * time.Minute)
		u.Ended(UpstreamRequest{})
		if s := m.Upstreams()[0]; s.Requests != 304 {
			t.Errorf("%d requests after four minutes", s.Requests)
		}
		time.Sleep(time.Minute)
		if s := m.Upstreams()[0]; s.Requests != 1 || s.Failed != 0 || s.Last == nil {
			t.Errorf("after five minutes %+v", s)
		}
	})
}

func TestUpstreamNothingYet(t *testing.T) {
	m := New()
	m.Upstream("far", "http://far/", func() (inFlight, waiting int) { return 0, 0 })
	if s := m.Upstreams()[0]; s.First50 != nil || s.Last != nil || fmt.Sprint(s.Requests, s.Failed) != "0 0" {
		t.Errorf("%+v", s)
	}
}
