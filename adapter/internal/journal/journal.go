// Package journal reads what an execution has recorded.
package journal

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// known reports whether this build can read on from an entry of the kind, or knows
// that nobody can.
func known(k store.EntryKind) bool {
	switch k {
	case store.EntryStart, store.EntryStep, store.EntryAsk, store.EntryAnswer, store.EntryFork, store.EntryBranch, store.EntryJoin, store.EntryRename, "":
		return true
	}
	return false
}

// unknownKind is an error that a node which knows the kind will not have. It costs no
// attempts: they count lost workers.
func unknownKind(kind store.EntryKind) error {
	return &node.ActivationError{
		Code: adapter.CodeStateCorrupted, Text: fmt.Sprintf("the journal has an entry of a kind that is not known to this server: %q", kind),
		Elsewhere: true,
	}
}

// SystemScope holds the asks that are outside the agent's numbering.
const SystemScope = "!"

func OrdinalKey(name string, n int) string { return name + "#" + strconv.Itoa(n) }

// Journal is what an execution has recorded, arranged for replay. It is read
// by the branches of one execution under that execution's lock.
type Journal struct {
	Scopes   map[string][]*store.JournalEntry            // what each scope meets, in order
	Steps    map[store.StepRef]*store.JournalEntry       // recorded steps
	met      map[store.StepRef]bool                      // in scopes
	Inputs   map[store.StepRef]string                    // digests of steps' inputs
	Started  map[store.StepRef]bool                      // not idempotent, started and not recorded, undecided
	About    map[store.StepRef]*store.StepAbout          // what is said of started steps
	Why      map[store.StepRef]string                    // why it is not known what became of them, by their own worker; "": it was lost
	Decided  map[store.StepRef]uncertainty               // what a human said of a started step
	BrokeOff map[store.StepRef]bool                      // asked about by their own worker: what was emitted before them stands
	Answers  map[*store.JournalEntry]*store.JournalEntry // of each ask
	Answered *store.JournalEntry                         // the last answer
	Called   *store.Child                                // what the ask of the last answer has called; nil: nothing
	Latest   *protocol.RunAgentInput                     // of the last answer that brought something; nil: none did
	Failure  string                                      // of the last answer
	Final    bool                                        // of the last answer
	Stopped  bool                                        // the last answer ends the execution
	Renames  int                                         // how often
	Renamed  map[string]string                           // subagents, by the agent's own ids
	unasked  *store.JournalEntry                         // the last ask, if it has no answer
	Last     int64                                       // position of the last entry that is final
	Asked    string                                      // the trace of the run that asked last; "": it has none
	Asks     int                                         // asks so far, systemScope included
	Behind   int                                         // entries behind the last answer, bookkeeping included
	Effects  bool                                        // among those are others than starts and bookkeeping
	Entries  int                                         // bookkeeping aside
	Others   []string                                    // users whose messages have joined, or were given to what was called
	Ran      RanSteps                                    // since the last answer
}

// ReadJournal arranges a stored journal.
func ReadJournal(entries []json.RawMessage) (*Journal, error) {
	j := &Journal{
		Scopes:   map[string][]*store.JournalEntry{},
		Steps:    map[store.StepRef]*store.JournalEntry{},
		met:      map[store.StepRef]bool{},
		Inputs:   map[store.StepRef]string{},
		Started:  map[store.StepRef]bool{},
		About:    map[store.StepRef]*store.StepAbout{},
		Why:      map[store.StepRef]string{},
		Decided:  map[store.StepRef]uncertainty{},
		BrokeOff: map[store.StepRef]bool{},
		Answers:  map[*store.JournalEntry]*store.JournalEntry{},
		Renamed:  map[string]string{},
	}
	for i, raw := range entries {
		r := new(store.JournalEntry)
		if err := stored.Decode(raw, r, "journal entry %d", i); err != nil {
			// The members of an entry of an unknown kind may be of other types.
			var of struct{ Kind store.EntryKind }
			if json.Unmarshal(raw, &of) == nil && !known(of.Kind) {
				err = unknownKind(of.Kind)
			}
			return nil, err
		}
		if err := j.add(r); err != nil {
			return nil, fmt.Errorf("adapter: journal entry %d: %w", i, err)
		}
	}
	return j, nil
}

