package execution

import (
	"slices"

	"github.com/aguiws/aguiws/adapter/internal/journal"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// scope is a line of calls that is numbered on its own: the agent's function,
// or a branch of Parallel. Guarded by the execution's lock.
type scope struct {
	name    string
	branch  bool
	entries []*store.JournalEntry // what the journal holds for it
	final   int                   // how many of them a takeover cannot take back
	cursor  int                   // how many of them the replay has met
	names   map[string]int
	ids     int
	calls   map[string]int // carried out so far, by id
	keys    string         // begins what idempotency keys derive from
	step    string         // key of the step that is running
	stepIDs int
	told    bool // that step has emitted something
	// shadow is what the replayed emissions would hold open; reopen what of it
	// is closed on the wire and must be opened again before it goes on.
	shadow *fold.Fold
	reopen map[protocol.ItemKey]protocol.Event
	held   []protocol.Event // in a branch: emitted since its last entry
	// heldTexts are those of held that have one already; nil: none has.
	heldTexts [][]byte
	forked    bool // Parallel has its branches running
}

func newScope(j *journal.Journal, name string, branch bool) *scope {
	s := &scope{name: name, branch: branch, entries: j.Scopes[name], names: map[string]int{}, calls: map[string]int{}}
	for i, r := range s.entries {
		ref := store.StepRef{Scope: name, Key: r.Key}
		if r.Kind != store.EntryStart || j.Steps[ref] != nil || j.BrokeOff[ref] {
			s.final = i + 1
		}
	}
	if s.final > 0 {
		s.shadow = fold.New(nil, nil)
		s.shadow.Apply(&protocol.RunStarted{})
	}
	return s
}

// live reports whether what is emitted now is new.
func (s *scope) live() bool { return s.cursor >= s.final }

// next returns the entry that the journal holds for the next call, nil past
// its end.
func (s *scope) next() *store.JournalEntry {
	if s.cursor >= len(s.entries) {
		return nil
	}
	return s.entries[s.cursor]
}

// number returns the key of the next call of that name.
func (s *scope) number(name string) string {
	s.names[name]++
	return journal.OrdinalKey(name, s.names[name])
}

func (s *scope) newID(execution string) string {
	if s.step != "" {
		s.stepIDs++
		return journal.Derive(execution, s.name+"/"+s.step, s.stepIDs)
	}
	s.ids++
	return journal.Derive(execution, s.name, s.ids)
}

// hold keeps events of a branch back.
func (s *scope) hold(events []protocol.Event, texts [][]byte) {
	if texts != nil || s.heldTexts != nil {
		s.heldTexts = append(s.heldTexts, make([][]byte, len(s.held)-len(s.heldTexts))...)
		if texts == nil {
			texts = make([][]byte, len(events))
		}
		s.heldTexts = append(s.heldTexts, texts...)
	}
	s.held = append(s.held, slices.Clone(events)...)
}

// passPauses goes past the pauses before the step that is called: what was
// emitted up to them is on the wire.
func (s *scope) passPauses() {
	for r := s.next(); r != nil && journal.IsPause(r); r = s.next() {
		s.cursor++
	}
}
