package execution

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// frozenParts is what the snapshot keeps of the conversation that moves now; nil: the
// execution has one of its own.
func (x *execution) frozenParts() (json.RawMessage, error) {
	if x.given == nil {
		return nil, nil
	}
	text, err := json.Marshal(store.FrozenParts{Execution: x.id, Parts: x.given.parts(x.fold)})
	if err != nil {
		return nil, fmt.Errorf("adapter: frozen conversation: %w", err)
	}
	return text, nil
}

// noParts takes the place of parts that no execution goes on from any more: they may hold
// messages that the thread has not.
var noParts = json.RawMessage(`null`)

func hasParts(view *store.ThreadView) bool {
	return view.Snapshot.Frozen != nil && !bytes.Equal(view.Snapshot.Frozen, noParts)
}

// regain finds the conversation of an execution that goes on, in the thread.
func (x *execution) regain(view *store.ThreadView) (err error) {
	of := x.frozen.Of
	if of == nil {
		return nil // its input has it
	}
	if view.Snapshot.At <= of.At {
		if view.From > view.Snapshot.At { // what began the execution was not read again
			snapshot := view.Snapshot.At
			if view, err = x.node.Store.Read(x.Ctx, x.Claim.Thread, store.ReadQuery{}); err != nil {
				return err
			}
			if view.Snapshot.At != snapshot {
				return stored.Corrupted("the execution's conversation")
			}
		}
		f := x.stored.Clone()
		if err := stored.Events(view, view.Snapshot.At, of.At, func(e protocol.Event) { f.Apply(e) }); err != nil {
			return err
		}
		x.given = &conversation{f, f.Len()}
	} else if x.given, err = assembled(view, x.id, x.stored); err != nil {
		return err
	}
	if x.given.Count != of.Count {
		return stored.Corrupted("the execution's conversation")
	}
	x.frozen.Input.Messages = x.given.Messages()
	return nil
}

// assembled is the conversation that a snapshot says the execution was given.
func assembled(view *store.ThreadView, execution string, snapshot *fold.Fold) (*conversation, error) {
	var frozen store.FrozenParts
	if err := stored.Decode(view.Snapshot.Frozen, &frozen, "the execution's conversation"); err != nil {
		return nil, err
	}
	if frozen.Execution != execution {
		return nil, stored.Corrupted("the execution's conversation")
	}
	held := snapshot.Messages()
	messages := protocol.Messages{}
	for _, p := range frozen.Parts {
		if p.Messages != nil {
			messages = append(messages, p.Messages...)
			continue
		}
		if p.From < 0 || p.Count < 0 || p.From > len(held) || p.Count > len(held)-p.From {
			return nil, stored.Corrupted("the execution's conversation")
		}
		if p.From == 0 && len(frozen.Parts) == 1 {
			return &conversation{snapshot, p.Count}, nil
		}
		messages = append(messages, held[p.From:p.From+p.Count]...)
	}
	return ConversationOf(fold.New(messages, nil)), nil
}
