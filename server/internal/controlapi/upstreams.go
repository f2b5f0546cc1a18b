package controlapi

import (
	"time"

	"github.com/aguiws/aguiws/server/identity"
)

// Upstream is an agent that another server serves, as this process has met it.
type Upstream struct {
	Name     string           `json:"name" jsonschema:"its agent's"`
	URL      string           `json:"url" jsonschema:"without what may be secret in it"`
	InFlight int              `json:"inFlight" jsonschema:"requests that are under way"`
	Waiting  int              `json:"waiting" jsonschema:"for a place among them"`
	Seconds  int64            `json:"seconds" jsonschema:"of which requests and failed tell"`
	Requests int64            `json:"requests" jsonschema:"that ended in that time, cancelled ones too"`
	Failed   int64            `json:"failed" jsonschema:"of them"`
	First50  *int64           `json:"firstEventMs,omitempty" jsonschema:"how long the first event took in milliseconds, the median of the latest; left out: none came yet"`
	First95  *int64           `json:"firstEventP95Ms,omitempty" jsonschema:"the same of the slowest but one in twenty"`
	Repairs  map[string]int64 `json:"repairs" jsonschema:"what was put right in its streams since this process began, by kind"`
	Last     *UpstreamError   `json:"lastError,omitempty"`
}

// UpstreamError is how a request failed, and when; the log has more.
type UpstreamError struct {
	Code string    `json:"code"`
	At   time.Time `json:"at"`
}

func upstreamOperations() []operation {
	return []operation{
		{method: "GET", path: "/upstreams", id: "listUpstreams", summary: "The agents that other servers serve, and how it went with them at this server, for all tenants; so the scope admin needs tenants beside it",
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
