package adapter

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"

	"github.com/aguiws/aguiws/protocol"
)

// recordKind says what an execution recorded.
type recordKind string

const (
	recordStart  recordKind = "start"  // a step was started that is not idempotent, or is given something
	recordStep   recordKind = "step"   // a step ended, with a result or an error
	recordAsk    recordKind = "ask"    // the execution suspended
	recordAnswer recordKind = "answer" // the decisions of the ask before it
	recordFork   recordKind = "fork"   // Parallel begins
	recordBranch recordKind = "branch" // a branch of Parallel has returned
	recordRename recordKind = "rename" // bookkeeping: a takeover gave ids that cannot be used again new ones
)

// known reports whether this build can read on from an entry of the kind, or knows
// that nobody can.
func (k recordKind) known() bool {
	switch k {
	case recordStart, recordStep, recordAsk, recordAnswer, recordFork, recordBranch, recordRename, "":
		return true
	}
	return false
}

// unknownKind is an error that a node which knows the kind will not have. It costs no
// attempts: they count lost workers.
func unknownKind(kind recordKind) error {
	return &undeliverable{
		code: CodeStateCorrupted, text: fmt.Sprintf("the journal has a record of a kind that is not known to this server: %q", kind),
		elsewhere: true,
	}
}

// systemScope holds the asks that are outside the agent's numbering.
const systemScope = "!"

// record is one entry of a journal.
type record struct {
	Kind  recordKind `json:"kind"`
	Scope string     `json:"scope,omitempty"` // "" is the agent's function, "fork#1/0" a branch
	Key   string     `json:"key,omitempty"`   // name and ordinal within the scope
	// Position is the log's end when the record was written: all before it is
	// final, what follows may be taken back by a takeover.
	Position int64 `json:"position"`

	Result json.RawMessage `json:"result,omitempty"` // step
	Failed *string         `json:"failed,omitempty"` // step: the error's text

	Idempotent bool `json:"idempotent,omitempty"` // start: the step may run again

	Branches int  `json:"branches,omitempty"` // fork
	OwnKeys  bool `json:"ownKeys,omitempty"`  // fork: each branch has idempotency keys of its own

	Digest string          `json:"digest,omitempty"` // ask, start: of what was asked or given; "" is not compared
	Calls  []suspendedCall `json:"calls,omitempty"`  // ask: the calls to carry out
	IDs    []string        `json:"ids,omitempty"`    // ask: interrupt ids in order
	Steps  []stepRef       `json:"steps,omitempty"`  // ask in systemScope: the uncertain steps, in order of IDs

	Entries  []protocol.ResumeEntry `json:"entries,omitempty"`  // answer, in the ask's order
	Messages protocol.Messages      `json:"messages,omitempty"` // answer: messages that came with it
	Run      string                 `json:"run,omitempty"`      // answer: the label of the run it began

	Final   bool   `json:"final,omitempty"`   // answer: nobody's to give back
	Failure string `json:"failure,omitempty"` // answer: the run ends with this code instead of continuing

	Renamed map[string]string `json:"renamed,omitempty"` // rename: subagents, by the agent's own ids
}

// stepRef names a step across scopes.
type stepRef struct {
	Scope string `json:"scope,omitempty"`
	Key   string `json:"key"`
}

func (r *record) String() string {
	where := ""
	if r.Scope != "" {
		where = " in " + r.Scope
	}
	return fmt.Sprintf("%s %s%s", r.Kind, r.Key, where)
}

func ordinalKey(name string, n int) string { return name + "#" + strconv.Itoa(n) }

