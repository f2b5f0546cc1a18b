package controlapi

import (
	"cmp"
	"net/http"
	"net/url"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/strictjson"
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

// mayName refuses a namespace that the caller has no business in, by its name alone: nothing
// is told of what is there. "" is the caller's own. where is how the request calls it.
func (c *call) mayName(where, namespace string) error {
	switch {
	case namespace == "" || namespace == c.caller.Identity.Namespace:
		return nil
	case c.needs(c.op.away()) != nil:
		return newProblem(http.StatusForbidden, refusal.CodeForbidden, where+": another one than the caller's own needs "+anyOf(c.op.away()))
	case !identity.InTenant(namespace, c.caller.Identity.Tenant):
		return newProblem(http.StatusForbidden, refusal.CodeForbidden, where+": it is of another tenant than the caller's")
	}
	return nil
}

// listedThread is the thread to which the query narrows a list; nil: to none. elsewhere: the
// list has what is of other tenants.
func (c *call) listedThread(elsewhere bool) (*store.ThreadKey, error) {
	query := c.r.URL.Query()
	thread, namespace := query.Get("thread"), query.Get("namespace")
	switch {
	case thread == "" && namespace == "":
		return nil, nil
	case thread == "":
		return nil, badRequest("namespace is that of a thread: name it too")
	case !strictjson.IsName(thread):
		return nil, badRequest("a thread id has " + strictjson.NameRule)
	}
	if !elsewhere {
		if err := c.mayName("namespace", namespace); err != nil {
			return nil, err
		}
	}
	return &store.ThreadKey{Namespace: cmp.Or(namespace, c.caller.Identity.Namespace), Thread: thread}, nil
}

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
	if c.caller.Identity.May(identity.ScopeAdmin) && c.caller.Identity.May(identity.ScopeTenants) {
		return nil
	}
	return newProblem(http.StatusForbidden, refusal.CodeForbidden, "this needs the scopes "+identity.ScopeAdmin+" and "+identity.ScopeTenants)
}

// weigh counts a call that has looked at so many threads as that many more requests as it
// takes the store longer: those that come next may be too many.
func (c *call) weigh(threads int) {
	c.Gate.ByUser.Charge(c.caller.User, threads/peer.ThreadsOfRequest)
}
