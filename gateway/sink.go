package gateway

import (
	"context"
	"encoding/json"

	"github.com/aguiws/aguiws/protocol"
)

// sink is the run that events are relayed to.
type sink interface {
	Relay(e protocol.Event, text []byte) error
	Emit(events ...protocol.Event) error
	Message(id string) (protocol.Message, bool)
	Messages() protocol.Messages
	Role(id string) (protocol.Role, bool)
	ToolCall(id string) (protocol.ToolCall, bool)
	Answered(call string) bool
	Askable(ctx context.Context, i protocol.Interrupt) error
	Fits(ctx context.Context, i protocol.Interrupt, payload json.RawMessage) bool
	NewID() string
}
