package order

import "github.com/aguiws/aguiws/protocol"

func (s *Sequence) items(family protocol.Family) map[string]*item {
	switch family {
	case protocol.FamilyText:
		return s.texts
	case protocol.FamilyToolCall:
		return s.calls
	}
	return s.reasoning
}

var itemNames = map[protocol.Family]string{
	protocol.FamilyText: "text message", protocol.FamilyReasoning: "reasoning message", protocol.FamilySpan: "reasoning span", protocol.FamilyToolCall: "tool call",
}

// flag is where an item notes that it is open: a reasoning span and a reasoning
// message may share an id and an owner, and open and close on their own.
func (i *item) flag(family protocol.Family) *bool {
	if family == protocol.FamilySpan {
		return &i.span
	}
	return &i.open
}

// mine compares an event's tag with the owner. No tag agrees with everyone.
func (s *Sequence) mine(e protocol.Event, o protocol.Owner, id string, tag *string) error {
	if tag == nil || o == protocol.NewOwner(tag) {
		return nil
	}
	return s.broken(RuleOwner, id, "%s for %q is of %v, which belongs to %v", e.Type(), id, protocol.NewOwner(tag), o)
}

// held compares a tag with the owner that the peer held before the stream.
func (s *Sequence) held(e protocol.Event, family protocol.Family, id string, tag *string) error {
	if s.seed.held == nil || tag == nil {
		return nil
	}
	if family == protocol.FamilySpan {
		family = protocol.FamilyReasoning
	}
	if o, known := s.seed.owner(entity{family, id}); known {
		return s.mine(e, o, id, tag)
	}
	return nil
}

// owners lists whose something is, by the stream and by what was held before.
func (s *Sequence) owners(family protocol.Family, id string) []protocol.Owner {
	var list []protocol.Owner
	if it := s.items(family)[id]; it != nil {
		list = append(list, it.owner)
	}
	if o, known := s.seed.owner(entity{family, id}); known {
		list = append(list, o)
	}
	return list
}

func (s *Sequence) extend(e protocol.Event, x protocol.Effect) error {
	it := s.items(x.Family)[*x.ID]
	if it == nil || !*it.flag(x.Family) {
		return s.broken(RuleNotOpen, *x.ID, "%s: no %s %q is open", e.Type(), itemNames[x.Family], *x.ID)
	}
	return s.mine(e, it.owner, *x.ID, x.Owner)
}

func (s *Sequence) end(e protocol.Event, x protocol.Effect) error {
	if err := s.extend(e, x); err != nil {
		return err
	}
	family, it := x.Family, s.items(x.Family)[*x.ID]
	*it.flag(family) = false
	s.open[family]--
	if s.undo != nil {
		s.onUndo(func() { *it.flag(family) = true; s.open[family]++ })
	}
	return nil
}

// start opens an item that passed every check.
func (s *Sequence) start(x protocol.Effect, it *item, o protocol.Owner) *item {
	family, id := x.Family, *x.ID
	items := s.items(family)
	if s.undo != nil {
		s.onUndo(unstart(s, family, id, it))
	}
	if it == nil {
		it = &item{owner: o}
		items[id] = it
	}
	*it.flag(family) = true
	s.open[family]++
	return it
}

// unstart takes back the start of an item, which was as given: nil for one that was not.
func unstart(s *Sequence, family protocol.Family, id string, it *item) func() {
	var before item
	if it != nil {
		before = *it
	}
	return func() {
		s.open[family]--
		if it == nil {
			delete(s.items(family), id)
			return
		}
		*it = before
	}
}

func (s *Sequence) startable(e protocol.Event, x protocol.Effect, it *item) error {
	if it != nil {
		if *it.flag(x.Family) {
			return s.broken(RuleOpen, *x.ID, "%s: %s %q is open already", e.Type(), itemNames[x.Family], *x.ID)
		}
		if err := s.mine(e, it.owner, *x.ID, x.Owner); err != nil {
			return err
		}
	}
	return s.held(e, x.Family, *x.ID, x.Owner)
}

func (s *Sequence) textStart(e *protocol.TextMessageStart, x protocol.Effect) error {
	it := s.texts[e.MessageID]
	if err := s.startable(e, x, it); err != nil {
		return err
	}
	role := e.Role
	if role == "" {
		role = protocol.RoleAssistant
	}
	if it != nil && it.started && (it.role != role || it.name != e.Name) {
		return s.broken(RuleReopen, e.MessageID, "message %q was opened as %s %q and is opened again as %s %q",
			e.MessageID, it.role, it.name, role, e.Name)
	}
	it = s.start(x, it, protocol.NewOwner(x.Owner))
	it.started, it.role, it.name = true, role, e.Name
	return nil
}

