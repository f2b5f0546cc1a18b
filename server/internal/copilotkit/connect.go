package copilotkit

import (
	"fmt"

	"github.com/aguiws/aguiws/protocol"
)

// connect restates a thread for a page that opens it, and lets it see the run
// that is under way to its end. The input says which thread, and is no run.
func (k *call) connect() {
	k.stream(func(_ string, out Stream) {
		thread, told := out.Input().ThreadID, dialectOf(out.Input())
		if refused := out.Restate(func(label string, event []byte) ([]byte, error) {
			return plainEnd(thread, label, event)
		}, told.tell); refused != nil {
			k.refuse(refused)
		}
	})
}

// plainEnd tells of a run that failed or was cancelled before the page came as
// of one that has ended: the page would show the error again at every reload.
func plainEnd(thread, label string, event []byte) ([]byte, error) {
	e, err := protocol.Decode(event)
	if err != nil {
		return nil, fmt.Errorf("copilotkit: restatement: %w", err)
	}
	finished, ok := e.(*protocol.RunFinished)
	if !ok || finished.Outcome != nil && finished.Outcome.Type == protocol.OutcomeCancelled {
		return protocol.Encode(&protocol.RunFinished{ThreadID: thread, RunID: label})
	}
	return event, nil
}
