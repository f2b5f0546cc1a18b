package order

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// admitted judges the event by the phase of the stream alone.
func (s *Sequence) admitted(e protocol.Event) error {
	_, starts := e.(*protocol.RunStarted)
	_, fails := e.(*protocol.RunError)
	switch {
	case s.phase == phaseRunning && !starts:
		return nil
	case s.phase == phaseRunning:
		return s.broken(RuleActive, s.runID, "RUN_STARTED while run %q is active", s.runID)
	case s.phase == phaseNew && !starts && !fails:
		return s.broken(RuleFirst, "", "the first event is %s, not RUN_STARTED", e.Type())
	case s.phase == phaseFinished && !starts && !fails:
		return s.broken(RuleOver, "", "%s after RUN_FINISHED", e.Type())
	case s.phase == phaseErrored && !starts:
		return s.broken(RuleOver, "", "%s after RUN_ERROR", e.Type())
	}
	return nil
}

func (s *Sequence) runStarted(e *protocol.RunStarted) error {
	if s.bound && e.ThreadID != s.threadID {
		return s.broken(RuleIDs, e.ThreadID, "a run of thread %q in a stream of thread %q", e.ThreadID, s.threadID)
	}
	s.phase, s.bound, s.threadID, s.runID = phaseRunning, true, e.ThreadID, e.RunID
	s.texts, s.calls, s.reasoning = map[string]*item{}, map[string]*item{}, map[string]*item{}
	if s.baselines == nil {
		s.baselines = map[string]bool{}
	}
	for id := range s.activities {
		s.baselines[id] = true
	}
	s.activities = map[string]protocol.Owner{}
	s.steps = map[stepKey]bool{}
	s.subagents = map[string]bool{}
	s.open = [protocol.Families]int{}
	if s.seeded { // for the run before this one
		s.seed = seed{}
	}
	s.seeded = true
	if e.Input != nil {
		s.learn(e.Input.Messages, false)
	}
	return nil
}

func (s *Sequence) runFinished(e *protocol.RunFinished) error {
	if e.ThreadID != s.threadID {
		return s.broken(RuleIDs, e.ThreadID, "RUN_FINISHED of thread %q in a run of thread %q", e.ThreadID, s.threadID)
	}
	if e.RunID != s.runID {
		return s.broken(RuleIDs, e.RunID, "RUN_FINISHED of run %q closes run %q", e.RunID, s.runID)
	}
	if err := s.nothingOpen(); err != nil {
		return err
	}
	if o := e.Outcome; o != nil && o.Type == protocol.OutcomeInterrupt {
		if len(o.Interrupts) == 0 {
			return s.broken(RuleOutcome, "", "an interrupt outcome needs an interrupt")
		}
		ids := make(map[string]bool, len(o.Interrupts))
		for _, i := range o.Interrupts {
			if ids[i.ID] {
				return s.broken(RuleInterrupt, i.ID, "two interrupts carry the id %q", i.ID)
			}
			ids[i.ID] = true
		}
	}
	s.phase = phaseFinished
	return nil
}

// nothingOpen names what a finishing run has left open.
func (s *Sequence) nothingOpen() error {
	if len(s.steps) > 0 {
		var names []string
		for k := range s.steps {
			names = append(names, strconv.Quote(k.name)+" of "+k.owner.String())
		}
		return s.leftOpen("steps", names)
	}
	for _, family := range []protocol.Family{protocol.FamilyText, protocol.FamilyReasoning, protocol.FamilySpan, protocol.FamilyToolCall} {
		if s.open[family] == 0 {
			continue
		}
		var ids []string
		for id, it := range s.items(family) {
			if *it.flag(family) {
				ids = append(ids, strconv.Quote(id))
			}
		}
		return s.leftOpen(itemNames[family]+"s", ids)
	}
	var ids []string
	for id, active := range s.subagents {
		if active {
			ids = append(ids, strconv.Quote(id))
		}
	}
	if ids != nil {
		return s.leftOpen("subagents", ids)
	}
	return nil
}

func (s *Sequence) leftOpen(what string, ids []string) error {
	slices.Sort(ids)
	list := strings.Join(ids, ", ")
	return s.broken(RuleLeftOpen, list, "RUN_FINISHED while %s are open: %s", what, list)
}

// learn records whose messages and calls are. A snapshot is authoritative; the
// history in an input fills in what nothing else has claimed.
func (s *Sequence) learn(messages protocol.Messages, authoritative bool) {
	for i := range messages {
		m := &messages[i]
		o := protocol.NewOwner(m.SubagentRunID)
		if family := familyOf(m.Role); family != protocol.FamilyActivity {
			s.learnItem(family, m.ID, o, authoritative)
		} else if _, known := s.activities[m.ID]; authoritative || !known {
			s.ownActivity(m.ID, o)
		}
		for _, c := range m.ToolCalls {
			s.learnItem(protocol.FamilyToolCall, c.ID, o, authoritative)
		}
	}
}

func familyOf(role protocol.Role) protocol.Family {
	switch role {
	case protocol.RoleActivity:
		return protocol.FamilyActivity
	case protocol.RoleReasoning:
		return protocol.FamilyReasoning
	}
	return protocol.FamilyText
}

// learnItem records an owner. An authoritative one replaces what was known.
func (s *Sequence) learnItem(family protocol.Family, id string, o protocol.Owner, authoritative bool) {
	items := s.items(family)
	it := items[id]
	if it == nil {
		it = &item{owner: o}
		items[id] = it
	}
	if authoritative {
		it.owner = o
		s.seed.drop(entity{family, id})
	}
}

func (s *Sequence) ownActivity(id string, o protocol.Owner) {
	s.activities[id] = o
	s.seed.drop(entity{protocol.FamilyActivity, id})
}

// Clone returns a sequence that goes on independently.
func (s *Sequence) Clone() *Sequence {
	c := *s
	c.chunks = s.chunks.Clone()
	c.seed = s.seed.clone()
	c.texts, c.calls, c.reasoning = cloneItems(s.texts), cloneItems(s.calls), cloneItems(s.reasoning)
	c.activities, c.steps, c.subagents = maps.Clone(s.activities), maps.Clone(s.steps), maps.Clone(s.subagents)
	c.baselines = maps.Clone(s.baselines)
	return &c
}

func cloneItems(items map[string]*item) map[string]*item {
	if items == nil {
		return nil
	}
	c := make(map[string]*item, len(items))
	for id, it := range items {
		copied := *it
		c[id] = &copied
	}
	return c
}
