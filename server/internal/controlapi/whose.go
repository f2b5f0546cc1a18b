package controlapi

import (
	"net/http"
	"net/url"

	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// A caller that has a namespace knows of all threads in it, as those do who share one; the
// scopes of an operation for others show the tenant's. This holds for everything that lists
// across threads.

var tenantsParameter = parameter{"tenants", "The value all lists those of every tenant. It needs the scopes " + identity.ScopeAdmin + " and " + identity.ScopeTenants + "."}

// allTenantsNote is the note of operations that tell of the whole server.
const allTenantsNote = "The answer is about all tenants. A caller with the scope " + identity.ScopeAdmin + " therefore needs " + identity.ScopeTenants + " as well."

// ownOnly reports whether the caller has none of the scopes that show more than its
// namespace.
func (c *call) ownOnly() bool { return c.needs(c.op.away()) != nil }

// allTenants reports whether the query asks for all tenants, as the caller may.
func (c *call) allTenants(query url.Values) (bool, error) {
	switch query.Get("tenants") {
	case "":
		return false, nil
	case "all":
		return true, c.mayAllTenants()
	}
	return false, badRequest("tenants is all or left out")
}

func (c *call) mayAllTenants() error {
	if c.caller.May(identity.ScopeAdmin) && c.caller.May(identity.ScopeTenants) {
		return nil
	}
	return newProblem(http.StatusForbidden, refusal.CodeForbidden, "this needs the scopes "+identity.ScopeAdmin+" and "+identity.ScopeTenants)
}
