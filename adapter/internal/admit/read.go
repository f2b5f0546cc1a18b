package admit

import (
	"context"

	"github.com/aguiws/aguiws/adapter/internal/journal"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Read reads what judging an input takes, and what became of the named interrupts. An answer
// to what cannot go on is an error that wraps store.ErrCorrupted: it would be lost.
func Read(ctx context.Context, n *node.Node, key store.ThreadKey, input *protocol.RunAgentInput, named ...string) (*judge.Judgement, error) {
	j, err := judge.Read(ctx, n.Store, n.Folded, &n.Schemas, key, input, named...)
	if err == nil && j.View.Execution != nil {
		err = journal.GoesOn(j.View.Execution)
		j.Waits, j.View.Execution = j.View.Execution, nil
	}
	return j, err
}
