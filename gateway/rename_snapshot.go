package gateway

import (
	"reflect"
	"slices"

	"github.com/aguiws/aguiws/protocol"
)

// snapshotHere names the messages and calls of a snapshot: each is what the thread has of
// that name, as far as that can be told, and no two have one id. A message or call that is
// told twice, word for word, is told once.
func (r *relay) snapshotHere(e *protocol.MessagesSnapshot) protocol.Event {
	s := snapshot{relay: r, used: map[name]bool{}, calls: map[string]string{}, told: map[string]int{}}
	var list protocol.Messages // nil: all are as they came
	for i := range e.Messages {
		m, twice := s.message(&e.Messages[i], e.Messages[:i])
		if list == nil && (twice || m != &e.Messages[i]) {
			list = slices.Clone(e.Messages[:i])
		}
		if list != nil && !twice {
			list = append(list, *m)
		}
	}
	for own, here := range s.calls {
		lost := s.loses(own, here)
		r.names.set(kindCall, own, here)
		if lost {
			r.names.lost[own] = true
		}
	}
	if list == nil {
		return e
	}
	r.repaired(RepairMessageID)
	other := *e
	other.Messages = list
	return &other
}

// snapshot is one that is being named.
type snapshot struct {
	*relay
	used  map[name]bool     // ids of messages, and of calls, that it has by now
	calls map[string]string // what it named so last, by the agent's id
	told  map[string]int    // where a message of an agent's id came first
}

// loses reports whether the snapshot leaves out the call that this run has named so last, and
// has an older one of that name.
func (s *snapshot) loses(own, here string) bool {
	last, named := s.names.here[name{kindCall, own}]
	older := s.names.taken(kindCall, here)
	return s.names.lost[own] && older || named && last != here && older && !s.used[slot(kindCall, last)]
}

// message names one message; it is a copy if it is named otherwise.
func (s *snapshot) message(m *protocol.Message, before protocol.Messages) (named *protocol.Message, twice bool) {
	if first, again := s.told[m.ID]; !again {
		s.told[m.ID] = len(before)
	} else if reflect.DeepEqual(&before[first], m) {
		return m, true
	}
	o := *m
	o.ID = s.pick(kind(m.Role), m.ID, func(id string) bool {
		held, ok := s.to.Message(id)
		return ok && held.Role == m.Role && reflect.DeepEqual(held.Content, m.Content)
	})
	o.ToolCalls = slices.Clone(m.ToolCalls)
	for i := range o.ToolCalls {
		c := &o.ToolCalls[i]
		own := c.ID
		c.ID = s.pick(kindCall, own, func(id string) bool {
			held, ok := s.to.ToolCall(id)
			return ok && held.Function.Name == c.Function.Name && sameJSON(held.Function.Arguments, c.Function.Arguments)
		})
		s.calls[own] = c.ID
	}
	if m.Role == protocol.RoleTool {
		if here, named := s.calls[m.ToolCallID]; named {
			o.ToolCallID = here
		} else {
			o.ToolCallID = s.names.latest(kindCall, m.ToolCallID)
		}
	}
	if o.ID == m.ID && o.ToolCallID == m.ToolCallID && slices.EqualFunc(o.ToolCalls, m.ToolCalls, func(a, b protocol.ToolCall) bool { return a.ID == b.ID }) {
		return m, false
	}
	return &o, false
}

// pick finds the id for what the agent names so: of those that the thread has under that
// name and the snapshot has not yet, the one that says the same, else the last. A
// message of another kind keeps the id that it has.
func (s *snapshot) pick(k kind, own string, same func(id string) bool) string {
	var picked string
	for _, id := range s.names.all(k, own) {
		if s.used[slot(k, id)] {
			continue
		}
		if picked = id; same(id) {
			break
		}
	}
	if picked == "" && tellable(k, own) && !s.used[slot(k, own)] && !s.stays(k, own) {
		picked = own
	}
	if picked == "" {
		picked = aliasOf(k, own, s.to.NewID())
	}
	s.used[slot(k, picked)] = true
	return picked
}

// slot is where an id must be the only one: messages of all kinds share theirs.
func slot(k kind, id string) name {
	if k != kindCall {
		k = ""
	}
	return name{k, id}
}

// stays reports whether the thread keeps a message of another kind under the id, whatever
// a snapshot holds.
func (s *snapshot) stays(k kind, id string) bool {
	if k == kindCall {
		return false
	}
	role, taken := s.to.Role(id)
	return taken && kind(role) != k && (role == protocol.RoleReasoning || role == protocol.RoleActivity)
}

// all are the ids that the thread has of what the agent names so, in order.
func (n *names) all(k kind, own string) []string {
	n.look()
	var list []string
	if tellable(k, own) {
		if k == kindCall {
			if _, has := n.to.ToolCall(own); has {
				list = append(list, own)
			}
		} else if role, has := n.to.Role(own); has && kind(role) == k {
			list = append(list, own)
		}
	}
	list = append(list, n.listed[name{k, own}]...)
	if here, named := n.here[name{k, own}]; named && !slices.Contains(list, here) && n.taken(k, here) {
		list = append(list, here)
	}
	return list
}
