package execution

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol/fold"
)

// A run moves its thread's snapshot while it goes on, so that what attaching, an input and
// a takeover read does not grow as long as it runs. Beside the snapshot lies what it has
// open, and what leads a takeover back to the journal's last entry.

// eventWeight is what reading an event takes beside its bytes, in terms of these.
const eventWeight = 128

// maxEnded is how many of a run's subagents that have ended a takeover knows of, beside
// those of the log behind the snapshot.
const maxEnded = 1024

// recordHere notes that a takeover goes back to where the run is now.
func (x *execution) recordHere() {
	x.back = recorded{at: x.Pipe.end(), fold: x.fold.Clone(), calls: x.open.list()}
}

// logged takes notice of what was added to the run, and moves the snapshot when too much
// is behind it.
func (x *execution) logged(it item) error {
	x.behind += int64(SizeOf(it.events) + eventWeight*len(it.events))
	if slices.ContainsFunc(it.entries, func(e *store.JournalEntry) bool { return e.Kind != store.EntryStart }) {
		x.recordHere()
	}
	if it.end != nil || x.behind <= max(x.node.Options.CheckpointBytes, x.rewritten) {
		return nil
	}
	if err := x.checkpoint(); err != nil {
		return x.seal(err)
	}
	return nil
}

// checkpoint moves the snapshot to where the run is now. The next checkpoint comes only
// when as much lies behind this one as it writes: otherwise a long message that grows would
// be written again and again.
func (x *execution) checkpoint() error {
	update, err := UpdateOf(x.stored, x.fold)
	if err != nil {
		return err
	}
	if update.Frozen, err = x.frozenParts(); err != nil {
		return err
	}
	if update.Open, err = stored.Opened(x.fold); err != nil {
		return fmt.Errorf("adapter: encoding what the run has open: %w", err)
	}
	at := x.Pipe.end()
	undo := store.Undo{At: at, Calls: x.open.list(), Ended: x.ended[max(len(x.ended)-maxEnded, 0):]}
	if x.back.at < at {
		if undo.Back, err = x.back.from(x.fold); err != nil {
			return err
		}
	}
	c := store.RunCheckpoint{Snapshot: *update}
	if c.Undo, err = json.Marshal(undo); err != nil {
		return fmt.Errorf("adapter: encoding what undoes a checkpoint: %w", err)
	}
	if err := x.Pipe.add(x.Ctx, item{checkpoint: &c}, false); err != nil {
		return err
	}
	x.stored, x.hasParts = x.fold.Clone(), x.hasParts || update.Frozen != nil
	x.behind, x.rewritten = 0, int64(len(c.Undo)+len(update.State))
	for _, m := range update.Upsert {
		x.rewritten += int64(len(m))
	}
	if x.allowed < math.MaxInt64 {
		grown, journaled := x.Pipe.grown()
		x.room = grown + x.allowed - journaled - max(int64(x.fold.Weight())-x.weighed, 0)
	}
	return nil
}

// undoOf is what lies beside a snapshot in the midst of the view's run; nil: the snapshot is
// as of before it.
func (x *execution) undoOf(view *store.ThreadView, runStarted int64) (*store.Undo, error) {
	if view.Snapshot.At < runStarted {
		return nil, nil
	}
	if x.undo == nil || x.undo.At != view.Snapshot.At {
		return nil, stored.Corrupted("what undoes a checkpoint")
	}
	return x.undo, nil
}

// asOf is the thread as of an entry of the journal, or the execution's beginning, and the
// subagents of which only the undo knows that they began after that.
func (x *execution) asOf(view *store.ThreadView, at int64) (was *fold.Fold, begun []string, err error) {
	if at >= view.Snapshot.At {
		was, err = stored.Fold(view, at)
		return was, nil, err
	}
	if x.undo == nil || x.undo.At != view.Snapshot.At || x.undo.Back == nil || x.undo.Back.At != at {
		return nil, nil, stored.Corrupted("what undoes a checkpoint")
	}
	was, err = undone(x.stored, x.undo.Back)
	return was, x.undo.Back.Begun, err
}
