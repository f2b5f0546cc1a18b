//go:build race

package adapter_test

import "runtime"

// The timers of a bubble of synctest share one context of the race detector, and two
// processors that find timers due at once corrupt it: the process dies of SIGSEGV in
// runtime.(*timer).maybeRunChan. To see a race the detector needs no second one.
func init() { runtime.GOMAXPROCS(1) }
