package cli

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
)

// crashHook kills the process as a crash would when a run reaches the named
// point, "point" or "point:N" for the N-th time. It is for tests of recovery.
func crashHook(at string) func(string) {
	if at == "" {
		return nil
	}
	point, nth, _ := strings.Cut(at, ":")
	left := new(atomic.Int64)
	left.Store(1)
	if n, err := strconv.ParseInt(nth, 10, 64); err == nil {
		left.Store(n)
	}
	return func(reached string) {
		if reached == point && left.Add(-1) == 0 {
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Kill()
			}
			select {}
		}
	}
}
