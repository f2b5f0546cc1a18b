package fold

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// What holds folds up to a budget counts on their weight, whatever a client has put
// where into its messages.
func TestFoldWeighsWhatClientsSend(t *testing.T) {
	const many = 10_000
	large := strings.Repeat("x", 1<<20)
	calls, parts := make([]protocol.ToolCall, many), make([]protocol.Part, many)
	for i := range calls {
		calls[i], parts[i] = protocol.ToolCall{ID: fmt.Sprint(i)}, protocol.Part{Type: protocol.PartText}
	}
	open := json.RawMessage(`"` + large + `"`)
	for name, m := range map[string]protocol.Message{
		"text":            {Content: protocol.Text(large)},
		"metadata":        {Metadata: protocol.Metadata{"k": open}},
		"an error":        {Error: large},
		"a name":          {Name: large},
		"a call's id":     {ToolCallID: large},
		"what is sealed":  {EncryptedValue: large},
		"a subagent's id": {SubagentRunID: &large},
		"a call's name":   {ToolCalls: []protocol.ToolCall{{Function: protocol.ToolFunction{Name: large}}}},
		"a call's data":   {ToolCalls: []protocol.ToolCall{{Metadata: protocol.Metadata{"k": open}}}},
		"a part's data":   {Content: protocol.PartsOf(protocol.Part{Type: protocol.PartText, Metadata: protocol.Any(open)})},
		"many calls":      {ToolCalls: calls},
		"many parts":      {Content: protocol.PartsOf(parts...)},
	} {
		t.Run(name, func(t *testing.T) {
			m.ID, m.Role = "m", protocol.RoleAssistant
			if w := New(protocol.Messages{m}, nil).Weight(); w < 1<<20 {
				t.Errorf("it weighs %d", w)
			}
		})
	}
}
