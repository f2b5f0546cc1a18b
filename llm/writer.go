package llm

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aguiws/aguiws/llm/chat"
	"github.com/aguiws/aguiws/protocol"
)

// What one answer may have. A model, or who stands in for it, may go on for ever.
const (
	maxAnswer = 4 << 20 // bytes of text, reasoning, and calls
	maxCalls  = 64
)

// writer shows an answer while it comes, and gathers it. At most one item is open: what
// begins ends what was before it.
type writer struct {
	to    emitter
	turn  turn
	text  strings.Builder
	args  []*strings.Builder // of turn.Calls
	size  int
	named map[int64]*naming // by the index that chunks give
	open  protocol.Event    // ends what is open
	of    string            // "text", "reasoning", or a call's id
	half  protocol.Half     // of what is open
	span  string            // of the reasoning
}

// naming is which call an index means now. Some endpoints give all calls of an answer
// one index, and ids of their own.
type naming struct {
	id    string
	call  int // in turn.Calls
	begun bool
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
		for _, raw := range []json.RawMessage{choice.Delta.ReasoningContent, choice.Delta.Reasoning} {
			var text chat.Piece
			if len(raw) > 0 && json.Unmarshal(raw, &text) == nil && text != "" {
				if err := w.reason(string(text)); err != nil {
					return nil, err
				}
				break
			}
		}
		if err := w.say(string(choice.Delta.Content)); err != nil {
			return nil, err
		}
		if err := w.say(string(choice.Delta.Refusal)); err != nil {
			return nil, err
		}
		for _, d := range choice.Delta.ToolCalls {
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

// turnTo ends what is open and is something else, and reports whether there is
// something to begin.
func (w *writer) turnTo(of string) (begins bool, err error) {
	if w.of == of {
		return false, nil
	}
	err = w.close()
	w.of = of
	return true, err
}

// close ends what is open.
func (w *writer) close() error {
	if w.of == "" {
		return nil
	}
	ending := w.add(w.half.Rest())
	if c, ok := w.open.(*protocol.ToolCallEnd); ok && w.bare(c.ToolCallID) {
		ending = append(ending, &protocol.ToolCallArgs{ToolCallID: c.ToolCallID, Delta: "{}"})
	}
	ending = append(ending, w.open)
	if w.span != "" {
		ending = append(ending, &protocol.ReasoningEnd{MessageID: w.span})
	}
	w.of, w.span, w.open = "", "", nil
	return w.to.Emit(ending...)
}

// add gathers more of what is open, and returns the event that shows it.
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
	case *protocol.ToolCallEnd:
		for i := range w.turn.Calls {
			if w.turn.Calls[i].ID == end.ToolCallID {
				w.args[i].WriteString(delta)
			}
		}
		return []protocol.Event{&protocol.ToolCallArgs{ToolCallID: end.ToolCallID, Delta: delta}}
	}
	return nil
}

// bare reports whether a call came without arguments, as some endpoints write an empty
// object, and gives it one.
func (w *writer) bare(id string) bool {
	for i, c := range w.turn.Calls {
		if c.ID == id && w.args[i].Len() == 0 {
			w.args[i].WriteString("{}")
			return true
		}
	}
	return false
}

// gathered is the whole answer.
func (w *writer) gathered() turn {
	w.turn.Text = w.text.String()
	for i := range w.turn.Calls {
		w.turn.Calls[i].Arguments = w.args[i].String()
	}
	return w.turn
}

func (w *writer) reason(delta string) error {
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

func (w *writer) call(d chat.CallDelta) (*failure, error) {
	n := w.named[d.Index]
	if n == nil || d.ID != "" && n.id != "" && d.ID != n.id {
		if d.Function.Name == "" || len(w.turn.Calls) == maxCalls {
			return malformed(fmt.Sprintf("tool call %d has no name, or is one of more than %d", d.Index, maxCalls)), nil
		}
		n = &naming{id: d.ID, call: len(w.turn.Calls)}
		if w.named == nil {
			w.named = map[int64]*naming{}
		}
		w.named[d.Index] = n
		w.turn.Calls = append(w.turn.Calls, call{ID: w.to.NewID(), Name: d.Function.Name})
		w.args = append(w.args, new(strings.Builder))
		w.size += len(d.Function.Name)
	}
	c := &w.turn.Calls[n.call]
	if n.begun && w.of != c.ID {
		return malformed("a tool call goes on after something else has begun"), nil
	}
	n.begun = true
	begins, err := w.turnTo(c.ID)
	if err != nil {
		return nil, err
	}
	if begins {
		w.open = &protocol.ToolCallEnd{ToolCallID: c.ID}
		if err := w.to.Emit(&protocol.ToolCallStart{ToolCallID: c.ID, ToolCallName: c.Name, ParentMessageID: &w.turn.ID}); err != nil {
			return nil, err
		}
	}
	if d.Function.Arguments == "" {
		return nil, nil
	}
	w.size += len(d.Function.Arguments)
	return nil, w.to.Emit(w.add(w.half.Join(string(d.Function.Arguments)))...)
}
