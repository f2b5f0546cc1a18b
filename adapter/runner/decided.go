package runner

import (
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// decided is what the record says of the decisions of a run, and what followers are told.
func (n beginBuilder) decided(run DecisionRun) ([]store.Decided, toldAnswers, error) {
	var list []store.Decided
	followers := toldAnswers{left: maxToldOfRun}
	for _, entry := range n.Decisions {
		it := n.Continues.Item(entry.InterruptID)
		var shown protocol.Interrupt
		if err := stored.Decode(it.Interrupt, &shown, "open interrupt %s", it.ID); err != nil {
			return nil, toldAnswers{}, err
		}
		by, drafted := n.drafted[it.ID]
		if !drafted {
			by = signature{n.user, n.from}
		}
		d, body, p := n.redact.asked(it, &shown, n.Continues)
		d.Status, d.User, body.AnsweredBy = store.DecisionStatus(entry.Status), by.User, run
		switch {
		case by.Through == ThroughExpiry:
			d.Status = store.DecisionExpired
		case n.Steer && len(n.Input.Resume) == 0:
			by.Through = ThroughSteering
		}
		body.Origin = by.Origin
		if entry.Status == protocol.ResumeResolved && len(entry.Payload) > 0 {
			p.payload = []byte(entry.Payload)
			p.shownPayload = n.redact.inPayload(d.Tool, p.payload)
			body.Payload = keep(&body, "payload", p.shownPayload)
		}
		var err error
		if d.Body, err = json.Marshal(body); err != nil {
			return nil, toldAnswers{}, fmt.Errorf("adapter: decision: %w", err)
		}
		list = append(list, d)
		followers.add(d, &body, entry, p, n.View.Now)
	}
	if len(n.Input.Resume) == 0 {
		followers.resume = nil
	}
	return list, followers, nil
}
