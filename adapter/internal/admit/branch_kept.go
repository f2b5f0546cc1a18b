package admit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// AboutBranch is what a list of branches is made of.
type AboutBranch struct {
	After string `json:"after,omitempty"`
	At    int64  `json:"at"`
	Count int    `json:"n"`
	Title string `json:"title,omitempty"`
	Kept  bool   `json:"kept,omitempty"`
	Calls []Call `json:"calls,omitempty"`
}

// Call is a tool call of a branch that was carried out. What it did stands, though its
// messages are gone.
type Call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments,omitempty"` // "" if they are longer than argumentBytes
}

// maxCalls, argumentBytes and callsBytes bound what a branch says of its calls: the list of
// branches is read whole.
const (
	maxCalls      = 20
	argumentBytes = 2 << 10
	callsBytes    = 16 << 10 // as they are encoded, with names and IDs of whatever length
)

// carriedOut is the last calls among messages that have a result which does not deny it.
// Of a call that was refused an agent may write one, too: who decided so is on record.
func carriedOut(messages protocol.Messages) []Call {
	done := map[string]bool{}
	for _, m := range messages {
		var said struct{ Executed *bool }
		if m.Role == protocol.RoleTool && m.Error == "" && (json.Unmarshal([]byte(m.Content.String()), &said) != nil || said.Executed == nil || *said.Executed) {
			done[m.ToolCallID] = true
		}
	}
	var calls []Call
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			if !done[c.ID] {
				continue
			}
			call := Call{ID: c.ID, Name: c.Function.Name, Arguments: cmp.Or(c.Function.Arguments, "{}")}
			if len(call.Arguments) > argumentBytes {
				call.Arguments = ""
			}
			calls = append(calls, call)
		}
	}
	return bounded(calls[max(0, len(calls)-maxCalls):])
}

// bounded is the last of the calls that have room, the arguments of those that have none left out.
func bounded(calls []Call) []Call {
	room := callsBytes
	for i := len(calls) - 1; i >= 0; i-- {
		if room < encodedBytes(calls[i]) {
			calls[i].Arguments = ""
		}
		if room -= encodedBytes(calls[i]); room < 0 {
			return calls[i+1:]
		}
	}
	return calls
}

func encodedBytes(c Call) int {
	text, _ := json.Marshal(c) // Strings always have a text.
	return len(text)
}

// branchBytes bounds the messages of a branch: they are encoded and deflated before the
// run begins that takes them out.
const branchBytes = 4 << 20

// branch is what is kept of messages that are taken out from a place on.
func branch(held protocol.Messages, keep int, at time.Time) (*store.Branch, error) {
	out := held[keep:]
	if len(out) == 0 {
		return nil, nil
	}
	about := AboutBranch{At: at.UnixMilli(), Count: len(out), Title: titleOf(out), Calls: carriedOut(out)}
	if keep > 0 {
		about.After = held[keep-1].ID
	}
	b := &store.Branch{Messages: json.RawMessage("[")}
	for i, m := range out {
		text, err := m.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("adapter: branch: %w", err)
		}
		if len(b.Messages)+len(text) > branchBytes {
			b.Messages = nil
			break
		}
		if i > 0 {
			b.Messages = append(b.Messages, ',')
		}
		b.Messages = append(b.Messages, text...)
	}
	if about.Kept = b.Messages != nil; about.Kept {
		b.Messages = append(b.Messages, ']')
	}
	var err error
	b.About, err = json.Marshal(about)
	return b, err
}
