package adapter

import (
	"strconv"

	"github.com/aguiws/aguiws/protocol"
)

// renames gives new ids to what a takeover took back and that cannot come back
// under its own: a client refuses a subagent that has closed in the same run,
// and an item that changes its subagent. The map is by the agent's own ids.
// The zero value renames nothing.
type renames struct {
	subagents map[string]string // kept in the journal
	items     map[string]string // of the renamed subagents; a replay finds them again
}

// apply returns the event under the ids that the wire knows. The agent's own
// event is not changed.
func (r *renames) apply(e protocol.Event) protocol.Event {
	if len(r.subagents) == 0 {
		return e
	}
	text, err := protocol.Encode(e)
	if err != nil {
		return e // refused with its own error later
	}
	copied, err := protocol.Decode(text)
	if err != nil {
		return e
	}
	if owner := protocol.OwnerOf(copied); owner != nil {
		if to, renamed := r.subagents[*owner]; renamed {
			suffix := to[len(*owner):]
			protocol.SetOwner(copied, &to)
			for _, id := range itemIDs(copied) {
				if r.items == nil {
					r.items = map[string]string{}
				}
				r.items[*id] = *id + suffix
			}
		}
	}
	for _, id := range append(itemIDs(copied), itemReferences(copied)...) {
		if to, renamed := r.items[*id]; renamed {
			*id = to
		}
	}
	for _, id := range subagentIDs(copied) {
		if to, renamed := r.subagents[*id]; renamed {
			*id = to
		}
	}
	return copied
}

// renamed is a subagent's id when it begins for the n-th time in one run.
func renamed(id string, n int) string { return id + "~" + strconv.Itoa(n) }

// itemIDs points to the ids of the items that an event makes or goes on with.
func itemIDs(e protocol.Event) []*string {
	switch e := e.(type) {
	case *protocol.TextMessageStart:
		return []*string{&e.MessageID}
	case *protocol.TextMessageContent:
		return []*string{&e.MessageID}
	case *protocol.TextMessageEnd:
		return []*string{&e.MessageID}
	case *protocol.ToolCallStart:
		return []*string{&e.ToolCallID}
	case *protocol.ToolCallArgs:
		return []*string{&e.ToolCallID}
	case *protocol.ToolCallEnd:
		return []*string{&e.ToolCallID}
	case *protocol.ToolCallResult:
		return []*string{&e.MessageID}
	case *protocol.ReasoningStart:
		return []*string{&e.MessageID}
	case *protocol.ReasoningEnd:
		return []*string{&e.MessageID}
	case *protocol.ReasoningMessageStart:
		return []*string{&e.MessageID}
	case *protocol.ReasoningMessageContent:
		return []*string{&e.MessageID}
	case *protocol.ReasoningMessageEnd:
		return []*string{&e.MessageID}
	case *protocol.ActivitySnapshot:
		return []*string{&e.MessageID}
	case *protocol.ActivityDelta:
		return []*string{&e.MessageID}
	}
	return nil
}

// itemReferences points to ids by which an event names another's item.
func itemReferences(e protocol.Event) []*string {
	var ids []*string
	add := func(id *string) {
		if id != nil {
			ids = append(ids, id)
		}
	}
	switch e := e.(type) {
	case *protocol.ToolCallStart:
		add(e.ParentMessageID)
	case *protocol.ToolCallResult:
		add(&e.ToolCallID)
	case *protocol.ReasoningEncryptedValue:
		add(&e.EntityID)
	case *protocol.SubagentStarted:
		add(e.ParentMessageID)
		add(e.ParentToolCallID)
	}
	return ids
}

// subagentIDs points to the subagents that a lifecycle event names.
func subagentIDs(e protocol.Event) []*string {
	switch e := e.(type) {
	case *protocol.SubagentStarted:
		if e.ParentSubagentRunID != nil {
			return []*string{&e.SubagentRunID, e.ParentSubagentRunID}
		}
		return []*string{&e.SubagentRunID}
	case *protocol.SubagentFinished:
		return []*string{&e.SubagentRunID}
	case *protocol.SubagentError:
		return []*string{&e.SubagentRunID}
	}
	return nil
}
