package operate

import (
	"context"

	"github.com/aguiws/aguiws/adapter/internal/carry"
	"github.com/aguiws/aguiws/adapter/store"
)

// Quota is how much of something there is, and how much there may be: negative is no
// limit.
type Quota struct{ Used, Limit int }

// Quotas is what a user and its tenant have of what they may have.
type Quotas struct {
	Runs, Threads Quota // of the user
	TenantRuns    Quota
}

// Quotas returns what a user (Input.User) and a tenant have, as all nodes count it.
// A user or a tenant without a name has nothing and no limits.
func (rs *records) Quotas(ctx context.Context, user, tenant string) (Quotas, error) {
	owner, of := carry.OwnersOf(user, tenant)
	q := Quotas{Runs: Quota{Limit: -1}, Threads: Quota{Limit: -1}, TenantRuns: Quota{Limit: -1}}
	if owner != (store.Owner{}) {
		has, err := rs.Store.Usage(ctx, owner)
		if err != nil {
			return q, err
		}
		q.Runs, q.Threads = Quota{has.Runs, rs.Options.MaxRunsPerUser}, Quota{has.Threads, rs.Options.MaxThreadsPerUser}
	}
	if of != (store.Owner{}) {
		has, err := rs.Store.Usage(ctx, of)
		if err != nil {
			return q, err
		}
		q.TenantRuns = Quota{has.Runs, rs.Options.MaxRunsPerTenant}
	}
	return q, nil
}
