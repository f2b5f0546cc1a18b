package node

import (
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// A store is down when it does not answer, and not when others are ahead of its callers again and again.
func TestAStoreWhoseCallersAreOvertakenAnswers(t *testing.T) {
	for err, available := range map[error]bool{store.ErrMoved: true, store.ErrOutcomeUnknown: false} {
		synctest.Test(t, func(t *testing.T) {
			h := NewStoreHealth(slog.New(slog.DiscardHandler), func() {})
			for range 3 {
				began := h.now()
				time.Sleep(2 * storeSilence)
				h.outcome(began, fmt.Errorf("read: %w", err))
			}
			if h.Available() != available {
				t.Errorf("after %v, the store is available: %v", err, !available)
			}
		})
	}
}
