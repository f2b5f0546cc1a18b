package llm_test

import (
	"strings"
	"testing"

	"github.com/aguiws/aguiws/llm/chat"
	"github.com/aguiws/aguiws/protocol"
)

// The model is told what comes with the input, and how the thread's state is, in the one
// message that all endpoints take.
func TestInstructions(t *testing.T) {
	e := newEndpoint(t, answers("Hello."))
	o := e.options()
	o.TellState = true
	var temperature float64
	o.Adjust = func(p *chat.Request) {
		p.More = map[string]any{"temperature": 0.5}
		temperature = 0.5
	}
	l := newLab(t, newAgent(t, o))
	in := user("hi")
	in.Context = []protocol.Context{{Description: "The page", Value: "orders"}}
	in.State = protocol.Any(`{"cart":2}`)
	l.Begin(in)
	succeeded(t, l.end())
	want := `system "Be brief.\n\nThe page:\norders\n\nThe state of this conversation, in JSON:\n{\"cart\":2}"` + "\n"
	if got := e.requests()[0].texts(); !strings.HasPrefix(got, want) || temperature != 0.5 {
		t.Errorf("told %s", got)
	}
}
