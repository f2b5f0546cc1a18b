package admit

import (
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/adapter/internal/decision"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// decided is what the record says of the decisions of a run, and what followers are told.
func (n BeginBuilder) decided(run store.DecisionRun) ([]store.Decided, decision.ToldAnswers, error) {
	var list []store.Decided
	followers := decision.ToldAnswers{Left: decision.MaxToldOfRun}
	for _, entry := range n.Decisions {
		it := n.Continues.Item(entry.InterruptID)
		var shown protocol.Interrupt
		if err := stored.Decode(it.Interrupt, &shown, "open interrupt %s", it.ID); err != nil {
			return nil, decision.ToldAnswers{}, err
		}
		by, drafted := n.drafted[it.ID]
		if !drafted {
			by = decision.Signature{User: n.User, Origin: n.from}
		}
		d, body, p := n.redact.Asked(it, &shown, n.Continues)
		d.Status, d.User, body.AnsweredBy = store.DecisionStatus(entry.Status), by.User, run
		switch {
		case by.Through == store.ThroughExpiry:
			d.Status = store.DecisionExpired
		case n.Steer && len(n.Input.Resume) == 0:
			by.Through = store.ThroughSteering
		}
		body.Origin = by.Origin
		if entry.Status == protocol.ResumeResolved && len(entry.Payload) > 0 {
			p.Payload = []byte(entry.Payload)
			p.ShownPayload = n.redact.InPayload(d.Tool, p.Payload)
			body.Payload = decision.Keep(&body, "payload", p.ShownPayload)
		}
		var err error
		if d.Body, err = json.Marshal(body); err != nil {
			return nil, decision.ToldAnswers{}, fmt.Errorf("adapter: decision: %w", err)
		}
		list = append(list, d)
		followers.Add(d, &body, entry, p, n.View.Now)
	}
	if len(n.Input.Resume) == 0 {
		followers.Resume = nil
	}
	return list, followers, nil
}
