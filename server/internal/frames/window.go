package frames

import (
	"encoding/json"

	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

// MaxWindow bounds the messages that a client asks for at once.
const MaxWindow = 1000

// pageOfMessages is how many ws.messages answers if it is not said.
const pageOfMessages = 50

// readPage reads which messages are wanted.
func (f *Frame) readPage(members map[string]json.RawMessage) *Fault {
	if before := members["before"]; before != nil {
		var ok bool
		if f.Before, ok = strictjson.Text(before); !ok {
			return Faultf(refusal.CodeInvalidFrame, "before: expected a string that the server has given")
		}
	}
	f.Limit = pageOfMessages
	return readCount(members, "limit", &f.Limit)
}

func readCount(members map[string]json.RawMessage, member string, into *int) *Fault {
	text := members[member]
	if text == nil {
		return nil
	}
	if !TellsCount(text, into) {
		return Faultf(refusal.CodeInvalidFrame, CountRule, member, MaxWindow)
	}
	return nil
}

// CountRule refuses what TellsCount does not read.
const CountRule = "%s: expected an integer from 1 to %d"

// TellsCount reads how many messages are wanted.
func TellsCount(text []byte, into *int) bool {
	var n *int
	if json.Unmarshal(text, &n) != nil || n == nil || *n < 1 || *n > MaxWindow {
		return false
	}
	*into = *n
	return true
}
