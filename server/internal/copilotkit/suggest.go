package copilotkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/protocol"
)

// suggestTool is the frontend tool by which CopilotKit takes suggestions.
const suggestTool = "copilotkitSuggest"

const codeAgentError = "agent_error"

// suggest answers a page that wants to know what its reader could say. A suggestion is no
// run: nothing of it is kept, and no thread is touched.
func (k *call) suggest() { k.stream(k.offer) }

// asksForSuggestions tells an input that only pretends to be one: a page that
// has not seen the runtime's info asks for suggestions as a run of a new thread.
func asksForSuggestions(in *protocol.RunAgentInput) bool {
	var props struct {
		ToolChoice struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"toolChoice"`
	}
	// Any other shape of forwarded properties is the application's own.
	return json.Unmarshal(in.ForwardedProps, &props) == nil && props.ToolChoice.Function.Name == suggestTool
}

// offer streams what Config.Suggest knows as a call of the frontend's tool.
func (k *call) offer(agent string, out Stream) {
	in := out.Input()
	out.Compose(func(c Composer) error {
		if err := c.Say(&protocol.RunStarted{ThreadID: in.ThreadID, RunID: in.RunID}); err != nil {
			return err
		}
		var found []Suggestion
		var failed error
		if k.Suggest != nil {
			if err := c.Await(func(ctx context.Context) { found, failed = k.ask(ctx, c.Log(), agent, in) }); err != nil {
				return err
			}
		}
		if failed != nil {
			c.Log().Warn("making suggestions failed", "error", failed)
			return c.Say(&protocol.RunError{Code: codeAgentError, Message: "there are no suggestions: their maker failed"})
		}
		if len(found) > 0 {
			args, err := json.Marshal(struct {
				Suggestions []Suggestion `json:"suggestions"`
			}{found})
			if err != nil {
				return fmt.Errorf("copilotkit: suggestions: %w", err)
			}
			id := uuid.NewString()
			if err := c.Say(
				&protocol.ToolCallStart{ToolCallID: id, ToolCallName: suggestTool},
				&protocol.ToolCallArgs{ToolCallID: id, Delta: string(args)},
				&protocol.ToolCallEnd{ToolCallID: id},
			); err != nil {
				return err
			}
		}
		return c.Say(&protocol.RunFinished{ThreadID: in.ThreadID, RunID: in.RunID})
	})
}

// ask asks Config.Suggest. A panic of who makes them is a failure of theirs.
func (k *call) ask(ctx context.Context, log *slog.Logger, agent string, in *protocol.RunAgentInput) (found []Suggestion, err error) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("panic", "value", p, "stack", string(debug.Stack()))
			found, err = nil, errors.New("panic")
		}
	}()
	return k.Suggest(ctx, agent, in)
}
