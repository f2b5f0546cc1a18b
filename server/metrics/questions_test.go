package metrics

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/aguiws/aguiws/adapter/store"
)

type others = interface {
	Review(context.Context, store.ThreadKey, string, time.Duration) ([]string, bool, error)
	Assign(context.Context, store.ThreadKey, string, time.Duration) (bool, error)
	Drafts(context.Context, store.ThreadKey, int64, string, map[string]json.RawMessage) (map[string]json.RawMessage, bool, error)
}

// waiting is an inbox with some threads, the oldest since a time.
type waiting struct {
	others
	open  int64
	since time.Time
	err   error
}

func (w *waiting) CountInbox(_ context.Context, q store.InboxCount) (store.InboxTotals, error) {
	if !q.AllTenants {
		return store.InboxTotals{}, errors.New("of one tenant")
	}
	return store.InboxTotals{Waiting: map[string]int64{"": w.open}}, w.err
}

func (w *waiting) Inbox(context.Context, store.InboxQuery) (store.InboxPage, error) {
	return store.InboxPage{Items: []store.InboxItem{{Since: w.since}}}, w.err
}

func TestOpenQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		for name, c := range map[string]struct {
			inbox     waiting
			open, age float64
			told      bool
		}{
			"none":                 {waiting{}, 0, 0, true},
			"three":                {waiting{open: 3, since: now.Add(-time.Hour)}, 3, 3600, true},
			"a clock that is fast": {waiting{open: 1, since: now.Add(time.Hour)}, 1, 0, true},
			"nobody knows":         {waiting{err: errors.New("away")}, 0, 0, false},
		} {
			m := New()
			m.registry.MustRegister(newQuestions(&c.inbox))
			open, age := sampled(t, m, "aguiws_open_questions", nil), sampled(t, m, "aguiws_open_questions_oldest_seconds", nil)
			families, err := m.registry.Gather()
			told := slices.ContainsFunc(families, func(f *dto.MetricFamily) bool { return f.GetName() == "aguiws_open_questions" })
			if open != c.open || age != c.age || told != c.told || err != nil {
				t.Errorf("%s: %v open, the oldest for %v s, told: %v, %v", name, open, age, told, err)
			}
		}
	})
}
