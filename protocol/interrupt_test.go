package protocol

import "testing"

func TestCheckReason(t *testing.T) {
	for _, test := range []struct {
		interrupt Interrupt
		ok        bool
	}{
		{Interrupt{Reason: ReasonToolCall, ToolCallID: "c"}, true},
		{Interrupt{Reason: ReasonToolCall}, false},
		{Interrupt{Reason: ReasonInputRequired, ResponseSchema: Any(`{}`)}, true},
		{Interrupt{Reason: ReasonInputRequired, ResponseSchema: Any(`null`)}, false},
		{Interrupt{Reason: ReasonConfirmation}, true},
		{Interrupt{Reason: "langgraph:review"}, true},
		{Interrupt{Reason: "review"}, false},
		{Interrupt{Reason: ":review"}, false},
		{Interrupt{Reason: "langgraph:"}, false},
		{Interrupt{Reason: "core:review"}, false},
		{Interrupt{Reason: "CORE:tool_call", ToolCallID: "c"}, false},
		{Interrupt{}, false},
	} {
		if err := test.interrupt.CheckReason(); (err == nil) != test.ok {
			t.Errorf("%q: %v", test.interrupt.Reason, err)
		}
	}
}
