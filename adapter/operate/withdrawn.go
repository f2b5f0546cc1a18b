package operate

import (
	"encoding/json"

	"github.com/aguiws/aguiws/adapter/internal/decision"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// deletion is by whom a thread is deleted, and what goes on record of its open questions.
func deletion(user string, from store.Origin, withdraw store.Withdraw) store.Deletion {
	text, _ := json.Marshal(from) // strings alone
	return store.Deletion{Deleter: store.Deleter{User: user, From: text}, Withdraw: withdraw}
}

// withdrawn is what goes on record of the open questions of a thread that goes, and the
// suspension that has them. The record lacks what cannot be read of a question; it has that the
// question was open, and who cancelled it.
func withdrawn(n *node.Node, w store.Withdrawn) (list []store.Decided, open *store.Suspension) {
	var from store.Origin
	_ = json.Unmarshal(w.By.From, &from)
	open, err := stored.Suspension(w.Suspension)
	if err != nil || open == nil {
		open = &store.Suspension{}
		for _, id := range w.Interrupts {
			open.Items = append(open.Items, store.SuspendedInterrupt{ID: id})
		}
	}
	for i := range open.Items {
		var shown protocol.Interrupt
		_ = json.Unmarshal(open.Items[i].Interrupt, &shown)
		d, body, _ := decision.Redactions(n.Options.Redact).Asked(&open.Items[i], &shown, open)
		d.Status, d.User, body.Origin = store.DecisionCancelled, w.By.User, from
		d.Body, _ = json.Marshal(body) // valid JSON and strings alone
		list = append(list, d)
	}
	return list, open
}
