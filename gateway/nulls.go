package gateway

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/aguiws/aguiws/protocol"
)

var null = []byte("null")

// mayBeNull are members of events in which null is a value.
var mayBeNull = []string{"snapshot", "event", "value"}

// decodeWithoutNull reads an event whose members are null where they should be left out, as
// some encoders write them; nil: that is not what is wrong with it.
func decodeWithoutNull(text []byte) protocol.Event {
	var members map[string]json.RawMessage
	if !bytes.Contains(text, null) || json.Unmarshal(text, &members) != nil {
		return nil
	}
	before := len(members)
	for name, value := range members {
		if bytes.Equal(value, null) && !slices.Contains(mayBeNull, name) {
			delete(members, name)
		}
	}
	if len(members) == before {
		return nil
	}
	without, err := json.Marshal(members)
	if err != nil {
		return nil
	}
	e, err := protocol.Decode(without)
	if err != nil {
		return nil
	}
	return e
}

// withoutNull is the text of an event in which null stands for nothing: made anew, because
// clients fail on it.
func (r *relay) withoutNull(e protocol.Event, text []byte) []byte {
	if _, unknown := e.(*protocol.Unknown); unknown {
		return text
	}
	without, err := protocol.Encode(e)
	if err != nil || bytes.Count(without, null) >= bytes.Count(text, null) {
		return text
	}
	r.repaired(RepairNull)
	return without
}
