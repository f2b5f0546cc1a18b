package gateway

import "github.com/aguiws/aguiws/protocol"

// kind tells ids apart that an agent may use side by side.
type kind string

const (
	kindCall      kind = "call"
	kindAssistant      = kind(protocol.RoleAssistant)
	kindReasoning      = kind(protocol.RoleReasoning)
	kindActivity       = kind(protocol.RoleActivity)
	kindTool           = kind(protocol.RoleTool)
)

func (k kind) maxBytes() int {
	if k == kindCall {
		return maxCallIDBytes
	}
	return maxIDBytes
}

// may reports whether a message that was named by an event of the kind can have the role:
// texts may be of other roles than the assistant's.
func (k kind) may(role protocol.Role) bool {
	switch role {
	case protocol.RoleReasoning, protocol.RoleActivity, protocol.RoleTool:
		return kind(role) == k
	}
	return k == kindAssistant
}

type name struct {
	kind kind
	own  string // the agent's id
}

// names are the ids under which clients know what an agent names. An id of the agent means
// what it named so last: models say call_0 in every turn.
type names struct {
	to sink

	here map[name]string // what this run has named
	// lost are calls, by the agent's ids, that this run has named and a snapshot has left out,
	// for an older one of that name: which one is meant from there on nobody can tell.
	lost map[string]bool

	// These are of the thread as it was when it was first asked about. Most ids have one
	// alias, which is the agent's own id, and are not listed.
	read   bool
	listed map[name][]string // the aliases, in order
	fresh  map[string]bool   // messages and calls behind the user's last message
}

// look reads the thread, once.
func (n *names) look() {
	if n.read {
		return
	}
	n.read, n.listed, n.fresh = true, map[name][]string{}, map[string]bool{}
	messages := n.to.Messages()
	for i := range messages {
		m := &messages[i]
		n.list(kind(m.Role), m.ID)
		if m.Role == protocol.RoleUser {
			clear(n.fresh)
		}
		n.fresh[m.ID] = true
		for _, c := range m.ToolCalls {
			n.list(kindCall, c.ID)
			n.fresh[c.ID] = true
		}
	}
}

func (n *names) list(k kind, id string) {
	if own := ownOf(id); own != id {
		n.listed[name{k, own}] = append(n.listed[name{k, own}], id)
	}
}

// latest is what the thread knows under an agent's id, of what it named so last.
func (n *names) latest(k kind, own string) string {
	if here, named := n.here[name{k, own}]; named {
		return here
	}
	if !n.read && tellable(k, own) && !n.taken(k, own) {
		return own // the first of a name has it as it is
	}
	n.look()
	if list := n.listed[name{k, own}]; len(list) > 0 {
		return list[len(list)-1]
	}
	return own
}

func (n *names) taken(k kind, id string) bool {
	if k == kindCall {
		_, taken := n.to.ToolCall(id)
		return taken
	}
	_, taken := n.to.Role(id)
	return taken
}

// alias gives what an agent names an id of its own.
func (n *names) alias(k kind, own string) string {
	here := aliasOf(k, own, n.to.NewID())
	n.set(k, own, here)
	return here
}

func (n *names) set(k kind, own, here string) {
	n.here[name{k, own}] = here
	if k == kindCall {
		delete(n.lost, own)
	}
}

// begin names a message that the agent begins or goes on with. other: it gets an alias now.
// A message goes on if it is of its kind and behind the user's last one.
func (n *names) begin(k kind, own string) (here string, other bool) {
	_, named := n.here[name{k, own}]
	held := n.latest(k, own)
	role, taken := n.to.Role(held)
	switch {
	case named && (!taken || k.may(role)): // or a snapshot has put something else there
		return held, false
	case !taken && tellable(k, held), taken && kind(role) == k && n.goesOn(held):
		n.set(k, own, held)
		return held, false
	}
	return n.alias(k, own), true
}

func (n *names) goesOn(id string) bool {
	n.look()
	return n.fresh[id]
}

// retells reports whether an event is about a message or a call that the thread has under
// the agent's own id.
func (n *names) retells(e protocol.Event) bool {
	does := protocol.EffectOf(e)
	k, named := kinds[does.Family]
	return named && does.ID != nil && n.taken(k, *does.ID)
}
