package peer

import (
	"errors"
	"fmt"

	"github.com/aguiws/aguiws/server/internal/conn"
)

// Close codes beyond those of RFC 6455, as docs/binding/codes.md lists them. After those
// below 4400 that say so, after 4401 with a new credential, and after 4408, a
// client comes back; after 4400 it does not.
const (
	StatusMalformed    = 4400 // too many frames that are no JSON object
	StatusExpired      = 4401 // the credential has expired or was revoked
	StatusWriteTimeout = 4408 // the client took nothing for the write timeout
)

// Closing is why a socket ends, as the cause of its context. Code 0 sends no
// close frame: the peer is gone.
type Closing struct {
	Code   int
	Reason string // constant text: it must fit into a close frame
}

func (c *Closing) Error() string {
	return fmt.Sprintf("server: socket closes: %d %s", c.Code, c.Reason)
}

var (
	CloseGone      = &Closing{0, "the peer is gone"}
	CloseSilent    = &Closing{0, "no pong"}
	CloseEnded     = &Closing{conn.StatusNormalClosure, "the run has ended"}
	CloseBinary    = &Closing{conn.StatusUnsupportedData, "text frames only"}
	CloseUTF8      = &Closing{conn.StatusInvalidPayload, "not UTF-8"}
	CloseTooBig    = &Closing{conn.StatusMessageTooBig, "the frame is over maxFrameBytes: of its messages send only those that are new to the thread"}
	CloseFault     = &Closing{conn.StatusInternalError, "server fault"}
	CloseOverload  = &Closing{conn.StatusTryAgainLater, "overloaded"}
	CloseSlow      = &Closing{conn.StatusPolicyViolation, "the frame came too slowly"}
	CloseFlood     = &Closing{conn.StatusPolicyViolation, "too many control frames or fragments"}
	CloseDraining  = &Closing{conn.StatusServiceRestart, "draining"}
	CloseMalformed = &Closing{StatusMalformed, "too many malformed frames"}
	CloseExpired   = &Closing{StatusExpired, "the credential has expired"}
	CloseStalled   = &Closing{StatusWriteTimeout, "write timeout"}
)

// ClosingOf says how a socket ends on err. An error that is no *closing is the server's
// fault.
func ClosingOf(err error) *Closing {
	if c, ok := errors.AsType[*Closing](err); ok {
		return c
	}
	return CloseFault
}

// Writing says how a socket ends that could not be written to.
func Writing(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, conn.ErrStalled):
		return CloseStalled
	default:
		return CloseGone
	}
}
