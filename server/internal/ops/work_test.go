package ops

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/aguiws/aguiws/adapter/store"
)

func TestMetricsOfWork(t *testing.T) {
	asked := 0
	var failed error
	w := NewWork(func(context.Context) ([]store.WorkStats, error) {
		asked++
		return []store.WorkStats{{Agent: "", Waiting: 5, Pending: 2, Oldest: 3 * time.Second}, {Agent: "other"}}, failed
	})
	for _, want := range []struct {
		name, agent string
		n           float64
	}{
		{"waiting", "", 5}, {"pending", "", 2}, {"oldest_seconds", "", 3}, {"waiting", "other", 0},
	} {
		if n := gauge(t, w, "aguiws_work_"+want.name, want.agent); n != want.n {
			t.Errorf("%s of %q is %v", want.name, want.agent, n)
		}
		w.asked = time.Now().Add(time.Hour) // however long the test takes, this is not asked for again
	}
	if asked != 1 {
		t.Errorf("the store was asked %d times at once", asked)
	}
	w.asked, failed = time.Time{}, errors.New("away")
	if n := gauge(t, w, "aguiws_work_waiting", ""); n != 0 {
		t.Errorf("%v wait where nobody knows", n)
	}
	w.asked = time.Now().Add(time.Hour)
	if _, err := w.WorkStats(t.Context()); !errors.Is(err, failed) || asked != 2 {
		t.Errorf("a store that is away was asked %d times at once: %v", asked-1, err)
	}
}

// gauge is what a collector says under a name and a label.
func gauge(t *testing.T, c prometheus.Collector, name, label string) float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, each := range f.GetMetric() {
			if f.GetName() == name && each.GetLabel()[0].GetValue() == label {
				return each.GetGauge().GetValue()
			}
		}
	}
	return 0
}
