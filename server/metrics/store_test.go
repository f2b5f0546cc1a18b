package metrics

import (
	"context"
	"errors"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
)

// answering takes every batch that is sent to it, and answers the same.
type answering struct {
	store.Store
	status store.CommitStatus
	err    error
}

func (a answering) Send(_ context.Context, _ store.Batch, answered func(store.CommitResult, error)) bool {
	answered(store.CommitResult{Status: a.status}, a.err)
	return true
}

// TestSentIsCounted has a store answer batches of two events for which nobody waits.
func TestSentIsCounted(t *testing.T) {
	for name, c := range map[string]struct {
		store                  answering
		logged, fenced, failed float64
	}{
		"stored": {answering{status: store.CommitOK}, 2, 0, 0},
		"fenced": {answering{status: store.CommitFenced}, 0, 1, 0},
		"failed": {answering{err: errors.New("away")}, 0, 0, 1},
	} {
		m, told := New(), false
		taken := (&meteredStore{c.store, m}).Send(t.Context(), store.Batch{Events: make([][]byte, 2)}, func(r store.CommitResult, err error) {
			told = r.Status == c.store.status && err == c.store.err
		})
		logged, fenced := sampled(t, m, "aguiws_events_logged_total", nil), sampled(t, m, "aguiws_commits_fenced_total", nil)
		failed := sampled(t, m, "aguiws_store_errors_total", []string{"commit"})
		if !taken || !told || logged != c.logged || fenced != c.fenced || failed != c.failed {
			t.Errorf("%s: taken %v, told %v: %v logged, %v fenced, %v failed", name, taken, told, logged, fenced, failed)
		}
	}
}
