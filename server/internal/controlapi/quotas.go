package controlapi

import (
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/server/identity"
)

type quotaJSON struct {
	Used  int `json:"used" jsonschema:"The amount in use, as all servers together count it."`
	Limit int `json:"limit" jsonschema:"The limit. The value -1 means that there is none."`
}

type quotasJSON struct {
	Runs       quotaJSON  `json:"runs" jsonschema:"The caller's runs that are under way at once."`
	Threads    quotaJSON  `json:"threads" jsonschema:"The threads that the caller has made or begun and not deleted."`
	TenantRuns *quotaJSON `json:"tenantRuns,omitempty" jsonschema:"The runs of the caller's tenant that are under way at once. Only callers with the scope admin receive it."`
}

func quotaOperations() []operation {
	return []operation{
		{method: "GET", path: "/quotas", id: "getQuotas", summary: "Read the caller's quotas and their use",
			scope: identity.ScopeRead, status: 200, answer: quotasJSON{}, serve: (*call).getQuotas},
	}
}

func (c *call) getQuotas() (any, error) {
	q, err := c.Runner.Quotas(c.r.Context(), c.caller.Name(), c.caller.Identity.Tenant)
	if err != nil {
		return nil, err
	}
	quota := func(q operate.Quota) quotaJSON { return quotaJSON{q.Used, q.Limit} }
	answer := quotasJSON{Runs: quota(q.Runs), Threads: quota(q.Threads)}
	if c.caller.Identity.May(identity.ScopeAdmin) {
		tenant := quota(q.TenantRuns)
		answer.TenantRuns = &tenant
	}
	return answer, nil
}
