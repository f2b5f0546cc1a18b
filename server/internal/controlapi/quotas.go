package controlapi

import (
	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/server/identity"
)

type quotaJSON struct {
	Used  int `json:"used" jsonschema:"by what all servers have counted"`
	Limit int `json:"limit" jsonschema:"-1: there is none"`
}

type quotasJSON struct {
	Runs       quotaJSON  `json:"runs" jsonschema:"of the caller, under way at once"`
	Threads    quotaJSON  `json:"threads" jsonschema:"that the caller has made or begun and that are not deleted"`
	TenantRuns *quotaJSON `json:"tenantRuns,omitempty" jsonschema:"of the caller's tenant, under way at once; for the scope admin"`
}

func quotaOperations() []operation {
	return []operation{
		{method: "GET", path: "/quotas", id: "getQuotas", summary: "What the caller has of what it may have",
			scope: identity.ScopeRead, status: 200, answer: quotasJSON{}, serve: (*call).getQuotas},
	}
}

func (c *call) getQuotas() (any, error) {
	q, err := c.Runner.Quotas(c.r.Context(), c.caller.User(), c.caller.Tenant())
	if err != nil {
		return nil, err
	}
	quota := func(q adapter.Quota) quotaJSON { return quotaJSON{q.Used, q.Limit} }
	answer := quotasJSON{Runs: quota(q.Runs), Threads: quota(q.Threads)}
	if c.caller.May(identity.ScopeAdmin) {
		tenant := quota(q.TenantRuns)
		answer.TenantRuns = &tenant
	}
	return answer, nil
}
