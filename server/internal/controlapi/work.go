package controlapi

import (
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
)

type workJSON struct {
	Agent   string `json:"agent" jsonschema:"empty: the default one, if it has no name"`
	Waiting int64  `json:"waiting" jsonschema:"threads that want a worker: the length of the agent's streams"`
	Lag     int64  `json:"lag" jsonschema:"of them, those that no server was given yet"`
	Pending int64  `json:"pending" jsonschema:"of them, those that a server was given and has not claimed yet"`
	Oldest  int64  `json:"oldestMs" jsonschema:"for how long the one has waited that has waited longest, in milliseconds"`
}

func workOperations() []operation {
	return []operation{
		{method: "GET", path: "/work", id: "listWork", summary: "What waits for workers of this server's agents, on any server and of all tenants; so the scope admin needs tenants beside it",
			scope: identity.ScopeMetrics, status: 200, answer: listOf[workJSON]{}, serve: (*call).listWork},
	}
}

// mayAllFigures is for whom the server is no tenant's: its figures are those of all.
func (c *call) mayAllFigures() error {
	if c.caller.May(identity.ScopeMetrics) {
		return nil
	}
	return c.mayAllTenants()
}

func (c *call) listWork() (any, error) {
	if err := c.mayAllFigures(); err != nil {
		return nil, err
	}
	stats, err := c.Work(c.r.Context())
	if err != nil {
		return nil, err // of a part of the store there is no sum
	}
	return pageOf(stats, "", nil, func(s store.WorkStats) workJSON {
		return workJSON{s.Agent, s.Waiting, s.Lag(), s.Pending, s.Oldest.Milliseconds()}
	})
}
