// Package operate is what operators and the people in front of agents ask for beside runs:
// inboxes and answers, threads and their trees, lists of runs, dead letters, pauses, stops, and
// the record of decisions.
package operate

import (
	"github.com/aguiws/aguiws/adapter/internal/admit"
	"github.com/aguiws/aguiws/adapter/internal/calls"
	"github.com/aguiws/aguiws/adapter/internal/carry"
	"github.com/aguiws/aguiws/adapter/internal/node"
)

// Desk answers operators. A runner.Runner has one, and makes it.
type Desk struct {
	*stops
	*threads
	*trees
	*inbox
	*dispatches
	*records
}

// New is the desk of a node.
func New(n *node.Node, a *admit.Admission, c *admit.Control, capacity *carry.Capacity, b *carry.Backoff, q *carry.Quotas, called *calls.Calls) *Desk {
	list := &threads{n, a, b}
	return &Desk{
		stops: &stops{n, c, a}, threads: list, trees: &trees{n, list, q, called}, inbox: &inbox{n, a, list, b},
		dispatches: &dispatches{n, a, capacity, b}, records: &records{n},
	}
}
