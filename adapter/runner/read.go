package runner

import (
	"context"

	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// read reads what judging an input takes, and what became of the named interrupts. An answer
// to what cannot go on is an error that wraps store.ErrCorrupted: it would be lost.
func read(ctx context.Context, n *node, key store.ThreadKey, input *protocol.RunAgentInput, named ...string) (*judge.Judgement, error) {
	j, err := judge.Read(ctx, n.store, n.folded, &n.schemas, key, input, named...)
	if err == nil && j.View.Execution != nil {
		err = goesOn(j.View.Execution)
		j.View.Execution = nil // a run keeps its view for as long as it goes on
	}
	return j, err
}
