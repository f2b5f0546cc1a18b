package controlapi

import (
	"time"

	"github.com/aguiws/aguiws/server/identity"
)

// Node is what a node tells of itself. Nodes of other versions tell more, or less.
type Node struct {
	Node       string             `json:"node" jsonschema:"its id, by which runs say who carries them"`
	Host       string             `json:"host,omitempty" jsonschema:"the machine that it runs on"`
	State      string             `json:"state" jsonschema:"serving, draining, or silent: it has told nothing for 15 s, and was lost or cannot reach the store"`
	Heard      int64              `json:"heardMs" jsonschema:"how long ago it told this, in milliseconds"`
	Self       bool               `json:"self,omitempty" jsonschema:"it is the one that answers"`
	Version    string             `json:"version,omitempty"`
	Go         string             `json:"go,omitempty"`
	Started    time.Time          `json:"startedAt,omitzero"`
	Agents     []string           `json:"agents" jsonschema:"that it serves under a name"`
	Sockets    int64              `json:"sockets"`
	Streams    int64              `json:"streams" jsonschema:"of Server-Sent Events"`
	Threads    int64              `json:"attachedThreads" jsonschema:"that its connections follow"`
	Runs       int64              `json:"runs" jsonschema:"that it carries now"`
	MaxRuns    int64              `json:"maxRuns"`
	Memory     int64              `json:"memoryBytes" jsonschema:"that its process has from the system"`
	Available  bool               `json:"storeAvailable" jsonschema:"the store answers it"`
	StoreCalls int64              `json:"storeCalls" jsonschema:"calls of the store within the last minute"`
	StoreErrs  int64              `json:"storeErrors" jsonschema:"of them, those that failed"`
	Store50    *float64           `json:"storeMs,omitempty" jsonschema:"how long they took in milliseconds, the median; left out: there were none"`
	Store95    *float64           `json:"storeP95Ms,omitempty" jsonschema:"the same of the slowest but one in twenty"`
	Every      int64              `json:"everyMs,omitempty" jsonschema:"what one number of the rates counts"`
	Rates      map[string][]int64 `json:"rates,omitempty" jsonschema:"how many there were in each of the latest spans, the latest last: inputs, runs that began, runs that failed, events logged, interrupts raised"`
}

// StoreStatus is how it goes with the store.
type StoreStatus struct {
	Available bool          `json:"available" jsonschema:"it answers"`
	Embedded  bool          `json:"embedded,omitempty" jsonschema:"it is inside the server's process, and ends with it"`
	At        time.Time     `json:"at,omitzero" jsonschema:"when it answered as shown"`
	Partial   bool          `json:"partial,omitempty" jsonschema:"some of its servers do not answer"`
	Servers   []StoreServer `json:"servers" jsonschema:"as they last described themselves"`
}

// StoreServer is one of the store's servers.
type StoreServer struct {
	Address  string         `json:"address,omitempty"`
	Version  string         `json:"version,omitempty"`
	Latency  float64        `json:"latencyMs"`
	Uptime   int64          `json:"uptimeMs,omitempty"`
	Memory   int64          `json:"memoryBytes,omitempty"`
	Limit    int64          `json:"memoryLimitBytes,omitempty" jsonschema:"left out: there is none"`
	Clients  int64          `json:"clients,omitempty"`
	Replicas int64          `json:"replicas"`
	PerSec   int64          `json:"commandsPerSecond"`
	Warnings []StoreWarning `json:"warnings" jsonschema:"settings and states under which it may lose what it acknowledged"`
}

// StoreWarning is one of a server's.
type StoreWarning struct {
	Setting string `json:"setting"`
	Value   string `json:"value"`
	Problem string `json:"problem"`
}

func nodeOperations() []operation {
	return []operation{
		{method: "GET", path: "/nodes", id: "listNodes", summary: "The servers that share the store, and what each told of itself within the last 15 minutes, for all tenants; so the scope admin needs tenants beside it",
			scope: identity.ScopeMetrics, status: 200, answer: listOf[Node]{}, serve: (*call).listNodes},
		{method: "GET", path: "/store", id: "getStore", summary: "How it goes with the store; so the scope admin needs tenants beside it",
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
