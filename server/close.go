package server

import (
	"errors"
	"fmt"

	"github.com/coder/websocket"
)

// Close codes beyond those of RFC 6455, as BINDING.md lists them. After those
// below 4400 that say so, after 4401 with a new credential, and after 4408, a
// client comes back; after 4400 it does not.
const (
	StatusMalformed    websocket.StatusCode = 4400 // too many frames that are no JSON object
	StatusExpired      websocket.StatusCode = 4401 // the credential has expired or was revoked
	StatusWriteTimeout websocket.StatusCode = 4408 // the client took nothing for the write timeout
)

// closing is why a socket ends, as the cause of its context. Code 0 sends no
// close frame: the peer is gone.
type closing struct {
	code   websocket.StatusCode
	reason string // constant text: it must fit into a close frame
}

func (c *closing) Error() string {
	return fmt.Sprintf("server: socket closes: %d %s", c.code, c.reason)
}

var (
	closeGone      = &closing{0, "the peer is gone"}
	closeSilent    = &closing{0, "no pong"}
	closeBinary    = &closing{websocket.StatusUnsupportedData, "text frames only"}
	closeUTF8      = &closing{websocket.StatusInvalidFramePayloadData, "not UTF-8"}
	closeTooBig    = &closing{websocket.StatusMessageTooBig, "the frame is too large"}
	closeFault     = &closing{websocket.StatusInternalError, "server fault"}
	closeOverload  = &closing{websocket.StatusTryAgainLater, "overloaded"}
	closeDraining  = &closing{websocket.StatusServiceRestart, "draining"}
	closeMalformed = &closing{StatusMalformed, "too many malformed frames"}
	closeExpired   = &closing{StatusExpired, "the credential has expired"}
	closeStalled   = &closing{StatusWriteTimeout, "write timeout"}
)

// closingOf says how a socket ends on err. What is no *closing is our fault.
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
	case errors.Is(err, errStalled):
		return closeStalled
	default:
		return closeGone
	}
}
