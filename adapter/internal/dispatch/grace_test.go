package dispatch

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/execution"
)

func TestHoldersAreSparedAfterASilenceThatCostsLeases(t *testing.T) {
	const lease = 10 * time.Second
	for name, test := range map[string]struct {
		silent time.Duration
		failed bool          // the store was asked meanwhile, in vain
		took   time.Duration // how long the first answer took
		spared bool
	}{
		"asked in vain":               {silent: 8 * time.Second, failed: true, spared: true},
		"an answer that took so long": {took: 8 * time.Second, spared: true},
		"too short to cost a lease":   {silent: 4 * time.Second, failed: true},
		"nobody asked":                {silent: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := &Grace{Lease: lease, Heard: time.Now()}
				time.Sleep(test.silent)
				if test.failed {
					g.answered(time.Now(), errors.New("silent"))
				}
				if g.spares() {
					t.Error("spared while the store is silent")
				}
				asked := time.Now()
				time.Sleep(test.took)
				g.answered(asked, nil)
				if g.spares() != test.spared {
					t.Errorf("spared: %t", g.spares())
				}
				time.Sleep(execution.RenewEvery(lease))
				if g.spares() {
					t.Error("spared for ever")
				}
			})
		})
	}
}
