package peer

import (
	"errors"
	"fmt"

	"github.com/aguiws/aguiws/server/internal/unacked"
)

// Close codes of RFC 6455 and its registry.
const (
	StatusNormalClosure   = 1000
	StatusUnsupportedData = 1003
	StatusInvalidPayload  = 1007
	StatusPolicyViolation = 1008
	StatusMessageTooBig   = 1009
	StatusInternalError   = 1011
	StatusServiceRestart  = 1012
	StatusTryAgainLater   = 1013
)

// Close codes beyond those, as docs/binding/codes.md lists them. After those
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
	CloseEnded     = &Closing{StatusNormalClosure, "the run has ended"}
	CloseBinary    = &Closing{StatusUnsupportedData, "text frames only"}
	CloseUTF8      = &Closing{StatusInvalidPayload, "not UTF-8"}
	CloseTooBig    = &Closing{StatusMessageTooBig, "the frame is over maxFrameBytes: of its messages send only those that are new to the thread"}
	CloseFault     = &Closing{StatusInternalError, "server fault"}
	CloseOverload  = &Closing{StatusTryAgainLater, "overloaded"}
	CloseSlow      = &Closing{StatusPolicyViolation, "the frame came too slowly"}
	CloseFlood     = &Closing{StatusPolicyViolation, "too many control frames or fragments"}
	CloseDraining  = &Closing{StatusServiceRestart, "draining"}
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
	case errors.Is(err, unacked.ErrStalled):
		return CloseStalled
	default:
		return CloseGone
	}
}
