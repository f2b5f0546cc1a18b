package execution

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

// apply returns the event under the ids that the wire knows: itself, if it names none of
// those that are renamed. The agent's own event is not changed.
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
	differs := false
	if owner := protocol.OwnerOf(copied); owner != nil {
		if to, renamed := r.subagents[*owner]; renamed {
			differs = true
			suffix := to[len(*owner):]
			protocol.SetOwner(copied, &to)
			if does := protocol.EffectOf(copied); isItem(does) {
				if r.items == nil {
					r.items = map[string]string{}
				}
				r.items[*does.ID] = *does.ID + suffix
			}
		}
	}
	items, subagents := protocol.ReferencesOf(copied)
	switch does := protocol.EffectOf(copied); {
	case isItem(does):
		items = append(items, does.ID)
	case does.Family == protocol.FamilySubagent:
		subagents = append(subagents, does.ID)
	}
	for _, id := range items {
		if to, renamed := r.items[*id]; renamed {
			*id, differs = to, true
		}
	}
	for _, id := range subagents {
		if to, renamed := r.subagents[*id]; renamed {
			*id, differs = to, true
		}
	}
	if !differs {
		return e
	}
	return copied
}

// isItem reports whether what an event is about has an id that a subagent made
// up, as messages, calls and activities have.
func isItem(does protocol.Effect) bool {
	switch does.Family {
	case protocol.FamilyRun, protocol.FamilySubagent, protocol.FamilyStep:
		return false
	}
	return does.ID != nil
}

// renamed is a subagent's id when it begins for the n-th time in one run.
func renamed(id string, n int) string { return id + "~" + strconv.Itoa(n) }
