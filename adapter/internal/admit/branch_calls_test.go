package admit

import (
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
