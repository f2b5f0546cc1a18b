package gateway

import (
	"reflect"

	"github.com/aguiws/aguiws/protocol"
)

// kinds of the families that name messages and calls.
var kinds = map[protocol.Family]kind{
	protocol.FamilyText:      kindAssistant,
	protocol.FamilyReasoning: kindReasoning,
	protocol.FamilyToolCall:  kindCall,
}

// here is an event under the ids that clients are told; the same event if they are the
// agent's.
func (r *relay) here(e protocol.Event) protocol.Event {
	switch e := e.(type) {
	case *protocol.ToolCallStart:
		return r.startHere(e)
	case *protocol.ToolCallResult:
		return r.resultHere(e)
	case *protocol.ActivitySnapshot:
		return r.activityHere(e, &e.MessageID)
	case *protocol.ActivityDelta:
		return r.activityHere(e, &e.MessageID)
	case *protocol.ReasoningEncryptedValue:
		of := []kind{kindReasoning, kindAssistant}
		if e.Subtype == protocol.SubtypeToolCall {
			of = []kind{kindCall}
		}
		here := e.EntityID
		for _, k := range of {
			if here == e.EntityID {
				here = r.names.latest(k, e.EntityID)
			}
		}
		if here != e.EntityID {
			other := *e
			other.EntityID = here
			return &other
		}
		return e
	case *protocol.MessagesSnapshot:
		return r.snapshotHere(e)
	}
	does := protocol.EffectOf(e)
	k, named := kinds[does.Family]
	if !named || does.ID == nil || len(r.names.here) == 0 {
		return e
	}
	here, known := r.names.here[name{k, *does.ID}]
	if !known || here == *does.ID {
		return e
	}
	return withID(e, here)
}

// withID is a copy of an event that is about another item.
func withID(e protocol.Event, id string) protocol.Event {
	other := reflect.New(reflect.TypeOf(e).Elem())
	other.Elem().Set(reflect.ValueOf(e).Elem())
	renamed := other.Interface().(protocol.Event)
	*protocol.EffectOf(renamed).ID = id
	return renamed
}

// startHere names a call, and the message that carries it: the parent, or one of the
// call's own id.
func (r *relay) startHere(e *protocol.ToolCallStart) protocol.Event {
	id, parent := r.names.latest(kindCall, e.ToolCallID), e.ParentMessageID
	switch {
	case r.names.taken(kindCall, id): // it goes on where it is
	case parent != nil && *parent != "":
		if here, other := r.names.begin(kindAssistant, *parent); here != *parent {
			if parent = &here; other {
				r.repaired(RepairMessageID)
			}
		}
	case r.names.taken("", id) || len(id) > maxIDBytes:
		carrier := aliasOf(kindAssistant, e.ToolCallID, r.to.NewID())
		parent = &carrier
		r.repaired(RepairMessageID)
	}
	if id == e.ToolCallID && parent == e.ParentMessageID {
		return e
	}
	other := *e
	other.ToolCallID, other.ParentMessageID = id, parent
	return &other
}

// resultHere names a result, whose message is new, and finds its call.
func (r *relay) resultHere(e *protocol.ToolCallResult) protocol.Event {
	call, id := r.names.latest(kindCall, e.ToolCallID), e.MessageID
	if r.names.taken(kindTool, id) || !tellable(kindTool, id) {
		id = aliasOf(kindTool, id, r.to.NewID())
		r.repaired(RepairMessageID)
	}
	if call == e.ToolCallID && id == e.MessageID {
		return e
	}
	other := *e
	other.ToolCallID, other.MessageID = call, id
	return &other
}

// activityHere names an activity, which may be told again in a later turn.
func (r *relay) activityHere(e protocol.Event, id *string) protocol.Event {
	here := r.names.latest(kindActivity, *id)
	if role, taken := r.to.Role(here); taken && role != protocol.RoleActivity || !tellable(kindActivity, *id) && here == *id {
		here = r.names.alias(kindActivity, *id)
		r.repaired(RepairMessageID)
	}
	if here == *id {
		return e
	}
	switch e := e.(type) {
	case *protocol.ActivitySnapshot:
		other := *e
		other.MessageID = here
		return &other
	case *protocol.ActivityDelta:
		other := *e
		other.MessageID = here
		return &other
	}
	return e
}
