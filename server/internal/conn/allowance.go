package conn

import "time"

// allowanceSeconds is for how many seconds' worth a peer may send at once.
const allowanceSeconds = 20

// allowance is how many small frames a peer may send.
type allowance struct {
	each float64 // a second; 0: no bound
	left float64
	at   time.Time
}

func newAllowance(each float64) allowance {
	a := allowance{each: each}
	a.renew()
	return a
}

// renew lets the peer send as many at once as in the beginning.
func (a *allowance) renew() { a.left = a.each * allowanceSeconds }

// take takes so many, or reports that there are not as many left.
func (a *allowance) take(n int, now time.Time) bool {
	if a.each <= 0 {
		return true
	}
	if !a.at.IsZero() {
		a.left = min(a.left+now.Sub(a.at).Seconds()*a.each, a.each*allowanceSeconds)
	}
	a.at = now
	a.left -= float64(n)
	return a.left >= 0
}
