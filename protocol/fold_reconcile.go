package protocol

import (
	"encoding/json"
	"slices"
)

// join appends the messages whose ids are new.
func (l *foldMessages) join(messages Messages) {
	for _, m := range messages {
		if l.find(m.ID) == nil {
			l.insert(len(l.list), newFoldMessage(m))
		}
	}
}

// reconcile takes over a complete set: what it holds is replaced in place or
// appended, what it lacks is dropped, except activities and reasoning where the
// set does not speak for them.
func (l *foldMessages) reconcile(e *MessagesSnapshot) {
	latest := make(map[string]Message, len(e.Messages))
	hasReasoning := false
	for _, m := range e.Messages {
		latest[m.ID] = m
		hasReasoning = hasReasoning || m.Role == RoleReasoning
	}
	owns := activityAuthority(e)
	next := newFoldMessages(nil)
	held := map[string]bool{}
	for _, m := range l.list {
		if now, ok := latest[m.ID]; ok {
			m = newFoldMessage(now)
		} else if m.Role != RoleReasoning && m.Role != RoleActivity ||
			m.Role == RoleReasoning && hasReasoning ||
			m.Role == RoleActivity && owns(m.ActivityType) {
			continue
		}
		held[m.ID] = true
		next.insert(len(next.list), m)
	}
	for _, m := range e.Messages {
		if !held[m.ID] {
			next.insert(len(next.list), newFoldMessage(m))
		}
	}
	*l = next
}

// activityAuthority says which activity types a snapshot speaks for: those that
// it declares to the reference client, else all if it holds any activity.
func activityAuthority(e *MessagesSnapshot) func(activityType string) bool {
	some := slices.ContainsFunc(e.Messages, func(m Message) bool { return m.Role == RoleActivity })
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
