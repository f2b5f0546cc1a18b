package llm

import (
	"context"
	"errors"
	"io"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/llm/chat"
	"github.com/aguiws/aguiws/protocol"
)

// turn is what the model has said to one request, as it is journaled. A request that
// failed is one as well, so that a replay goes the same way.
type turn struct {
	ID      string               `json:"id"`
	Text    string               `json:"text,omitempty"`
	Calls   []call               `json:"calls,omitempty"`
	Finish  string               `json:"finish,omitempty"`
	Usage   *protocol.TokenUsage `json:"usage,omitempty"`
	Run     string               `json:"run"` // its label
	Failure *failure             `json:"failure,omitempty"`
}

type call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Frontend  bool   `json:"frontend,omitempty"`
}

// failed says why the run cannot go on from the turn; nil: it can.
func (t turn) failed(model string) error {
	switch {
	case t.Failure != nil:
		return &adapter.UserError{Code: t.Failure.Code, Message: t.Failure.Message, Err: errors.New(t.Failure.Detail)}
	case t.Finish == "length":
		return &adapter.UserError{Code: CodeTruncated, Message: "The answer of " + model + " is cut: it has come to the most tokens that it may have. Ask it to go on, or for less."}
	case t.Finish == "content_filter":
		return &adapter.UserError{Code: CodeRefused, Message: "The endpoint's content filter has ended the answer of " + model + ". Say it in other words."}
	}
	return nil
}

// emitter is what of a run an answer is shown by.
type emitter interface {
	Emit(events ...protocol.Event) error
	NewID() string
}

// ask sends a request and shows the answer while it comes. The error is ctx's, or the
// emitter's.
func (a *Agent) ask(ctx context.Context, to emitter, request chat.Request) (turn, error) {
	listening, heard, stop := listen(ctx, a.options.Silence)
	defer stop()
	w := newWriter(to)
	var failed *failure
	var answered bool
	stream, ended := a.endpoint.Stream(listening, request)
	if ended == nil {
		defer stream.Close()
		answered, failed = true, notAStream(stream.Response)
	}
	for failed == nil && ended == nil {
		var chunk chat.Chunk
		if chunk, ended = stream.Next(); ended != nil {
			break
		}
		heard()
		var err error
		if failed, err = w.take(chunk); err != nil {
			return turn{}, err
		}
	}
	if ctx.Err() != nil {
		return turn{}, context.Cause(ctx)
	}
	if failed == nil && ended != io.EOF {
		if cause := context.Cause(listening); cause != nil {
			ended = cause
		}
		failed = a.failureOf(ended, answered)
	}
	if err := w.close(); err != nil {
		return turn{}, err
	}
	t := w.gathered()
	if t.Failure = failed; failed == nil {
		t.Failure = w.incomplete()
	}
	return t, nil
}