func (s *Sequence) callStart(e *protocol.ToolCallStart, x protocol.Effect) error {
	it := s.calls[e.ToolCallID]
	if err := s.startable(e, x, it); err != nil {
		return err
	}
	o := protocol.NewOwner(e.SubagentRunID)
	if e.ParentMessageID != nil {
		if err := s.carried(e, *e.ParentMessageID); err != nil {
			return err
		}
		if parent := s.texts[*e.ParentMessageID]; parent != nil {
			o = parent.owner
		}
	}
	if it != nil && it.started && it.name != e.ToolCallName {
		return s.broken(RuleReopen, e.ToolCallID, "tool call %q was opened as %q and is opened again as %q",
			e.ToolCallID, it.name, e.ToolCallName)
	}
	it = s.start(x, it, o)
	it.started, it.name = true, e.ToolCallName
	return nil
}

// carried compares a call with the message that carries it: by the call's tag,
// or without one by whose the call is known to be.
func (s *Sequence) carried(e *protocol.ToolCallStart, message string) error {
	calls := []protocol.Owner{protocol.NewOwner(e.SubagentRunID)}
	if e.SubagentRunID == nil {
		calls = s.owners(protocol.FamilyToolCall, e.ToolCallID)
	}
	for _, parent := range s.owners(protocol.FamilyText, message) {
		for _, call := range calls {
			if call != parent {
				return s.broken(RuleOwner, e.ToolCallID, "tool call %q is of %v, its message %q of %v",
					e.ToolCallID, call, message, parent)
			}
		}
	}
	return nil
}

func (s *Sequence) reasoningStart(e protocol.Event, x protocol.Effect) error {
	it := s.reasoning[*x.ID]
	if err := s.startable(e, x, it); err != nil {
		return err
	}
	s.start(x, it, protocol.NewOwner(x.Owner))
	return nil
}

// sealed judges an encrypted value, which may come after its entity closed. An
// entity that nobody has seen is none of our business.
func (s *Sequence) sealed(e *protocol.ReasoningEncryptedValue) error {
	family := protocol.FamilyToolCall
	if e.Subtype != protocol.SubtypeToolCall {
		if family = protocol.FamilyText; s.texts[e.EntityID] == nil {
			family = protocol.FamilyReasoning
		}
	}
	if it := s.items(family)[e.EntityID]; it != nil {
		return s.mine(e, it.owner, e.EntityID, e.SubagentRunID)
	}
	return nil
}

func (s *Sequence) stepStarted(e *protocol.StepStarted) error {
	key := stepKey{protocol.NewOwner(e.SubagentRunID), e.StepName}
	if s.steps[key] {
		return s.broken(RuleOpen, e.StepName, "step %q of %v is open already", e.StepName, key.owner)
	}
	s.steps[key] = true
	return nil
}

func (s *Sequence) stepFinished(e *protocol.StepFinished) error {
	key := stepKey{protocol.NewOwner(e.SubagentRunID), e.StepName}
	if s.steps[key] {
		delete(s.steps, key)
		return nil
	}
	for other := range s.steps {
		if other.name == e.StepName {
			return s.broken(RuleOwner, e.StepName, "step %q was started by %v and cannot be finished by %v",
				e.StepName, other.owner, key.owner)
		}
	}
	return s.broken(RuleNotOpen, e.StepName, "step %q was not started", e.StepName)
}

func (s *Sequence) subagentStarted(e *protocol.SubagentStarted) error {
	if active, known := s.subagents[e.SubagentRunID]; active {
		return s.broken(RuleSubagent, e.SubagentRunID, "subagent %q is active already", e.SubagentRunID)
	} else if known {
		return s.broken(RuleSubagent, e.SubagentRunID, "subagent %q has ended in this run", e.SubagentRunID)
	}
	if p := e.ParentSubagentRunID; p != nil {
		if _, known := s.subagents[*p]; !known {
			return s.broken(RuleSubagent, *p, "subagent %q has a parent %q that has not been started in this run", e.SubagentRunID, *p)
		}
	}
	s.subagents[e.SubagentRunID] = true
	return nil
}

func (s *Sequence) subagentEnded(e protocol.Event, id string) error {
	if !s.subagents[id] {
		return s.broken(RuleSubagent, id, "%s: subagent %q is not active", e.Type(), id)
	}
	s.subagents[id] = false
	return nil
}

func (s *Sequence) activitySnapshot(e *protocol.ActivitySnapshot) {
	replaces := e.Replace == nil || *e.Replace
	if _, known := s.activities[e.MessageID]; !known && !replaces {
		s.activities[e.MessageID] = protocol.NewOwner(e.SubagentRunID)
	} else if replaces {
		s.ownActivity(e.MessageID, protocol.NewOwner(e.SubagentRunID))
	}
}

func (s *Sequence) activityDelta(e *protocol.ActivityDelta) error {
	o, known := s.activities[e.MessageID]
	if known {
		if err := s.mine(e, o, e.MessageID, e.SubagentRunID); err != nil {
			return err
		}
	}
	_, seeded := s.seed.owner(entity{protocol.FamilyActivity, e.MessageID})
	if !known && !seeded && !s.baselines[e.MessageID] {
		return s.broken(RuleBaseline, e.MessageID, "ACTIVITY_DELTA for %q, which has no snapshot", e.MessageID)
	}
	return s.held(e, protocol.FamilyActivity, e.MessageID, e.SubagentRunID)
}
