package controlapi

import (
	"time"

	"github.com/aguiws/aguiws/server/identity"
)

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
