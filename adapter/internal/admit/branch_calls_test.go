package admit

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/protocol"
)

// What a branch says that was carried out in it.
func TestCallsOfABranch(t *testing.T) {
	long := `{"text":"` + strings.Repeat("x", argumentBytes) + `"}`
	var held protocol.Messages
	call := func(id, arguments, result, failed string) {
		held = append(held, protocol.Message{ID: "a-" + id, Role: protocol.RoleAssistant,
			ToolCalls: []protocol.ToolCall{{ID: id, Type: "function", Function: protocol.ToolFunction{Name: "pay", Arguments: arguments}}}})
		if result != "" || failed != "" {
			held = append(held, protocol.Message{ID: "r-" + id, Role: protocol.RoleTool, ToolCallID: id, Content: protocol.Text(result), Error: failed})
		}
	}
	for i := range maxCalls {
		call(fmt.Sprint("early", i), `{}`, "done", "")
	}
	call("done", `{"to":"Ada"}`, `{"executed":true}`, "")
	call("worded", long, "paid", "")
	call("bare", "", "paid", "")
	call("declined", `{}`, `{"executed":false,"declined":true}`, "")
	call("failed", `{}`, "no", "refused by the bank")
	call("open", `{}`, "", "")
	b, err := branch(held, 0, time.UnixMilli(1))
	if err != nil {
		t.Fatal(err)
	}
	calls := carriedOut(held)
	if len(calls) != maxCalls || calls[0].ID != "early3" || calls[maxCalls-3] != (Call{ID: "done", Name: "pay", Arguments: `{"to":"Ada"}`}) ||
		calls[maxCalls-2] != (Call{ID: "worded", Name: "pay"}) || calls[maxCalls-1] != (Call{ID: "bare", Name: "pay", Arguments: "{}"}) {
		t.Errorf("%v", calls)
	}
	if about := string(b.About); !strings.Contains(about, `{"id":"done","name":"pay","arguments":"{\"to\":\"Ada\"}"}`) {
		t.Error(about)
	}
}

// What is kept of calls has a bound, whatever an agent calls them and writes into them.
func TestCallsOfABranchAreBounded(t *testing.T) {
	escaped := `{"text":"` + strings.Repeat("<", 2000) + `"}`
	for name, c := range map[string]struct {
		call        Call
		kept, whole int // the calls, and those with their arguments
	}{
		"short":          {Call{Name: "pay", Arguments: `{"to":"Ada"}`}, maxCalls, maxCalls},
		"long names":     {Call{Name: strings.Repeat("n", 6000), Arguments: "{}"}, 2, 2},
		"too long a one": {Call{Name: strings.Repeat("n", callsBytes), Arguments: "{}"}, 0, 0},
		"escaped":        {Call{Name: "write", Arguments: escaped}, maxCalls, 1},
	} {
		t.Run(name, func(t *testing.T) {
			calls := make([]Call, maxCalls)
			for i := range calls {
				calls[i] = c.call
			}
			calls = bounded(calls)
			whole := 0
			for _, c := range calls {
				if c.Arguments != "" {
					whole++
				}
			}
			text, err := json.Marshal(calls)
			if err != nil {
				t.Fatal(err)
			}
			if len(calls) != c.kept || whole != c.whole || len(text) > callsBytes+maxCalls+2 {
				t.Errorf("%d calls, %d whole, %d bytes", len(calls), whole, len(text))
			}
		})
	}
}
