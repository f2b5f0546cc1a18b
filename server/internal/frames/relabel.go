package frames

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

// frequent are the types that most events have: they are told apart without making a
// string.
var frequent = [...]protocol.EventType{protocol.TypeTextMessageContent, protocol.TypeToolCallArgs, protocol.TypeReasoningMessageContent}

// TypeOf reads an event's type. An event that the protocol package encodes has it first;
// one that a relayed agent sent need not.
func TypeOf(event []byte) protocol.EventType {
	if rest, ok := bytes.CutPrefix(event, []byte(`{"type":"`)); ok {
		if end := bytes.IndexByte(rest, '"'); end > 0 && bytes.IndexByte(rest[:end], '\\') < 0 {
			for _, kind := range frequent {
				if string(kind) == string(rest[:end]) {
					return kind
				}
			}
			return protocol.EventType(rest[:end])
		}
	}
	members, _ := strictjson.Members(event)
	kind, _ := strictjson.Text(members["type"])
	return protocol.EventType(kind)
}

// LabelOf is the runId of an event that has one.
func LabelOf(event []byte) string {
	members, _ := strictjson.Members(event)
	label, _ := strictjson.Text(members["runId"])
	return label
}

// Relabel writes the runId that the client asked under into the events that
// carry one.
func Relabel(event []byte, label string) ([]byte, error) {
	switch TypeOf(event) {
	case protocol.TypeRunStarted, protocol.TypeRunFinished:
	default:
		return event, nil
	}
	e, err := protocol.Decode(event)
	switch e := e.(type) {
	case *protocol.RunStarted:
		if e.RunID == label {
			return event, nil
		}
		e.RunID = label
		if e.Input != nil {
			e.Input.RunID = label
		}
	case *protocol.RunFinished:
		if e.RunID == label {
			return event, nil
		}
		e.RunID = label
	default:
		return nil, fmt.Errorf("server: log: %w", errors.Join(errors.New("not a run's boundary"), err))
	}
	return protocol.Encode(e)
}

// Tells reports whether an event is about its run alone. Snapshots are about the
// thread, and changes of the state make sense only to who has had one.
func Tells(event []byte) bool {
	switch TypeOf(event) {
	case protocol.TypeMessagesSnapshot, protocol.TypeStateSnapshot, protocol.TypeStateDelta:
		return false
	}
	return true
}
