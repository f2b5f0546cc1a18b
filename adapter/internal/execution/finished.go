package execution

import (
	"fmt"

	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/protocol"
)

// finished is the terminal event of a run that ends well.
func (x *execution) finished() (*protocol.RunFinished, error) {
	metadata := x.ending.metadata
	if x.Pipe.pausing() {
		metadata = lifecycle.WithOwnMetadata(metadata, "notPaused", "the run ended before it came to a step")
	}
	e := &protocol.RunFinished{
		Base:     protocol.Base{Metadata: metadata},
		ThreadID: x.Claim.Thread.Thread, RunID: x.label, Result: protocol.Any(x.ending.result),
		Outcome: &protocol.RunOutcome{Type: protocol.OutcomeSuccess, PendingToolCallIDs: x.open.list()},
		Usage:   x.usage,
	}
	if x.ending.result == nil && x.ending.metadata == nil {
		return e, nil
	}
	if _, err := protocol.Encode(e); err != nil {
		return nil, fmt.Errorf("adapter: finish: %w", err)
	}
	return e, nil
}
