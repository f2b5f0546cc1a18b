package peer

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/aguiws/aguiws/server/identity"
)

// tellCredentialsEvery is how often the log warns of one reason: anybody can send
// credentials that are refused.
const tellCredentialsEvery = time.Minute

// refusedCredentials are, by reason, when the log warned last, and how many were refused
// since.
type refusedCredentials struct {
	mu    sync.Mutex
	told  map[identity.Reason]time.Time
	since map[identity.Reason]int
}

// due counts one and reports how many there were since the last warning; 0: it is not
// time for another.
func (c *refusedCredentials) due(reason identity.Reason, now time.Time) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.told == nil {
		c.told, c.since = map[identity.Reason]time.Time{}, map[identity.Reason]int{}
	}
	c.since[reason]++
	if last, told := c.told[reason]; told && now.Sub(last) < tellCredentialsEvery {
		return 0
	}
	n := c.since[reason]
	c.told[reason], c.since[reason] = now, 0
	return n
}

var errUnreadableBearer = &identity.RefusedError{Reason: identity.ReasonMalformed, Detail: "the Authorization header or the bearer subprotocol holds no token that can be read"}

// credentialRefused tells the log and the metrics why a credential was not taken. A
// client that sends none may not know yet that it needs one: that is for who debugs.
func (s *Gate) credentialRefused(ctx context.Context, address string, err error) {
	why := &identity.RefusedError{Reason: identity.ReasonOther, Detail: err.Error()}
	if errors.As(err, &why); !slices.Contains(identity.Reasons, why.Reason) {
		why = &identity.RefusedError{Reason: identity.ReasonOther, Detail: why.Detail}
	}
	s.Metrics.Credentials.WithLabelValues(string(why.Reason)).Inc()
	about := []any{"reason", why.Reason, "why", why.Detail, "address", address}
	level := slog.LevelDebug
	if why.Reason != identity.ReasonMissing {
		if n := s.refusedCredentials.due(why.Reason, time.Now()); n > 0 {
			level, about = slog.LevelWarn, append(about, "refused", n)
		}
	}
	s.Options.Logger.Log(ctx, level, "a credential was refused; a warning of each reason comes at most once a minute", about...)
}