// journal is what an execution has recorded, arranged for replay. It is read
// by the branches of one execution under that execution's lock.
type journal struct {
	scopes   map[string][]*record    // what each scope meets, in order
	steps    map[stepRef]*record     // recorded steps
	met      map[stepRef]bool        // in scopes
	given    map[stepRef]string      // digests of what steps were given
	started  map[stepRef]bool        // not idempotent, started and not recorded, undecided
	decided  map[stepRef]uncertainty // what a human said of a started step
	answers  map[*record]*record     // of each ask
	answered *record                 // the last answer
	failure  string                  // of the last answer
	final    bool                    // of the last answer
	stopped  bool                    // the last answer ends the execution
	renames  int                     // how often
	renamed  map[string]string       // subagents, by the agent's own ids
	unasked  *record                 // the last ask, if it has no answer
	last     int64                   // position of the last record that is final
	asks     int                     // asks so far, systemScope included
	records  int                     // bookkeeping aside
}

// readJournal arranges a stored journal.
func readJournal(stored []json.RawMessage) (*journal, error) {
	j := &journal{
		scopes:  map[string][]*record{},
		steps:   map[stepRef]*record{},
		met:     map[stepRef]bool{},
		given:   map[stepRef]string{},
		started: map[stepRef]bool{},
		decided: map[stepRef]uncertainty{},
		answers: map[*record]*record{},
		renamed: map[string]string{},
	}
	for i, raw := range stored {
		r := new(record)
		if err := readStored(raw, r, "journal record %d", i); err != nil {
			// Of a kind that is not known the members may be of other types.
			var of struct{ Kind recordKind }
			if json.Unmarshal(raw, &of) == nil && !of.Kind.known() {
				err = unknownKind(of.Kind)
			}
			return nil, err
		}
		if err := j.add(r); err != nil {
			return nil, fmt.Errorf("adapter: journal record %d: %w", i, err)
		}
	}
	return j, nil
}

func (j *journal) add(r *record) error {
	ref := stepRef{r.Scope, r.Key}
	if r.Kind != recordRename {
		j.records++
	}
	switch r.Kind {
	case recordStart:
		j.meet(ref, r)
		if r.Digest != "" {
			j.given[ref] = r.Digest
		}
		if !r.Idempotent {
			j.started[ref] = true
			delete(j.decided, ref)
		}
		return nil
	case recordStep:
		j.meet(ref, r)
		j.steps[ref] = r
		delete(j.started, ref)
		delete(j.decided, ref)
	case recordAsk:
		if r.Scope != systemScope {
			j.scopes[r.Scope] = append(j.scopes[r.Scope], r)
		} else if isPause(r) {
			j.scopes[""] = append(j.scopes[""], r) // the agent's function met it on its way
		}
		j.unasked = r
		j.asks++
	case recordAnswer:
		ask := j.unasked
		if ask == nil {
			return corrupted("an answer without an ask")
		}
		j.unasked = nil
		j.answers[ask] = r
		j.answered = r
		j.failure, j.final = r.Failure, r.Final
		j.stopped = stopsAtPause(ask, r)
		for i, ref := range ask.Steps {
			if i < len(r.Entries) {
				j.decided[ref] = readUncertainty(r.Entries[i])
				delete(j.started, ref)
			}
		}
	case recordRename:
		maps.Copy(j.renamed, r.Renamed)
		j.renames++
	case recordFork, recordBranch:
		j.scopes[r.Scope] = append(j.scopes[r.Scope], r)
	case "":
		return corrupted("a record of no kind")
	default:
		return unknownKind(r.Kind)
	}
	j.last = max(j.last, r.Position)
	return nil
}

// meet lets a step's scope meet its first record.
func (j *journal) meet(ref stepRef, r *record) {
	if !j.met[ref] {
		j.met[ref] = true
		j.scopes[r.Scope] = append(j.scopes[r.Scope], r)
	}
}

// uncertain returns the steps that were started and not recorded, in the order
// of the journal.
func (j *journal) uncertain() []stepRef {
	var refs []stepRef
	for _, records := range j.scopes {
		for _, r := range records {
			if ref := (stepRef{r.Scope, r.Key}); r.Kind == recordStart && j.started[ref] {
				refs = append(refs, ref)
			}
		}
	}
	sortRefs(refs)
	return refs
}
