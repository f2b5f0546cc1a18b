package adapter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// bindingPrefix begins the types of frames by which servers and clients of the WebSocket
// binding speak about events.
const bindingPrefix = "ws."

// Relay is Emit of an event that somebody else has encoded: e is what protocol.Decode made
// of text, and text is logged and sent byte for byte, whatever the order of its members and
// however its numbers are written. Only what must be other than it came is encoded anew: a
// chunk, which is expanded, an event of a subagent that a takeover has renamed, and the
// white space of a text that spans lines. A text of nil is encoded.
//
// The caller sees to it that text says what e does: the order rules, the thread's messages
// and state go by e, clients by text. Relay keeps both, and a part of a larger buffer keeps
// all of that, so neither must be changed afterwards.
//
// An event of a type that this version does not know (*protocol.Unknown) is relayed as well.
// It is told to clients of AG-UI 1.0 and later, which leave it aside if they do not know it
// either, on WebSockets to all; not to older ones over HTTP, which fail on it. It opens,
// changes and restates nothing, so who attaches later and is told the thread by snapshots
// does not see it. Types that begin with "ws." are refused: in the WebSocket binding they
// are no events.
func (r *Run) Relay(e protocol.Event, text []byte) error {
	if unknown, ok := e.(*protocol.Unknown); ok {
		if strings.HasPrefix(string(unknown.Name), bindingPrefix) {
			return fmt.Errorf("adapter: relay: %.64q is no event's type: %s is the binding's own", unknown.Name, bindingPrefix)
		}
	}
	text, err := oneLine(text)
	if err != nil {
		return err
	}
	return r.x.Relay(e, text)
}

// oneLine is an event's text without line breaks, which within JSON are white space.
func oneLine(text []byte) ([]byte, error) {
	if text == nil {
		return nil, nil
	}
	text = bytes.TrimSpace(text)
	if !bytes.HasPrefix(text, []byte("{")) || !bytes.HasSuffix(text, []byte("}")) {
		return nil, fmt.Errorf("adapter: relay: a text of %d bytes is no JSON object", len(text))
	}
	if bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') < 0 {
		return text, nil
	}
	var line bytes.Buffer
	line.Grow(len(text))
	if err := json.Compact(&line, text); err != nil {
		return nil, fmt.Errorf("adapter: relay: %w", err)
	}
	return line.Bytes(), nil
}
