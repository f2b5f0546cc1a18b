package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// suggestTool is the frontend tool by which CopilotKit takes suggestions.
const suggestTool = "copilotkitSuggest"

const codeAgentError = "agent_error"

// Suggestion is something that a page offers its reader to say next.
type Suggestion struct {
	Title   string `json:"title"`   // short: the text of a button
	Message string `json:"message"` // what is said when it is chosen
}

// suggest answers a page that wants to know what its reader could say. That is
// no run: nothing of it is kept, and no thread is touched.
func (k *copilotCall) suggest() {
	k.stream(func(out *sse, f *frame) { out.suggest(f) })
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

// suggest streams what Options.Suggest knows as a call of the frontend's tool.
func (o *sse) suggest(f *frame) {
	err := o.begin()
	if err == nil {
		if refused := o.mayRun(); refused != nil {
			err = refuse(o, refused)
		} else {
			err = o.suggestions(f)
		}
	}
	o.finish(err)
}

func (o *sse) suggestions(f *frame) error {
	if err := o.say(&protocol.RunStarted{ThreadID: f.threadID, RunID: f.runID}); err != nil {
		return err
	}
	found, err := o.askForSuggestions(f.input)
	if why, ok := errors.AsType[*closing](err); ok {
		return why
	}
	if err != nil {
		o.log.Warn("making suggestions failed", "error", err)
		return refuse(o, &protocol.RunError{Code: codeAgentError, Message: "there are no suggestions: their maker failed"})
	}
	if len(found) > 0 {
		args, err := json.Marshal(struct {
			Suggestions []Suggestion `json:"suggestions"`
		}{found})
		if err != nil {
			return fmt.Errorf("server: suggestions: %w", err)
		}
		call := uuid.NewString()
		if err := o.say(
			&protocol.ToolCallStart{ToolCallID: call, ToolCallName: suggestTool},
			&protocol.ToolCallArgs{ToolCallID: call, Delta: string(args)},
			&protocol.ToolCallEnd{ToolCallID: call},
		); err != nil {
			return err
		}
	}
	return o.say(&protocol.RunFinished{ThreadID: f.threadID, RunID: f.runID})
}

// askForSuggestions waits for Options.Suggest while the stream lives.
func (o *sse) askForSuggestions(in *protocol.RunAgentInput) ([]Suggestion, error) {
	if o.srv.opts.Suggest == nil {
		return nil, nil
	}
	ctx, cancel := context.WithCancel(o.ctx)
	defer cancel()
	type answer struct {
		found []Suggestion
		err   error
	}
	answered := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if p := recover(); p != nil {
				o.log.Error("panic", "value", p, "stack", string(debug.Stack()))
				a = answer{err: errors.New("panic")}
			}
			answered <- a
		}()
		a.found, a.err = o.srv.opts.Suggest(ctx, o.agent, in)
	}()
	for {
		var why error
		select {
		case a := <-answered:
			return a.found, a.err
		case <-o.wake:
			if why = o.flush(); why == nil {
				continue
			}
		case <-o.ctx.Done():
			why = context.Cause(o.ctx)
		case <-o.identity.Revoked:
			why = closeExpired
		case <-o.srv.leave:
			why = closeDraining
		}
		cancel()
		<-answered
		return nil, why
	}
}

// say writes events that are in no log.
func (o *sse) say(events ...protocol.Event) error {
	for _, e := range events {
		text, err := protocol.Encode(e)
		if err != nil {
			return fmt.Errorf("server: %w", err)
		}
		if err := o.emit(text, store.Position{}); err != nil {
			return err
		}
	}
	return o.flush()
}
