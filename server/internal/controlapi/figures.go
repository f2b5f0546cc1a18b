package controlapi

import "time"

// Node is what a node tells of itself. Nodes of other versions tell more, or less.
type Node struct {
	Node       string             `json:"node" jsonschema:"The id of the node. A run names in claimedBy the node that carries it."`
	Host       string             `json:"host,omitempty" jsonschema:"The machine that the node runs on."`
	PID        int                `json:"pid,omitempty" jsonschema:"The process id on that machine, which the server also says when it starts."`
	State      string             `json:"state" jsonschema:"The state: serving, draining, or silent. A silent node has reported nothing for 15 s: it was lost or cannot reach the store."`
	Heard      int64              `json:"heardMs" jsonschema:"The age of the node's latest report, in milliseconds."`
	Self       bool               `json:"self,omitempty" jsonschema:"The node is the one that answers this request."`
	Version    string             `json:"version,omitempty"`
	Go         string             `json:"go,omitempty"`
	Started    time.Time          `json:"startedAt,omitzero"`
	Agents     []string           `json:"agents" jsonschema:"The named agents that the node serves."`
	Sockets    int64              `json:"sockets"`
	Streams    int64              `json:"streams" jsonschema:"The number of streams of Server-Sent Events."`
	Threads    int64              `json:"attachedThreads" jsonschema:"The number of threads that the node's connections follow."`
	Runs       int64              `json:"runs" jsonschema:"The number of runs that the node carries now."`
	MaxRuns    int64              `json:"maxRuns"`
	Memory     int64              `json:"memoryBytes" jsonschema:"The memory that the process has from the system."`
	Available  bool               `json:"storeAvailable" jsonschema:"The store answers the node."`
	StoreCalls int64              `json:"storeCalls" jsonschema:"The number of the node's calls of the store within the last minute."`
	StoreErrs  int64              `json:"storeErrors" jsonschema:"The number of those calls that failed."`
	Store50    *float64           `json:"storeMs,omitempty" jsonschema:"The median time of those calls, in milliseconds. It is left out if there were none."`
	Store95    *float64           `json:"storeP95Ms,omitempty" jsonschema:"The 95th percentile of the same times."`
	Every      int64              `json:"everyMs,omitempty" jsonschema:"The span in milliseconds that each number of rates counts."`
	Rates      map[string][]int64 `json:"rates,omitempty" jsonschema:"The counts in each of the latest spans, the latest last: inputs, runs that began, runs that failed, events logged, interrupts raised."`
}

// StoreStatus is how it goes with the store.
type StoreStatus struct {
	Available bool          `json:"available" jsonschema:"The store answers."`
	Embedded  bool          `json:"embedded,omitempty" jsonschema:"The store is inside the server's process and ends with it."`
	At        time.Time     `json:"at,omitzero" jsonschema:"The time of the answer that is shown."`
	Partial   bool          `json:"partial,omitempty" jsonschema:"Some servers of the store do not answer."`
	Servers   []StoreServer `json:"servers" jsonschema:"The servers of the store, each with its latest description of itself."`
}

// StoreServer is one of the store's servers.
type StoreServer struct {
	Address  string         `json:"address,omitempty"`
	Version  string         `json:"version,omitempty"`
	Latency  float64        `json:"latencyMs"`
	Uptime   int64          `json:"uptimeMs,omitempty"`
	Memory   int64          `json:"memoryBytes,omitempty"`
	Limit    int64          `json:"memoryLimitBytes,omitempty" jsonschema:"The limit of the server's memory. It is left out if there is none."`
	Clients  int64          `json:"clients,omitempty"`
	Replicas int64          `json:"replicas"`
	PerSec   int64          `json:"commandsPerSecond"`
	Warnings []StoreWarning `json:"warnings" jsonschema:"Settings and states under which the server may lose writes that it has acknowledged."`
}

// StoreWarning is one of a server's.
type StoreWarning struct {
	Setting string `json:"setting"`
	Value   string `json:"value"`
	Problem string `json:"problem"`
}

// Upstream is an agent that another server serves, as this process has met it.
type Upstream struct {
	Name     string           `json:"name" jsonschema:"The name of the agent."`
	URL      string           `json:"url" jsonschema:"The URL, without parts that may be secret."`
	InFlight int              `json:"inFlight" jsonschema:"The number of requests that are under way."`
	Waiting  int              `json:"waiting" jsonschema:"The number of requests that wait because too many are under way."`
	Seconds  int64            `json:"seconds" jsonschema:"The span in seconds that requests and failed count."`
	Requests int64            `json:"requests" jsonschema:"The number of requests that ended in that span. Cancelled requests count."`
	Failed   int64            `json:"failed" jsonschema:"The number of those requests that failed."`
	First50  *int64           `json:"firstEventMs,omitempty" jsonschema:"The median time to the first event of the latest requests, in milliseconds. It is left out before the first event."`
	First95  *int64           `json:"firstEventP95Ms,omitempty" jsonschema:"The 95th percentile of the same times."`
	Repairs  map[string]int64 `json:"repairs" jsonschema:"The number of repairs in the upstream's streams since this process began, by kind."`
	Last     *UpstreamError   `json:"lastError,omitempty"`
}

// UpstreamError is how a request failed, and when; the log has more.
type UpstreamError struct {
	Code string    `json:"code"`
	At   time.Time `json:"at"`
}
