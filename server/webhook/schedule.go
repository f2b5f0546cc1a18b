package webhook

import (
	"math/rand/v2"
	"time"
)

// Tries come at growing distances until a day after the first one that failed, when the
// last one is made.
const (
	firstPause = 5 * time.Second
	longest    = 4 * time.Hour
	patience   = 24 * time.Hour

	// mostAsked is for how long a target may ask to be left alone.
	mostAsked = time.Hour
)

// pause is until the next try of what has failed so many times, since so long; false:
// there is none. Asked is what the target has asked for.
func pause(failed int, since, asked time.Duration) (time.Duration, bool) {
	if since >= patience {
		return 0, false
	}
	d := firstPause
	for i := 1; i < failed && d < longest; i++ {
		d *= 3
	}
	d = min(d, longest)
	// A quarter more or less: what failed together is not tried together.
	d += time.Duration((rand.Float64() - 0.5) / 2 * float64(d))
	d = max(d, min(asked, mostAsked))
	return min(d, patience-since), true
}
