package protocol

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// What holds folds up to a budget counts on their weight, whatever a client has put
// where into its messages.
func TestFoldWeighsWhatClientsSend(t *testing.T) {
	const many = 10_000
	large := strings.Repeat("x", 1<<20)
	calls, parts := make([]ToolCall, many), make([]Part, many)
	for i := range calls {
		calls[i], parts[i] = ToolCall{ID: fmt.Sprint(i)}, Part{Type: PartText}
	}
	open := json.RawMessage(`"` + large + `"`)
	for name, m := range map[string]Message{
		"text":            {Content: Text(large)},
		"metadata":        {Metadata: Metadata{"k": open}},
		"an error":        {Error: large},
		"a name":          {Name: large},
		"a call's id":     {ToolCallID: large},
		"what is sealed":  {EncryptedValue: large},
		"a subagent's id": {SubagentRunID: &large},
		"a call's name":   {ToolCalls: []ToolCall{{Function: ToolFunction{Name: large}}}},
		"a call's data":   {ToolCalls: []ToolCall{{Metadata: Metadata{"k": open}}}},
		"a part's data":   {Content: &Content{kind: contentParts, parts: []Part{{Type: PartText, Metadata: Any(open)}}}},
		"many calls":      {ToolCalls: calls},
		"many parts":      {Content: &Content{kind: contentParts, parts: parts}},
	} {
		t.Run(name, func(t *testing.T) {
			m.ID, m.Role = "m", RoleAssistant
			if w := NewFold(Messages{m}, nil).Weight(); w < 1<<20 {
				t.Errorf("it weighs %d", w)
			}
		})
	}
}
