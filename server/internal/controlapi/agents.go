package controlapi

// Agent is one that the server serves.
type Agent struct {
	Name        string `json:"name,omitempty" jsonschema:"The name, as it stands in /agui/{agent}/ws. It is left out if the default agent has none."`
	Description string `json:"description,omitempty" jsonschema:"The agent's own description. It is left out if the agent says nothing, or nothing in time."`
	Default     bool   `json:"default,omitempty" jsonschema:"The agent is the one of /agui/ws."`
}

func agentOperations() []operation {
	return []operation{
		{method: "GET", path: "/agents", id: "listAgents", summary: "List the agents of the server, the default one first",
			whoever: true, status: 200, answer: listOf[Agent]{}, serve: (*call).listAgents},
	}
}

// listAgents is for whoever may open a socket to them.
func (c *call) listAgents() (any, error) {
	return listOf[Agent]{Items: c.Agents(c.r.Context())}, nil
}
