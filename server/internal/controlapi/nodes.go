package controlapi

import "github.com/aguiws/aguiws/server/identity"

func nodeOperations() []operation {
	return []operation{
		{method: "GET", path: "/nodes", id: "listNodes", summary: "List the servers that share the store, with the report of each within the last 15 minutes",
			notes: allTenantsNote,
			scope: identity.ScopeMetrics, status: 200, answer: listOf[Node]{}, serve: (*call).listNodes},
		{method: "GET", path: "/store", id: "getStore", summary: "Read the state of the store",
			notes: allTenantsNote,
			scope: identity.ScopeMetrics, status: 200, answer: StoreStatus{}, serve: (*call).getStore},
	}
}

// listNodes and getStore are for those for whom listWork is.
func (c *call) listNodes() (any, error) {
	if err := c.mayAllFigures(); err != nil {
		return nil, err
	}
	nodes, whole := c.Nodes(c.r.Context())
	return listOf[Node]{Items: nodes, Partial: !whole}, nil
}

func (c *call) getStore() (any, error) {
	if err := c.mayAllFigures(); err != nil {
		return nil, err
	}
	return c.Store(c.r.Context()), nil
}
