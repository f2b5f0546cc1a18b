package llm

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aguiws/aguiws/llm/chat"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/surrogate"
)

// These bound what one answer may have. A model, or who stands in for it, may go on for
// ever.
const (
	maxAnswer = 4 << 20 // bytes of text, reasoning, and calls
	maxCalls  = 64
)

// writer shows an answer while it comes, and gathers it. A part that begins ends the one
// before it, but for calls whose arguments are not whole: the rest of them may come later.
type writer struct {
	to    emitter
	turn  turn
	text  strings.Builder
	calls callWriter
	size  int
	open  protocol.Event // ends the text or the reasoning that is open
	of    string         // "text", "reasoning", or the id of the call that was shown last
	half  surrogate.Half // that the text or the reasoning ends with
	span  string         // of the reasoning
}

func newWriter(to emitter) *writer {
	return &writer{to: to, turn: turn{ID: to.NewID()}, calls: callWriter{pieces: chat.Assembly{Max: maxCalls}}}
}

// take shows one chunk. It returns what is wrong with it, or an error of the emitter's.
func (w *writer) take(chunk chat.Chunk) (*failure, error) {
	if chunk.Usage != nil {
		w.turn.Usage = usageOf(chunk)
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue // one answer is asked for
		}
		if err := w.reason(thought(choice.Delta)); err != nil {
			return nil, err
		}
		if err := w.say(choice.Delta.Content.Text); err != nil {
			return nil, err
		}
		if err := w.say(string(choice.Delta.Refusal)); err != nil {
			return nil, err
		}
		for _, d := range choice.Delta.Calls() {
			if failed, err := w.call(d); failed != nil || err != nil {
				return failed, err
			}
		}
		if choice.FinishReason != "" {
			w.turn.Finish = choice.FinishReason
		}
	}
	if w.size > maxAnswer {
		return &failure{Code: CodeTruncated, Message: "The model's answer is too long. Ask for less at once.", Detail: fmt.Sprintf("the answer has more than %d bytes", maxAnswer)}, nil
	}
	return nil, nil
}

// thought is the reasoning of a delta, which some endpoints tell under two names.
func thought(d chat.Delta) string {
	for _, raw := range []json.RawMessage{d.ReasoningContent, d.Reasoning} {
		var text chat.Piece
		if len(raw) > 0 && json.Unmarshal(raw, &text) == nil && text != "" {
			return string(text)
		}
	}
	return d.Content.Thought
}

// turnTo leaves what was shown last if it is something else, and reports whether there is
// something to begin.
func (w *writer) turnTo(of string) (begins bool, err error) {
	if w.of == of {
		return false, nil
	}
	err = w.leave(w.calls.whole(w.of))
	w.of = of
	return true, err
}

// close ends what is open.
func (w *writer) close() error { return w.leave(w.calls.open) }

// leave ends the text or the reasoning that is open, and calls.
func (w *writer) leave(calls []*shownCall) error {
	var ending []protocol.Event
	if w.open != nil {
		ending = append(w.add(w.half.Rest()), w.open)
	}
	if w.span != "" {
		ending = append(ending, &protocol.ReasoningEnd{MessageID: w.span})
	}
	ending = append(ending, w.calls.end(calls)...)
	w.of, w.span, w.open = "", "", nil
	if len(ending) == 0 {
		return nil
	}
	return w.to.Emit(ending...)
}

// add gathers more of the text or the reasoning that is open, and returns the event that
// shows it.
func (w *writer) add(delta string) []protocol.Event {
	if delta == "" {
		return nil
	}
	switch end := w.open.(type) {
	case *protocol.ReasoningMessageEnd:
		return []protocol.Event{&protocol.ReasoningMessageContent{MessageID: end.MessageID, Delta: delta}}
	case *protocol.TextMessageEnd:
		w.text.WriteString(delta)
		return []protocol.Event{&protocol.TextMessageContent{MessageID: end.MessageID, Delta: delta}}
	}
	return nil
}

// gathered is the whole answer.
func (w *writer) gathered() turn {
	w.turn.Text = w.text.String()
	w.turn.Calls = w.calls.gathered()
	return w.turn
}

// incomplete says what the whole answer lacks.
func (w *writer) incomplete() *failure {
	switch w.turn.Finish {
	case "":
		return &failure{Code: CodeTruncated, Message: "The model's answer broke off. Send your message again.", Detail: "the stream ended without a finish_reason"}
	case "length", "content_filter":
		return nil // turn.failed says more of it
	}
	if err := w.calls.pieces.End(); err != nil {
		return unclear(err)
	}
	if called := w.turn.Finish == "tool_calls" || w.turn.Finish == "function_call"; called && len(w.calls.list) == 0 {
		return malformed("the finish_reason is " + w.turn.Finish + ", and no tool call has come")
	}
	return nil
}

func (w *writer) reason(delta string) error {
	if delta == "" {
		return nil
	}
	w.size += len(delta)
	begins, err := w.turnTo("reasoning")
	if err != nil {
		return err
	}
	if begins {
		w.span = w.to.NewID()
		message := w.to.NewID()
		w.open = &protocol.ReasoningMessageEnd{MessageID: message}
		if err := w.to.Emit(&protocol.ReasoningStart{MessageID: w.span}, &protocol.ReasoningMessageStart{MessageID: message, Role: protocol.RoleReasoning}); err != nil {
			return err
		}
	}
	return w.to.Emit(w.add(w.half.Join(delta))...)
}

func (w *writer) say(delta string) error {
	if delta == "" {
		return nil
	}
	w.size += len(delta)
	begins, err := w.turnTo("text")
	if err != nil {
		return err
	}
	if begins {
		w.open = &protocol.TextMessageEnd{MessageID: w.turn.ID}
		if err := w.to.Emit(&protocol.TextMessageStart{MessageID: w.turn.ID, Role: protocol.RoleAssistant}); err != nil {
			return err
		}
	}
	return w.to.Emit(w.add(w.half.Join(delta))...)
}

// call shows a piece of a tool call once the call has a name.
func (w *writer) call(d chat.CallDelta) (*failure, error) {
	w.size += len(d.ID) + len(d.Function.Name) + len(d.Function.Arguments)
	call, more, err := w.calls.pieces.Add(d)
	if err != nil {
		return unclear(err), nil
	}
	if call == nil || call.Name == "" {
		return nil, nil
	}
	c := w.calls.shown(call)
	if c != nil && more == "" {
		return nil, nil
	}
	var events []protocol.Event
	if c == nil {
		c = w.calls.show(call, w.to.NewID())
		more = call.Arguments()
		events = append(events, &protocol.ToolCallStart{ToolCallID: c.id, ToolCallName: call.Name, ParentMessageID: &w.turn.ID})
	}
	if _, err := w.turnTo(c.id); err != nil {
		return nil, err
	}
	if more != "" {
		events = append(events, &protocol.ToolCallArgs{ToolCallID: c.id, Delta: more})
	}
	return nil, w.to.Emit(events...)
}
