package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// Tool is what a model may call. An *adapter.DefinedTool is one.
type Tool interface {
	// Schema describes the tool to the model.
	Schema() protocol.Tool
	// Call makes a call of arguments that the model came up with. The error says what
	// is wrong with them, and the model reads it.
	Call(args json.RawMessage) (adapter.ToolCall, error)
}

// undefined is a tool that could not be defined; New says why.
type undefined struct {
	Tool
	error
}

// Define makes a tool of an adapter.Tool; what is wrong with it New says.
func Define[In, Out any](t adapter.Tool[In, Out]) Tool {
	d, err := t.Define()
	if err != nil {
		return undefined{error: err}
	}
	return d
}

// NeverAsk is the policy of a tool whose calls are all carried out without approval.
func NeverAsk[In any](In) adapter.Policy { return adapter.PolicyAllow }

type runKey struct{}

func withRun(ctx context.Context, run *adapter.Run) context.Context {
	return context.WithValue(ctx, runKey{}, run)
}

// RunOf is the run for which a tool is carried out, given the context of its Do; nil
// elsewhere. A tool may emit by it, and read and change the thread's state. It must
// neither ask nor take steps, being inside of one.
func RunOf(ctx context.Context) *adapter.Run {
	run, _ := ctx.Value(runKey{}).(*adapter.Run)
	return run
}

// carryOut does what the model has called for: what cannot be called goes back to it as
// an error, what is the frontend's is left, what needs nobody is done, and about the
// others CallTools asks at once. left: the frontend has something to do.
func (a *Agent) carryOut(ctx context.Context, run *adapter.Run, proposed []call, known *aside) (left bool, err error) {
	var free, asking []adapter.ToolCall
	for _, p := range proposed {
		if p.Frontend {
			left = true
			continue
		}
		c, refused := a.call(run, p)
		switch {
		case refused != nil:
			if err := run.ToolResult(p.ID, notExecuted(strings.TrimPrefix(refused.Error(), "adapter: "))); err != nil {
				return left, err
			}
		case c.Policy == adapter.PolicyAsk:
			asking = append(asking, c)
		default:
			free = append(free, c)
		}
	}
	for _, calls := range [][]adapter.ToolCall{free, asking} {
		if len(calls) == 0 {
			continue
		}
		outcomes, err := adapter.CallTools(ctx, run, calls...)
		if err != nil {
			return left, err
		}
		known.learn(calls, outcomes)
	}
	return left, nil
}

// learn notes what the thread's messages do not say of calls.
func (k *aside) learn(calls []adapter.ToolCall, outcomes []adapter.ToolOutcome) {
	for i, o := range outcomes {
		switch {
		case o.Status == adapter.ToolCancelled:
			k.explain(o.CallID, "it was cancelled")
		case o.Result == nil:
			k.explain(o.CallID, "nobody answered in time")
		case string(o.Args) != string(calls[i].Args):
			k.edit(o.CallID, string(o.Args))
		}
	}
}

// call makes what the model proposes a call; the error is for the model.
func (a *Agent) call(run *adapter.Run, p call) (adapter.ToolCall, error) {
	tool := a.tools[p.Name]
	if tool == nil {
		return adapter.ToolCall{}, fmt.Errorf("there is no tool %q: there is %s", p.Name, strings.Join(a.names(run), ", "))
	}
	c, err := tool.Call(json.RawMessage(p.Arguments))
	c.ID, c.Announced = p.ID, true
	return c, err
}

// notExecuted is the result of a call that was not carried out.
func notExecuted(why string) string {
	text, err := json.Marshal(map[string]any{"executed": false, "error": strings.ToValidUTF8(why, "\uFFFD")})
	if err != nil {
		return `{"executed":false}`
	}
	return string(text)
}

// offered reports whether the frontend has the tool.
func offered(run *adapter.Run, name string) bool {
	return slices.ContainsFunc(run.LatestInput().Tools, func(t protocol.Tool) bool { return t.Name == name && fitName(name) })
}

// offers are the tools that the model is told of, its agent's own first.
func (a *Agent) offers(run *adapter.Run) []protocol.Tool {
	var list []protocol.Tool
	for _, t := range a.options.Tools {
		list = append(list, t.Schema())
	}
	for _, t := range run.LatestInput().Tools {
		if fitName(t.Name) && !slices.ContainsFunc(list, func(other protocol.Tool) bool { return other.Name == t.Name }) {
			list = append(list, t)
		}
	}
	return list
}

func (a *Agent) names(run *adapter.Run) []string {
	var list []string
	for _, t := range a.offers(run) {
		list = append(list, t.Name)
	}
	if list == nil {
		return []string{"none"}
	}
	return list
}

// fitName reports whether endpoints take the name of a tool: one that does not fit
// would have them refuse the whole request.
func fitName(name string) bool {
	return name != "" && len(name) <= 64 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}
