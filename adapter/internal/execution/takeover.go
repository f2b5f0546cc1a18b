package execution

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/journal"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// takeOver goes on with a run whose worker was lost. It takes back what the run logged
// after its last entry: what is open is closed, and snapshots say what was true at the
// entry. The replay is silent up to the entry and then repeats what followed it, and so
// continues one well-formed run.
func (x *execution) takeOver(b Begun) error {
	runStarted := b.View.Active.RunStarted
	x.continuing = len(x.journal.Answers) > 0
	if x.journal.Entries == 0 && !x.frozen.Restores && x.agent != nil && !restartable(x.agent) {
		return &node.ActivationError{Code: adapter.CodeWorkerLost, Text: "the server was lost while the agent answered. What the agent had said is kept"}
	}
	keep := x.final()
	if err := x.readRun(b.View, runStarted, keep); err != nil {
		return err
	}
	return x.backTo(b, keep)
}

// goOn continues a dead letter's journal in the run that requeues it. It takes back what
// was logged after the last entry, as a takeover does.
func (x *execution) goOn(b Begun) error {
	x.continuing = len(x.journal.Answers) > 0
	x.journal.Ran = journal.RanSteps{} // the dead letter's
	return x.backTo(b, x.final())
}

// final is the position up to which what the execution has logged stays: that of its last
// entry. The events that began the execution are final, though no entry says so.
func (x *execution) final() int64 {
	if x.continuing {
		return x.journal.Last
	}
	return max(x.journal.Last, x.frozen.At+int64(x.frozen.Begun))
}

// backTo takes back what the log holds after keep, and asks about what nobody
// can know.
func (x *execution) backTo(b Begun, keep int64) error {
	if x.agent == nil {
		return nil // nobody goes on here
	}
	if b.View.Seq <= keep {
		x.recordHere()
	} else {
		kept, begun, err := x.asOf(b.View, keep)
		if err != nil {
			return err
		}
		x.keepCalls(kept)
		x.back = recorded{at: keep, fold: kept, calls: x.open.list()}
		rename, err := x.rename(b.View, keep, begun)
		if err != nil {
			return err
		}
		if err := x.takeBack(kept, rename, b.Takeover); err != nil {
			return err
		}
	}
	if refs := x.journal.Uncertain(); len(refs) > 0 {
		return x.askAbout(refs)
	}
	return nil
}

// readRun tells the order rules what the run has logged, and which calls it
// has open as of the entry.
func (x *execution) readRun(view *store.ThreadView, runStarted, keep int64) error {
	undo, err := x.undoOf(view, runStarted)
	if err != nil {
		return err
	}
	at := runStarted - 1
	if undo != nil {
		at = view.Snapshot.At
		if err := x.sequence.Resume(x.stored, undo.Ended); err != nil {
			return fmt.Errorf("adapter: the run as of event %d: %w", at, err)
		}
		x.open = pendingOf(undo.Calls)
		if keep < at && undo.Back != nil {
			x.open = pendingOf(undo.Back.Calls)
		}
		for _, id := range undo.Ended {
			x.over[id] = true
		}
		x.ended = undo.Ended
	}
	var broken error
	err = stored.Events(view, at, -1, func(e protocol.Event) {
		at++
		if err := x.sequence.Check(e); err != nil && broken == nil {
			broken = fmt.Errorf("adapter: logged event %d: %w", at, err)
		}
		if does := protocol.EffectOf(e); at <= keep || does.Family == protocol.FamilySubagent && does.Verb == protocol.Ends {
			x.track(e, does)
		}
	})
	if err != nil {
		return err
	}
	return broken
}

// rename gives new ids to the subagents that began after the last entry: they
// are closed now, and come back in the replay. Those before are not in the log.
func (x *execution) rename(view *store.ThreadView, keep int64, before []string) ([]*store.JournalEntry, error) {
	own := map[string]string{} // by the id on the wire
	for id, wire := range x.renames.subagents {
		own[wire] = id
	}
	begun := map[string]string{}
	rename := func(id string) {
		if mine, renamed := own[id]; renamed {
			id = mine
		}
		begun[id] = renamed(id, x.journal.Renames+2)
	}
	for _, id := range before {
		rename(id)
	}
	err := stored.Events(view, keep, -1, func(e protocol.Event) {
		if started, ok := e.(*protocol.SubagentStarted); ok {
			rename(started.SubagentRunID)
		}
	})
	if err != nil || len(begun) == 0 {
		return nil, err
	}
	maps.Copy(x.renames.subagents, begun)
	return []*store.JournalEntry{{Kind: store.EntryRename, Renamed: begun}}, nil
}

// keepCalls forgets the calls that are taken back.
func (x *execution) keepCalls(kept *fold.Fold) {
	for _, id := range x.open.list() {
		if _, held := kept.Call(id); !held {
			x.open.remove(id)
		}
	}
}

// takeBack closes what is open and restates messages and state as they were. A
// subagent that was open at the entry stays open. If a worker was lost, the messages say
// so: readers see words go that they have read.
func (x *execution) takeBack(kept *fold.Fold, entries []*store.JournalEntry, lost bool) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	stay := map[string]bool{}
	for _, e := range kept.Openings() {
		if started, ok := e.(*protocol.SubagentStarted); ok {
			stay[started.SubagentRunID] = true
		}
	}
	closings := x.fold.ClosingsWith(func(id string) protocol.Event {
		if stay[id] {
			return nil
		}
		return &protocol.SubagentError{SubagentRunID: id, Message: "its worker was lost; it begins again", Code: adapter.CodeWorkerLost}
	})
	closings = slices.DeleteFunc(closings, func(e protocol.Event) bool { return e == nil })
	restated := CutTo(kept.Messages(), x.fold.Messages())
	if lost {
		if restated.Metadata == nil {
			restated.Metadata = protocol.Metadata{}
		}
		restated.Metadata[lifecycle.MetadataKey] = json.RawMessage(`{"takeover":true}`)
	}
	events := append(closings, &protocol.StateSnapshot{Snapshot: lifecycle.State(kept.State())}, restated)
	it := item{entries: entries, notes: len(entries) > 0}
	for _, e := range events {
		text, err := x.append(e, protocol.EffectOf(e), nil)
		if err != nil {
			return fmt.Errorf("adapter: taking back: %w", err)
		}
		it.events = append(it.events, text)
	}
	it.closing = x.closing()
	if err := x.Pipe.add(x.Ctx, it, true); err != nil {
		return err
	}
	for _, r := range entries {
		x.journal.Wrote(r)
	}
	return x.logged(it)
}

// askAbout suspends the run with a question for each step that may or may not
// have taken effect.
func (x *execution) askAbout(refs []store.StepRef) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	interrupts := make([]protocol.Interrupt, len(refs))
	for i, ref := range refs {
		interrupts[i] = x.uncertainInterrupt(ref, x.journal.About[ref], cmp.Or(x.journal.Why[ref], "the server was lost meanwhile"))
	}
	return x.suspend(&store.JournalEntry{
		Kind: store.EntryAsk, Scope: journal.SystemScope, Key: journal.OrdinalKey("uncertain", x.journal.Asks+1), Steps: refs,
	}, interrupts, nil, nil)
}

func restartable(a adapter.Agent) bool {
	r, ok := a.(adapter.Restartable)
	return ok && r.Restartable()
}
