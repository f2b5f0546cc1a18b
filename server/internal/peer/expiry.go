package peer

import "time"

// Expire ends the peer when its credential does. The caller stops the timer.
func (p *Peer) Expire() *time.Timer {
	if p.Identity.Expires.IsZero() {
		return nil
	}
	return time.AfterFunc(time.Until(p.Identity.Expires), func() { p.Cancel(CloseExpired) })
}
