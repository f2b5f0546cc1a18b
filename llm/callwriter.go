package llm

import (
	"slices"

	"github.com/aguiws/aguiws/llm/chat"
	"github.com/aguiws/aguiws/protocol"
)

// callWriter is what an answer's tool calls are shown by. Several may be open at once.
type callWriter struct {
	pieces chat.Assembly
	list   []*shownCall // in the order in which they began
	open   []*shownCall
}

// shownCall is a call that clients know.
type shownCall struct {
	*chat.Partial
	id string
}

// shown is what a call is shown as; nil: it is not.
func (w *callWriter) shown(call *chat.Partial) *shownCall {
	for _, c := range w.list {
		if c.Partial == call {
			return c
		}
	}
	return nil
}

func (w *callWriter) show(call *chat.Partial, id string) *shownCall {
	c := &shownCall{call, id}
	w.list, w.open = append(w.list, c), append(w.open, c)
	return c
}

// whole is the open call of an id if nothing more of it can come, else none.
func (w *callWriter) whole(id string) []*shownCall {
	for i, c := range w.open {
		if c.id == id && c.Whole() {
			return w.open[i : i+1]
		}
	}
	return nil
}

// end closes open calls.
func (w *callWriter) end(calls []*shownCall) (events []protocol.Event) {
	for _, c := range calls {
		if rest := c.Rest(); rest != "" {
			events = append(events, &protocol.ToolCallArgs{ToolCallID: c.id, Delta: rest})
		}
		if c.Bare() {
			events = append(events, &protocol.ToolCallArgs{ToolCallID: c.id, Delta: noArguments})
		}
		events = append(events, &protocol.ToolCallEnd{ToolCallID: c.id})
	}
	ended := slices.Clone(calls)
	w.open = slices.DeleteFunc(w.open, func(c *shownCall) bool { return slices.Contains(ended, c) })
	return events
}

func (w *callWriter) gathered() (calls []call) {
	for _, c := range w.list {
		args := c.Arguments()
		if c.Bare() {
			args += noArguments
		}
		calls = append(calls, call{ID: c.id, Name: c.Name, Arguments: args})
	}
	return calls
}

// noArguments is what a call without arguments has: some endpoints write an empty object
// as nothing.
const noArguments = "{}"
