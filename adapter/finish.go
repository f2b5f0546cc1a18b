package adapter

import (
	"encoding/json"

	"github.com/aguiws/aguiws/protocol"
)

// Finish says what RUN_FINISHED is to hold when the agent returns nil: a result, any JSON
// but null, and metadata; nil is none. The last call counts, and it counts for the run that
// carries the execution then: a replay calls it again, an interrupt and an error do without.
// A result that is no JSON fails the run.
func (r *Run) Finish(result json.RawMessage, metadata protocol.Metadata) {
	r.x.Finish(result, metadata)
}
