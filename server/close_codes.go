package server

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

// closing is why a socket ends, as the cause of its context. Code 0 sends no
// close frame: the peer is gone.
type closing struct {
	code   int
	reason string // constant text: it must fit into a close frame
}

func (c *closing) Error() string {
	return fmt.Sprintf("server: socket closes: %d %s", c.code, c.reason)
}

var (
	closeGone      = &closing{0, "the peer is gone"}
	closeSilent    = &closing{0, "no pong"}
	closeEnded     = &closing{conn.StatusNormalClosure, "the run has ended"}
	closeBinary    = &closing{conn.StatusUnsupportedData, "text frames only"}
	closeUTF8      = &closing{conn.StatusInvalidPayload, "not UTF-8"}
	closeTooBig    = &closing{conn.StatusMessageTooBig, "the frame is over maxFrameBytes: of its messages send only those that are new to the thread"}
	closeFault     = &closing{conn.StatusInternalError, "server fault"}
	closeOverload  = &closing{conn.StatusTryAgainLater, "overloaded"}
	closeSlow      = &closing{conn.StatusPolicyViolation, "the frame came too slowly"}
	closeFlood     = &closing{conn.StatusPolicyViolation, "too many control frames or fragments"}
	closeDraining  = &closing{conn.StatusServiceRestart, "draining"}
	closeMalformed = &closing{StatusMalformed, "too many malformed frames"}
	closeExpired   = &closing{StatusExpired, "the credential has expired"}
	closeStalled   = &closing{StatusWriteTimeout, "write timeout"}
)

// closingOf says how a socket ends on err. An error that is no *closing is the server's
// fault.
func closingOf(err error) *closing {
	if c, ok := errors.AsType[*closing](err); ok {
		return c
	}
	return closeFault
}

// writing says how a socket ends that could not be written to.
func writing(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, conn.ErrStalled):
		return closeStalled
	default:
		return closeGone
	}
}
