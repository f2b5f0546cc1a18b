package server

import (
	"fmt"

	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/protocol"
)

// connect restates a thread for a page that opens it, and lets it see the run
// that is under way to its end. The input says which thread, and is no run.
func (k *copilotCall) connect() {
	k.stream(func(out *sse, f *frame) {
		if !out.identity.may(ScopeRead) {
			k.refuse(refuseReading)
			return
		}
		t := &threadStream{out: out}
		t.open(out.peer, f.threadID)
		defer t.close()
		a, err := t.attach(nil)
		if err != nil {
			k.refuse(refuseReadingFor(err))
			return
		}
		t.lower = connected{out.peer, protocol.ProfileOf(f.input.ProtocolVersion), f.threadID, runOf(a)}.lower
		t.serve(a)
	})
}

// runOf is the label of the restated run.
func runOf(a *follow.Attached) string {
	if len(a.Restatement) == 0 {
		return ""
	}
	e, _ := protocol.Decode(a.Restatement[0])
	if started, ok := e.(*protocol.RunStarted); ok {
		return started.RunID
	}
	return ""
}

// connected makes events what a page can read that opens a thread.
type connected struct {
	*peer
	profile protocol.Profile
	thread  string
	run     string // the restated run's label
}

// lower tells of a run that failed or was cancelled before the page came as of
// one that has ended: the page would show the error again at every reload.
func (c connected) lower(event []byte, ended bool) ([]byte, error) {
	if ended {
		e, err := protocol.Decode(event)
		if err != nil {
			return nil, fmt.Errorf("server: restatement: %w", err)
		}
		finished, ok := e.(*protocol.RunFinished)
		if !ok || finished.Outcome != nil && finished.Outcome.Type == protocol.OutcomeCancelled {
			return protocol.Encode(&protocol.RunFinished{ThreadID: c.thread, RunID: c.run})
		}
	}
	return c.lowered(c.profile, c.thread, c.run, event)
}
