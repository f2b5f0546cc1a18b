package judge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/protocol"
)

// What an input of some megabytes holds takes time in proportion, whoever makes it: the
// bound is a hundred times what that is, and a tenth of its square.
func TestLargeInputs(t *testing.T) {
	const n, bound = 100_000, 8 * time.Second
	list := func(format string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	calls := make([]protocol.ToolCall, n)
	for i := range calls {
		calls[i] = protocol.ToolCall{ID: fmt.Sprint("c", i), Function: protocol.ToolFunction{Name: "f", Arguments: "{}"}}
	}
	many := protocol.Messages{{ID: "m", Role: protocol.RoleAssistant, ToolCalls: calls}}
	held := protocol.NewFold(many, nil)
	for name, judges := range map[string]func(){
		"a command for many questions": func() {
			c := CommandOf(&protocol.RunAgentInput{ForwardedProps: protocol.Any(`{"command":{"resume":{` + list(`"i%d":1`) + `},"interruptEvent":{"interrupts":[` + list(`{"id":"i%d"}`) + `]}}}`)})
			if got := len(c.payloads(c.Named())); got != n {
				t.Errorf("%d answers", got)
			}
		},
		"a message with many calls": func() { behind(many, held) },
		"many calls, recognised":    func() { recognised(&protocol.RunAgentInput{Messages: many}, held) },
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			judges()
			if took := time.Since(began); took > bound {
				t.Errorf("it takes %v", took)
			}
		})
	}
}
