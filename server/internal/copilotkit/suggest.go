package copilotkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/sse"
)

// suggestTool is the frontend tool by which CopilotKit takes suggestions.
const suggestTool = "copilotkitSuggest"

const codeAgentError = "agent_error"

// suggest answers a page that wants to know what its reader could say. A suggestion is no
// run: nothing of it is kept, and no thread is touched.
func (k *call) suggest() {
	k.stream(func(out *sse.Stream, f *frames.Frame) { k.offer(out, f.Input) })
}

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
func (k *call) offer(out *sse.Stream, in *protocol.RunAgentInput) {
	out.Answer(func() error {
		if err := say(out, &protocol.RunStarted{ThreadID: in.ThreadID, RunID: in.RunID}); err != nil {
			return err
		}
		var found []Suggestion
		var failed error
		if k.config.Suggest != nil {
			if err := k.await(out, func(ctx context.Context) { found, failed = k.ask(ctx, out, in) }); err != nil {
				return err
			}
		}
		if failed != nil {
			out.Log.Warn("making suggestions failed", "error", failed)
			return say(out, &protocol.RunError{Code: codeAgentError, Message: "there are no suggestions: their maker failed"})
		}
		if len(found) > 0 {
			args, err := json.Marshal(struct {
				Suggestions []Suggestion `json:"suggestions"`
			}{found})
			if err != nil {
				return fmt.Errorf("copilotkit: suggestions: %w", err)
			}
			id := uuid.NewString()
			if err := say(out,
				&protocol.ToolCallStart{ToolCallID: id, ToolCallName: suggestTool},
				&protocol.ToolCallArgs{ToolCallID: id, Delta: string(args)},
				&protocol.ToolCallEnd{ToolCallID: id},
			); err != nil {
				return err
			}
		}
		return say(out, &protocol.RunFinished{ThreadID: in.ThreadID, RunID: in.RunID})
	})
}

// say writes events that are in no log.
func say(out *sse.Stream, events ...protocol.Event) error {
	for _, e := range events {
		text, err := protocol.Encode(e)
		if err != nil {
			return fmt.Errorf("copilotkit: %w", err)
		}
		if err := out.Emit(text, store.Position{}); err != nil {
			return err
		}
	}
	return out.Flush()
}

// await waits for work. When the stream must end before that, so does work's context, and
// await returns why once work has returned.
func (k *call) await(out *sse.Stream, work func(context.Context)) error {
	ctx, cancel := context.WithCancel(out.Ctx)
	defer cancel()
	over := make(chan struct{})
	go func() {
		defer close(over)
		work(ctx)
	}()
	for {
		var why error
		select {
		case <-over:
			return nil
		case <-out.Wake:
			if why = out.Flush(); why == nil {
				continue
			}
		case <-out.Ctx.Done():
			why = context.Cause(out.Ctx)
		case <-out.Identity.Revoked:
			why = peer.CloseExpired
		case <-k.streams.Leave:
			why = peer.CloseDraining
		}
		cancel()
		<-over
		return why
	}
}

// ask asks Config.Suggest. A panic of who makes them is a failure of theirs.
func (k *call) ask(ctx context.Context, out *sse.Stream, in *protocol.RunAgentInput) (found []Suggestion, err error) {
	defer func() {
		if p := recover(); p != nil {
			out.Log.Error("panic", "value", p, "stack", string(debug.Stack()))
			found, err = nil, errors.New("panic")
		}
	}()
	return k.config.Suggest(ctx, out.Agent, in)
}
