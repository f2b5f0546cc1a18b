package controlapi

import (
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
)

type workJSON struct {
	Agent   string `json:"agent" jsonschema:"The name of the agent. It is empty for a default agent without a name."`
	Waiting int64  `json:"waiting" jsonschema:"The number of threads that wait for a worker: the length of the agent's streams."`
	Lag     int64  `json:"lag" jsonschema:"The number of those threads that no server has received yet."`
	Pending int64  `json:"pending" jsonschema:"The number of those threads that a server has received and not claimed yet."`
	Oldest  int64  `json:"oldestMs" jsonschema:"The longest time that one of them has waited, in milliseconds."`
}

func workOperations() []operation {
	return []operation{
		{method: "GET", path: "/work", id: "listWork", summary: "Count what waits for a worker of this server's agents, on any server",
			notes: allTenantsNote,
			scope: identity.ScopeMetrics, status: 200, answer: listOf[workJSON]{}, serve: (*call).listWork},
	}
}

// mayAllFigures is for whom the server is no tenant's: its figures are those of all.
func (c *call) mayAllFigures() error {
	if c.caller.Identity.May(identity.ScopeMetrics) {
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
