package llm_test

import (
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/aguiws/aguiws/protocol"
)

// The model is told what comes with the input, and how the thread's state is, in the one
// message that all endpoints take.
func TestInstructions(t *testing.T) {
	e := newEndpoint(t, answers("Hello."))
	o := e.options()
	o.TellState = true
	var temperature float64
	o.Adjust = func(p *openai.ChatCompletionNewParams) {
		p.Temperature = param.NewOpt(0.5)
		temperature = p.Temperature.Value
	}
	l := newLab(t, newAgent(t, o))
	in := user("hi")
	in.Context = []protocol.Context{{Description: "The page", Value: "orders"}}
	in.State = protocol.Any(`{"cart":2}`)
	l.submit(in)
	succeeded(t, l.end())
	want := `system "Be brief.\n\nThe page:\norders\n\nThe state of this conversation, in JSON:\n{\"cart\":2}"` + "\n"
	if got := e.requests()[0].texts(); !strings.HasPrefix(got, want) || temperature != 0.5 {
		t.Errorf("told %s", got)
	}
}
