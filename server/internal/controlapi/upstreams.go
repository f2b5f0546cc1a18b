package controlapi

import "github.com/aguiws/aguiws/server/identity"

func upstreamOperations() []operation {
	return []operation{
		{method: "GET", path: "/upstreams", id: "listUpstreams", summary: "List the upstream agents and their state at this server",
			notes: allTenantsNote,
			scope: identity.ScopeMetrics, status: 200, answer: listOf[Upstream]{}, serve: (*call).listUpstreams},
	}
}

// listUpstreams is for those for whom listWork is.
func (c *call) listUpstreams() (any, error) {
	if err := c.mayAllFigures(); err != nil {
		return nil, err
	}
	return listOf[Upstream]{Items: c.Upstreams()}, nil
}
