package conn

import (
	"errors"
	"os"
	"time"

	"github.com/aguiws/aguiws/server/internal/unacked"
)

// waits is how long a write takes at least when the connection's buffers are
// full: what is taken then is taken by the peer, not by the kernel.
const waits = 100 * time.Millisecond

// errAborted reports that writing was given up because the connection closes.
var errAborted = errors.New("conn: writing was given up")

// writeAll blocks as long as the peer takes something of b within the timeout.
// It holds up whoever flushes: a session that makes no more until then.
func (o *outbound) writeAll(b []byte) error {
	since := time.Now() // when the peer last took something
	for len(b) > 0 {
		// Looking several times within the timeout tells progress in time.
		// Under the lock, so that it cannot undo the deadline of giveUp.
		o.mu.Lock()
		o.unsent = len(b)
		deadline, last := time.Now().Add(o.timeout/4), false
		if !o.until.IsZero() && o.until.Before(deadline) {
			deadline, last = o.until, true
		}
		err := o.SetWriteDeadline(deadline)
		o.mu.Unlock()
		if err != nil {
			return err
		}

		began := time.Now()
		n, err := o.Conn.Write(b)
		b = b[n:]

		now := time.Now()
		o.mu.Lock()
		o.unsent = len(b)
		if n > 0 {
			since = now
			if now.Sub(began) >= waits {
				o.slow = now
			}
		}
		last = last || !o.until.IsZero() && !o.until.After(now)
		o.mu.Unlock()
		late := errors.Is(err, os.ErrDeadlineExceeded)
		switch {
		case late && last:
			return errAborted
		case late && now.Sub(since) >= o.timeout:
			return unacked.ErrStalled
		case err != nil && !late:
			return err
		}
	}
	return nil
}

// aliveSince reports whether the peer sent something since t, or is slow but
// took something that it had let wait.
func (o *outbound) aliveSince(t time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.brought.After(t) || o.slow.After(t)
}

// giveUp makes a Flush that waits for the peer return errAborted at that time.
// After finish it does nothing.
func (o *outbound) giveUp(at time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.direct {
		return
	}
	o.until = at
	if o.unsent > 0 {
		o.SetWriteDeadline(at)
	}
}
