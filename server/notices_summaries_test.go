package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
)

// paying asks about two calls with a secret in front and at the end of their arguments, one of
// them too long to be shown.
func paying(secret string) adapter.Agent {
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		long := strings.Repeat("ü", 300)
		pays := func(note string) []byte { return fmt.Appendf(nil, `{"card":%q,"note":%q,"to":%[1]q}`, secret, note) }
		_, err := adapter.CallTools(ctx, run,
			adapter.ToolCall{ID: "short", Name: "pay", Args: pays("x"), Message: "Pay?"},
			adapter.ToolCall{ID: "long", Name: "pay", Args: pays(long), Message: long})
		return err
	})
}

// askingMuch asks more than a notice shows.
var askingMuch = adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
	many := make([]protocol.Interrupt, 7)
	for i := range many {
		many[i] = protocol.Interrupt{Reason: protocol.ReasonConfirmation, Message: fmt.Sprint("Which, ", i, "?")}
	}
	_, err := run.Ask(ctx, many...)
	return err
})

// opened are the notices of questions that have opened since, and all that was answered.
func (v *v1Server) opened(after string) ([]map[string]any, string) {
	v.t.Helper()
	page := v.call("listNotices", 200, "/notices?kind=interrupt.opened&after="+after, "")
	whole, err := json.Marshal(page)
	if err != nil {
		v.t.Fatal(err)
	}
	return items(page), string(whole)
}

func TestNoticesShowWhatIsAskedOnRequest(t *testing.T) {
	const secret = "4111-1111"
	for _, on := range []bool{false, true} {
		t.Run(fmt.Sprint(on), func(t *testing.T) {
			r := newRunner(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"": paying(secret), "script": askingMuch}, NoticeSummaries: on,
				RedactLists: []adapter.Redaction{{Tool: "pay", Pointer: "/card"}, {Pointer: "/to"}}})
			v := newV1On(t, r, &Options{})
			after := v.call("listNotices", 200, "/notices", "")["next"].(string)
			v.asked("t", "go")
			list, text := v.opened(after)
			if len(list) != 1 || strings.Contains(text, secret) {
				t.Fatalf("%s", text)
			}
			if !on {
				if strings.Contains(text, "summaries") || strings.Contains(text, "Pay?") {
					t.Errorf("notices show what is asked: %s", text)
				}
				return
			}
			ids := list[0]["interruptIds"].([]any)
			shown := list[0]["summaries"].([]any)
			if len(shown) != 2 {
				t.Fatalf("%s", text)
			}
			short, long := shown[0].(map[string]any), shown[1].(map[string]any)
			if short["interruptId"] != ids[0] || short["reason"] != "tool_call" || short["message"] != "Pay?" || short["toolName"] != "pay" ||
				short["arguments"] != `{"card":"[redacted]","note":"x","to":"[redacted]"}` || short["redacted"] != true || short["truncated"] != nil {
				t.Errorf("what is short: %v", short)
			}
			message, arguments := long["message"].(string), long["arguments"].(string)
			if long["interruptId"] != ids[1] || long["truncated"] != true || long["redacted"] != true || len(message) > 300 || !strings.HasPrefix(message, "üüü") ||
				len(arguments) > 500 || !strings.HasPrefix(arguments, `{"card":"[redacted]","note":"ü`) || strings.ContainsRune(message+arguments, '�') {
				t.Errorf("what is long: %v", long)
			}
			v.call("addInput", 202, "/threads/many/input", `{"text":"go","agent":"script"}`)
			v.rests("many")
			list, text = v.opened(after)
			if many := list[len(list)-1]; len(many["interruptIds"].([]any)) != 7 || len(many["summaries"].([]any)) != 5 {
				t.Errorf("what are many: %s", text)
			}
		})
	}
}
