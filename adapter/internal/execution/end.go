package execution

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/folded"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/panics"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// ErrHandBack seals a run that any worker is to go on with.
var ErrHandBack = fmt.Errorf("%w: a worker goes on with the run from its last record", adapter.ErrStopped)

// finish ends the run as the agent's function left it. It does nothing when
// the run is over already.
func (x *execution) finish(returned error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	log := x.node.Log.With("thread", x.Claim.Thread.Thread, "label", x.label, "dispatch", x.Claim.RunID)
	if x.sealed != nil && !errors.Is(x.sealed, adapter.ErrStopped) && !errors.Is(x.sealed, adapter.ErrSuspended) {
		returned, x.sealed = x.sealed, nil // what was refused decides, whatever the agent made of it
	}
	switch {
	case x.leaving:
		x.seal(ErrHandBack)
		return
	case x.sealed != nil || x.Ctx.Err() != nil:
		if x.sealed == adapter.ErrSuspended && !errors.Is(returned, adapter.ErrSuspended) {
			log.Warn("the agent did not return the error of what it asked by (Ask, Confirm, CallTools, Login or Step) and went on; the run is suspended all the same", "returned", logged(fmt.Sprint(returned)))
		}
		return
	case returned == nil && x.main.cursor < len(x.main.entries):
		returned = &adapter.DivergedError{Journaled: x.main.next().String(), Replayed: "the agent's function returned"}
	}
	var terminal *protocol.RunFinished
	if returned == nil {
		terminal, returned = x.finished()
	}
	var err error
	if returned == nil {
		err = x.end(&store.End{Kind: store.EndFinish}, nil, terminal)
	} else {
		told, more := x.failure(returned)
		x.logFailure(told.Code, more)
		var p *panics.Error
		if errors.As(returned, &p) {
			log.Error("the agent panicked", "panic", fmt.Sprint(p.Value), "stack", string(p.Stack))
		}
		told.Usage = x.usage
		err = x.end(x.failed(returned, told.Code), nil, told)
	}
	if err != nil && !errors.Is(err, adapter.ErrStopped) {
		log.Error("the run could not be ended in order", "error", err)
		x.Broken = err
	}
	x.seal(adapter.ErrStopped)
}

func (x *execution) fail(code, text string, giveBack bool) error {
	giveBack = giveBack && !x.journal.Final
	return x.end(&store.End{Kind: store.EndFail, GiveBack: giveBack, Code: code}, nil, &protocol.RunError{Message: text, Code: code, Usage: x.usage})
}

// end closes what is open, says what is, and ends the run, in one commit.
//
// Messages are restated where a client could otherwise miss something: before
// an interrupt, and in a run that answered one, whose tool results clients
// before 1.0 drop.
func (x *execution) end(end *store.End, entries []*store.JournalEntry, terminal protocol.Event) error {
	var it item
	add := func(events ...protocol.Event) error {
		for _, e := range events {
			text, err := x.append(e, protocol.EffectOf(e), nil)
			if err != nil {
				return err
			}
			it.events = append(it.events, text)
		}
		return nil
	}
	for _, e := range x.expander.Flush() {
		if err := add(x.main.resume(x.renames.apply(e), x)...); err != nil {
			return err
		}
	}
	closings := x.fold.Closings()
	if end.Kind == store.EndSuspend {
		closings = x.fold.Suspensions()
	}
	if err := add(closings...); err != nil {
		return err
	}
	if end.Kind == store.EndSuspend {
		if err := add(&protocol.StateSnapshot{Snapshot: lifecycle.State(x.fold.State())}); err != nil {
			return err
		}
	}
	if end.Kind == store.EndSuspend || x.continuing {
		if err := add(&protocol.MessagesSnapshot{Messages: x.fold.Messages()}); err != nil {
			return err
		}
		end.Tells = tellsIn(it.events[len(it.events)-1])
	}
	if err := add(terminal); err != nil {
		return err
	}
	var err error
	if end.Snapshot, err = UpdateOf(x.stored, x.fold); err != nil {
		return err
	}
	if end.Kind == store.EndSuspend || end.GiveBack {
		if end.Snapshot.Frozen, err = x.frozenParts(); err != nil {
			return err
		}
	} else if x.hasParts {
		end.Snapshot.Frozen = noParts
	}
	end.Summary = x.summary(end)
	it.entries, it.end, it.closing = entries, end, json.RawMessage("[]")
	if err := x.Pipe.add(x.Ctx, it, true); err != nil {
		return err
	}
	// The next reader of the thread reads on from here.
	if at := x.Pipe.Result().End; at != (store.Position{}) {
		x.node.Folded.Keep(x.Claim.Thread, at, x.version, at.Seq, folded.Thread{Fold: x.fold, Snapshot: x.fold})
	}
	return nil
}

// tellsIn is how the restated messages lie in an event; nil: in another way.
func tellsIn(event []byte) *store.SnapshotTold {
	if !bytes.HasPrefix(event, []byte(stored.MessagesHead)) || !bytes.HasSuffix(event, []byte(stored.MessagesTail)) {
		return nil
	}
	return &store.SnapshotTold{Head: len(stored.MessagesHead), Tail: len(stored.MessagesTail)}
}

// errWentOn is what calls on a suspended run return. It is no ErrSuspended, so that an
// agent that returns it is told from one that returns what it was given first.
var errWentOn = fmt.Errorf("%w: it was suspended before", adapter.ErrStopped)

// outgrown reports whether the run has added more than it may.
func (x *execution) outgrown() bool {
	grown, _ := x.Pipe.grown()
	return grown > x.room
}

// outgrow ends the run, at once: an agent that goes on and on may heed no error.
func (x *execution) outgrow() error {
	err := x.fail(adapter.CodeThreadTooLarge, fmt.Sprintf("the run has added more than %d bytes to its thread", x.allowed), false)
	if err != nil && !errors.Is(err, adapter.ErrStopped) {
		x.Broken = err
	}
	return x.seal(adapter.ErrStopped)
}
