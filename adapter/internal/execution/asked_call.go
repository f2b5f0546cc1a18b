package execution

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// shows refuses questions about a call that people would not see as it is. Clients add up
// what they are told of one call id: the arguments of two calls stand behind each other there,
// under the name of the first one.
func (x *execution) shows(interrupts []protocol.Interrupt, calls []store.SuspendedCall) error {
	names := map[string]string{}
	for _, c := range calls {
		names[c.ID] = c.Name
	}
	for _, i := range interrupts {
		shown, known := x.fold.Call(i.ToolCallID)
		if i.ToolCallID == "" || !known {
			continue
		}
		name, called := names[i.ToolCallID]
		if called && name != shown.Function.Name || isSeveral(shown.Function.Arguments) {
			return fmt.Errorf("adapter: Ask: the thread has several calls of the id %.80q, and would show another one: give each call an id of its own, as Run.NewID does", i.ToolCallID)
		}
	}
	return nil
}

// isSeveral reports whether a text is more than one JSON value.
func isSeveral(args string) bool {
	decoder := json.NewDecoder(strings.NewReader(args))
	var first json.RawMessage
	if decoder.Decode(&first) != nil {
		return false
	}
	return strings.TrimSpace(args[decoder.InputOffset():]) != ""
}
