package server

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/metrics"
)

func TestMetricsOfWork(t *testing.T) {
	m, asked := metrics.New(), 0
	var failed error
	w := newWork(func(context.Context) ([]store.WorkStats, error) {
		asked++
		return []store.WorkStats{{Agent: "", Waiting: 5, Pending: 2, Oldest: 3 * time.Second}, {Agent: "other"}}, failed
	})
	if err := m.Registry().Register(w); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		name, agent string
		n           float64
	}{
		{"waiting", "", 5}, {"pending", "", 2}, {"oldest_seconds", "", 3}, {"waiting", "other", 0},
	} {
		if n := value(t, m, "aguiws_work_"+want.name, want.agent); n != want.n {
			t.Errorf("%s of %q is %v", want.name, want.agent, n)
		}
		w.asked = time.Now().Add(time.Hour) // however long the test takes, this is not asked for again
	}
	if asked != 1 {
		t.Errorf("the store was asked %d times at once", asked)
	}
	w.asked, failed = time.Time{}, errors.New("away")
	if n := value(t, m, "aguiws_work_waiting", ""); n != 0 {
		t.Errorf("%v wait where nobody knows", n)
	}
	w.asked = time.Now().Add(time.Hour)
	if _, err := w.WorkStats(t.Context()); !errors.Is(err, failed) || asked != 2 {
		t.Errorf("a store that is away was asked %d times at once: %v", asked-1, err)
	}
}
