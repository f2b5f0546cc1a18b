package fold

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/aguiws/aguiws/protocol"
)

// join appends the messages whose ids are new.
func (l *log) join(messages protocol.Messages) {
	for _, m := range messages {
		if l.find(m.ID) == nil {
			l.add(m)
		}
	}
}

// reconcile takes over a complete set: what it holds is replaced in place or
// appended, what it lacks is dropped, except activities and reasoning where the
// set does not speak for them. A message that says the same stays as it is.
func (l *log) reconcile(e *protocol.MessagesSnapshot) {
	l.forget()
	latest := make(map[string]*protocol.Message, len(e.Messages))
	hasReasoning := false
	for i := range e.Messages {
		m := &e.Messages[i]
		latest[m.ID] = m
		hasReasoning = hasReasoning || m.Role == protocol.RoleReasoning
	}
	owns := activityAuthority(e)
	held := make(map[string]bool, len(e.Messages))
	indexed := l.revise(func(m *message) *message {
		now := latest[m.ID]
		switch {
		case now != nil && !sameMessage(now, &m.Message):
			m = &message{Message: *now, place: m.place, owner: l.owner, during: m.during}
			m.ToolCalls = slices.Clone(now.ToolCalls)
		case now != nil:
		case m.Role != protocol.RoleReasoning && m.Role != protocol.RoleActivity,
			m.Role == protocol.RoleReasoning && hasReasoning,
			m.Role == protocol.RoleActivity && owns(m.ActivityType):
			return nil
		}
		held[m.ID] = true
		return m
	})
	if !indexed {
		l.index()
	}
	for _, m := range e.Messages {
		if !held[m.ID] {
			l.add(m)
		}
	}
}

// revise puts what fn returns in the place of each message, nothing for nil. True: all
// is as it was.
func (o *order) revise(fn func(*message) *message) bool {
	same := true
	chunks := make([]*chunk, 0, len(o.chunks)+1)
	n, bytes := 0, o.bytes
	for _, c := range o.chunks {
		list, changed := make([]*message, 0, len(c.list)), false
		for _, m := range c.list {
			now := fn(m)
			if now != m {
				changed, bytes = true, bytes-m.Message.Weight()
			}
			if now != nil && now != m {
				bytes += now.Message.Weight()
			}
			if now != nil {
				list = append(list, now)
			}
		}
		if changed {
			same, c = false, &chunk{o.owner, list}
		}
		if len(c.list) > 0 {
			chunks, n = append(chunks, c), n+len(c.list)
		}
	}
	if !same {
		o.chunks, o.mine, o.n, o.bytes, o.changed = chunks, o.owner, n, bytes, true
	}
	return same
}

// sameMessage reports whether two messages say the same, byte for byte.
func sameMessage(a, b *protocol.Message) bool { return reflect.DeepEqual(a, b) }

// activityAuthority says which activity types a snapshot speaks for: those that
// it declares to the reference client, else all if it holds any activity.
func activityAuthority(e *protocol.MessagesSnapshot) func(activityType string) bool {
	some := slices.ContainsFunc(e.Messages, func(m protocol.Message) bool { return m.Role == protocol.RoleActivity })
	raw, declared := e.Metadata["@ag-ui/client"]
	if !declared {
		return func(string) bool { return some }
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil || object == nil {
		return func(string) bool { return false }
	}
	types, declared := object["authoritativeActivityTypes"]
	switch {
	case !declared:
		return func(string) bool { return some }
	case string(types) == "null":
		return func(string) bool { return true }
	}
	var list []*string
	if json.Unmarshal(types, &list) != nil || slices.Contains(list, nil) {
		list = nil
	}
	return func(t string) bool {
		return slices.ContainsFunc(list, func(s *string) bool { return *s == t })
	}
}
