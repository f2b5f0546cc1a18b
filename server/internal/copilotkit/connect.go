package copilotkit

import (
	"fmt"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/downgrade"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/sse"
)

// connect restates a thread for a page that opens it, and lets it see the run
// that is under way to its end. The input says which thread, and is no run.
func (k *call) connect() {
	k.stream(func(out *sse.Stream, f *frames.Frame) {
		if !out.Reads() {
			k.refuse(peer.RefuseReading)
			return
		}
		thread, profile, w := f.ThreadID, downgrade.ProfileOf(f.Input.ProtocolVersion), toldWire{out, dialectOf(f.Input)}
		f.Input = nil
		f.Done()
		if refused := out.Restate(w, thread, func(label string, event []byte, ended bool) ([]byte, error) {
			if ended {
				var err error
				if event, err = plainEnd(thread, label, event); err != nil {
					return nil, err
				}
			}
			return frames.Lowered(out.Log, profile, thread, label, event)
		}); refused != nil {
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
