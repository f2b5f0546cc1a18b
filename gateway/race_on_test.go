//go:build race

package gateway

import (
	"runtime"
	"testing"
)

// race says whether races are looked for.
const race = true

// alone has the timers of a bubble of synctest found due by one processor: they share one
// context of the race detector, which two would corrupt.
func alone(t *testing.T) {
	t.Helper()
	before := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}