func (j *Journal) add(r *store.JournalEntry) error {
	ref := store.StepRef{Scope: r.Scope, Key: r.Key}
	if r.Kind != store.EntryRename {
		j.Entries++
	}
	j.Wrote(r)
	switch r.Kind {
	case store.EntryStart:
		j.meet(ref, r)
		if r.Digest != "" {
			j.Inputs[ref] = r.Digest
		}
		if !r.Idempotent {
			j.Started[ref] = true
			j.About[ref], j.Why[ref] = r.About, r.BrokeOff
			delete(j.Decided, ref)
		}
		return nil
	case store.EntryStep:
		j.meet(ref, r)
		j.Steps[ref] = r
		delete(j.Started, ref)
		delete(j.About, ref)
		delete(j.Decided, ref)
		j.Ran.Add(r.Key, r.Failed != nil, time.Time{}, 0)
	case store.EntryAsk:
		if r.Scope != SystemScope {
			j.Scopes[r.Scope] = append(j.Scopes[r.Scope], r)
		} else if IsPause(r) {
			j.Scopes[""] = append(j.Scopes[""], r) // the agent's function met it on its way
		}
		if isBreak(r) {
			for _, ref := range r.Steps {
				j.BrokeOff[ref] = true
			}
		}
		j.unasked, j.Asked = r, r.Trace
		j.Asks++
	case store.EntryAnswer:
		ask := j.unasked
		if ask == nil {
			return stored.Corrupted("an answer without an ask")
		}
		j.unasked = nil
		j.Answers[ask] = r
		j.Behind, j.Effects, j.Ran = 0, false, RanSteps{}
		j.Answered, j.Called = r, ask.Child
		j.Others = append(j.Others, r.Users...)
		if r.Input != nil {
			j.Latest = r.Input
		}
		j.Failure, j.Final = r.Failure, r.Final
		j.Stopped = r.Stops || stopsAtPause(ask, r)
		for i, ref := range ask.Steps {
			if i < len(r.Entries) {
				j.Decided[ref] = readUncertainty(r.Entries[i])
				delete(j.Started, ref)
			}
		}
	case store.EntryRename:
		maps.Copy(j.Renamed, r.Renamed)
		j.Renames++
	case store.EntryJoin:
		j.Scopes[r.Scope] = append(j.Scopes[r.Scope], r)
		j.Others = append(j.Others, r.Users...)
	case store.EntryFork, store.EntryBranch:
		j.Scopes[r.Scope] = append(j.Scopes[r.Scope], r)
	case "":
		return stored.Corrupted("an entry of no kind")
	default:
		return unknownKind(r.Kind)
	}
	j.Last = max(j.Last, r.Position)
	return nil
}

// Wrote counts an entry behind the last answer.
func (j *Journal) Wrote(r *store.JournalEntry) {
	j.Behind++
	j.Effects = j.Effects || r.Kind != store.EntryStart && r.Kind != store.EntryRename
}

// meet lets a step's scope meet its first entry.
func (j *Journal) meet(ref store.StepRef, r *store.JournalEntry) {
	if !j.met[ref] {
		j.met[ref] = true
		j.Scopes[r.Scope] = append(j.Scopes[r.Scope], r)
	}
}

// Uncertain returns the steps that were started and not recorded, in the order
// of the journal.
func (j *Journal) Uncertain() []store.StepRef {
	var refs []store.StepRef
	for _, entries := range j.Scopes {
		for _, r := range entries {
			if ref := (store.StepRef{Scope: r.Scope, Key: r.Key}); r.Kind == store.EntryStart && j.Started[ref] {
				refs = append(refs, ref)
			}
		}
	}
	sortRefs(refs)
	return refs
}
