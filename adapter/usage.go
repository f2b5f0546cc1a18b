package adapter

import (
	"fmt"

	"github.com/aguiws/aguiws/protocol"
)

// Usage says which tokens the run has used so far, for RUN_FINISHED and RUN_ERROR to tell,
// an interrupt's too. The last call counts, and it counts for the run that carries the
// execution then: of a replay's calls those are to be left out that an earlier run has
// told, as LatestInput's RunID tells them apart. Usage that cannot be encoded is refused.
func (r *Run) Usage(used ...protocol.TokenUsage) error {
	if _, err := protocol.Encode(&protocol.RunError{Message: "-", Usage: used}); err != nil {
		return fmt.Errorf("adapter: usage: %w", err)
	}
	r.x.Usage(used)
	return nil
}
