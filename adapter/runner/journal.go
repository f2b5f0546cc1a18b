package runner

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/aguiws/aguiws/adapter"
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
	return &activationError{
		code: adapter.CodeStateCorrupted, text: fmt.Sprintf("the journal has an entry of a kind that is not known to this server: %q", kind),
		elsewhere: true,
	}
}

// systemScope holds the asks that are outside the agent's numbering.
const systemScope = "!"

func ordinalKey(name string, n int) string { return name + "#" + strconv.Itoa(n) }

// journal is what an execution has recorded, arranged for replay. It is read
// by the branches of one execution under that execution's lock.
type journal struct {
	scopes   map[string][]*store.JournalEntry            // what each scope meets, in order
	steps    map[store.StepRef]*store.JournalEntry       // recorded steps
	met      map[store.StepRef]bool                      // in scopes
	given    map[store.StepRef]string                    // digests of what steps were given
	started  map[store.StepRef]bool                      // not idempotent, started and not recorded, undecided
	about    map[store.StepRef]*store.StepAbout          // what is said of started steps
	decided  map[store.StepRef]uncertainty               // what a human said of a started step
	brokeOff map[store.StepRef]bool                      // asked about by their own worker: what was emitted before them stands
	answers  map[*store.JournalEntry]*store.JournalEntry // of each ask
	answered *store.JournalEntry                         // the last answer
	latest   *protocol.RunAgentInput                     // of the last answer that brought something; nil: none did
	failure  string                                      // of the last answer
	final    bool                                        // of the last answer
	stopped  bool                                        // the last answer ends the execution
	renames  int                                         // how often
	renamed  map[string]string                           // subagents, by the agent's own ids
	unasked  *store.JournalEntry                         // the last ask, if it has no answer
	last     int64                                       // position of the last entry that is final
	asks     int                                         // asks so far, systemScope included
	behind   int                                         // entries behind the last answer, bookkeeping included
	effects  bool                                        // among those are others than starts and bookkeeping
	entries  int                                         // bookkeeping aside
	steered  []string                                    // users whose messages have joined
	ran      ranSteps                                    // since the last answer
}

// readJournal arranges a stored journal.
func readJournal(entries []json.RawMessage) (*journal, error) {
	j := &journal{
		scopes:   map[string][]*store.JournalEntry{},
		steps:    map[store.StepRef]*store.JournalEntry{},
		met:      map[store.StepRef]bool{},
		given:    map[store.StepRef]string{},
		started:  map[store.StepRef]bool{},
		about:    map[store.StepRef]*store.StepAbout{},
		decided:  map[store.StepRef]uncertainty{},
		brokeOff: map[store.StepRef]bool{},
		answers:  map[*store.JournalEntry]*store.JournalEntry{},
		renamed:  map[string]string{},
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

func (j *journal) add(r *store.JournalEntry) error {
	ref := store.StepRef{Scope: r.Scope, Key: r.Key}
	if r.Kind != store.EntryRename {
		j.entries++
	}
	j.wrote(r)
	switch r.Kind {
	case store.EntryStart:
		j.meet(ref, r)
		if r.Digest != "" {
			j.given[ref] = r.Digest
		}
		if !r.Idempotent {
			j.started[ref] = true
			j.about[ref] = r.About
			delete(j.decided, ref)
		}
		return nil
	case store.EntryStep:
		j.meet(ref, r)
		j.steps[ref] = r
		delete(j.started, ref)
		delete(j.about, ref)
		delete(j.decided, ref)
		j.ran.add(r.Key, r.Failed != nil, time.Time{})
	case store.EntryAsk:
		if r.Scope != systemScope {
			j.scopes[r.Scope] = append(j.scopes[r.Scope], r)
		} else if isPause(r) {
			j.scopes[""] = append(j.scopes[""], r) // the agent's function met it on its way
		}
		if isBreak(r) {
			for _, ref := range r.Steps {
				j.brokeOff[ref] = true
			}
		}
		j.unasked = r
		j.asks++
	case store.EntryAnswer:
		ask := j.unasked
		if ask == nil {
			return stored.Corrupted("an answer without an ask")
		}
		j.unasked = nil
		j.answers[ask] = r
		j.behind, j.effects, j.ran = 0, false, ranSteps{}
		j.answered = r
		if r.Input != nil {
			j.latest = r.Input
		}
		j.failure, j.final = r.Failure, r.Final
		j.stopped = r.Stops || stopsAtPause(ask, r)
		for i, ref := range ask.Steps {
			if i < len(r.Entries) {
				j.decided[ref] = readUncertainty(r.Entries[i])
				delete(j.started, ref)
			}
		}
	case store.EntryRename:
		maps.Copy(j.renamed, r.Renamed)
		j.renames++
	case store.EntryJoin:
		j.scopes[r.Scope] = append(j.scopes[r.Scope], r)
		j.steered = append(j.steered, r.Users...)
	case store.EntryFork, store.EntryBranch:
		j.scopes[r.Scope] = append(j.scopes[r.Scope], r)
	case "":
		return stored.Corrupted("an entry of no kind")
	default:
		return unknownKind(r.Kind)
	}
	j.last = max(j.last, r.Position)
	return nil
}

// wrote counts an entry behind the last answer.
func (j *journal) wrote(r *store.JournalEntry) {
	j.behind++
	j.effects = j.effects || r.Kind != store.EntryStart && r.Kind != store.EntryRename
}

// meet lets a step's scope meet its first entry.
func (j *journal) meet(ref store.StepRef, r *store.JournalEntry) {
	if !j.met[ref] {
		j.met[ref] = true
		j.scopes[r.Scope] = append(j.scopes[r.Scope], r)
	}
}

// uncertain returns the steps that were started and not recorded, in the order
// of the journal.
func (j *journal) uncertain() []store.StepRef {
	var refs []store.StepRef
	for _, entries := range j.scopes {
		for _, r := range entries {
			if ref := (store.StepRef{Scope: r.Scope, Key: r.Key}); r.Kind == store.EntryStart && j.started[ref] {
				refs = append(refs, ref)
			}
		}
	}
	sortRefs(refs)
	return refs
}
