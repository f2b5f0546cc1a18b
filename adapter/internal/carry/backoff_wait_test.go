package carry

import (
	"testing"
	"time"
)

// Each attempt waits twice as long as the one before, from a quarter of a second to half a
// minute, whatever is counted.
func TestWaitsBetweenAttempts(t *testing.T) {
	for tries, want := range map[int]time.Duration{
		-1: 250 * time.Millisecond, 0: 250 * time.Millisecond, 1: 250 * time.Millisecond, 2: 500 * time.Millisecond, 3: time.Second,
		7: 16 * time.Second, 8: 30 * time.Second, 9: 30 * time.Second, 1 << 40: 30 * time.Second,
	} {
		if got := retryAfter(tries); got != want {
			t.Errorf("after %d attempts it waits %v", tries, got)
		}
	}
}
