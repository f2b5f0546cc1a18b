package controlapi

import (
	"errors"
	"net/http"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/webhook"
)

type targetJSON struct {
	Name   string             `json:"name"`
	URL    string             `json:"url" jsonschema:"The scheme and the host of the target's URL."`
	Kinds  []store.NoticeKind `json:"kinds,omitempty" jsonschema:"The kinds of notices that are sent. All kinds are sent if it is left out."`
	Tenant string             `json:"tenant,omitempty" jsonschema:"The tenant whose notices are sent. Those of all tenants are sent if it is left out."`
	Agents []string           `json:"agents,omitempty" jsonschema:"The agents whose notices are sent. Those of all agents are sent if it is left out."`
	Gone   time.Time          `json:"goneAt,omitzero" jsonschema:"The time at which the target answered 410: it wants no more webhooks."`
	Owed   *owedJSON          `json:"owed,omitempty" jsonschema:"The webhooks that wait. For a target of all tenants only callers with the scope tenants receive it."`
}

type owedJSON struct {
	Waiting int       `json:"waiting" jsonschema:"The number of webhooks that are to be sent."`
	Failed  int       `json:"failed" jsonschema:"The number of those webhooks of which a try has failed."`
	Failing time.Time `json:"failingSince,omitzero" jsonschema:"The time since which the target has accepted nothing from this server. It is left out while the target accepts webhooks, and before the first one."`
	Error   string    `json:"lastError,omitempty" jsonschema:"The error of the last try, without the URL. It is left out when failingSince is."`
	Status  int       `json:"lastStatus,omitempty" jsonschema:"The status with which the target answered the last try. It is left out if the target did not answer."`
	Dead    int       `json:"dead"`
	Most    int       `json:"most" jsonschema:"The number of webhooks that may wait. Later ones wait among the notices for as long as the server keeps notices."`
}

type deadWebhookJSON struct {
	ID        string           `json:"id" jsonschema:"The value of the header webhook-id."`
	Kind      store.NoticeKind `json:"kind"`
	At        time.Time        `json:"at"`
	ThreadID  string           `json:"threadId"`
	Namespace string           `json:"namespace"`
	Tenant    string           `json:"tenant"`
	Died      time.Time        `json:"diedAt"`
	Tries     int              `json:"tries"`
	Error     string           `json:"error" jsonschema:"The error of the last try."`
}

func webhookOperations() []operation {
	return []operation{
		{method: "GET", path: "/webhooks", id: "listWebhooks", summary: "List the targets of webhooks and the state of each",
			scope: identity.ScopeAdmin, status: 200, answer: listOf[targetJSON]{}, serve: (*call).listWebhooks},
		{method: "GET", path: "/webhooks/{target}/dead", id: "listDeadWebhooks", summary: "List the webhooks of a target that were given up, the latest first",
			scope: identity.ScopeAdmin, query: pageParameters, status: 200, answer: listOf[deadWebhookJSON]{}, serve: (*call).listDeadWebhooks},
		{method: "POST", path: "/webhooks/{target}/dead/{webhook}/resend", id: "resendWebhook", summary: "Send a webhook again that was given up",
			scope: identity.ScopeAdmin, status: 204, serve: (*call).resendWebhook},
		{method: "POST", path: "/webhooks/{target}/enable", id: "enableWebhooks", summary: "Enable a target again that has answered 410",
			scope: identity.ScopeAdmin, status: 204, serve: (*call).enableWebhooks},
	}
}

var errNoWebhook = newProblem(http.StatusNotFound, "webhook_not_found", "there is no such target, or no such webhook was given up")

// handles reports whether the caller may see a target at all, and whether all that it is
// sent: of a target of all tenants the admins of each see what is their tenant's.
func (c *call) handles(t webhook.Status) (some, all bool) {
	all = t.Tenant != "" && t.Tenant == c.caller.Identity.Tenant || c.caller.Identity.May(identity.ScopeTenants)
	return all || t.Tenant == "", all
}

func (c *call) listWebhooks() (any, error) {
	if c.Webhooks == nil {
		return listOf[targetJSON]{Items: []targetJSON{}}, nil
	}
	all, err := c.Webhooks.Status(c.r.Context())
	partial, err := partly(err)
	if err != nil {
		return nil, err
	}
	page := listOf[targetJSON]{Items: []targetJSON{}, Partial: partial}
	for _, t := range all {
		some, whole := c.handles(t)
		if !some {
			continue
		}
		item := targetJSON{Name: t.Name, URL: t.Host, Kinds: t.Kinds, Tenant: t.Tenant, Agents: t.Agents, Gone: t.Gone}
		if whole {
			item.Owed = &owedJSON{Waiting: t.Counts.Waiting, Failed: t.Counts.Failed, Dead: t.Counts.Dead, Most: t.Counts.Most, Failing: t.Failure.Since.UTC(), Error: t.Failure.Error, Status: t.Failure.Status}
		}
		page.Items = append(page.Items, item)
	}
	return page, nil
}

// target is the path's, and whose notices the caller may see of it; "": all.
func (c *call) target() (name, tenant string, err error) {
	if c.Webhooks == nil {
		return "", "", errNoWebhook
	}
	name = c.r.PathValue("target")
	for _, t := range c.Webhooks.Targets() {
		some, whole := c.handles(t)
		switch {
		case t.Name != name || !some:
		case whole:
			return name, "", nil
		case c.caller.Identity.Tenant == "": // which would be all
			return "", "", c.needs([]string{identity.ScopeTenants})
		default:
			return name, c.caller.Identity.Tenant, nil
		}
	}
	return "", "", errNoWebhook
}

func (c *call) listDeadWebhooks() (any, error) {
	name, tenant, err := c.target()
	if err != nil {
		return nil, err
	}
	q, err := c.page()
	if err != nil {
		return nil, err
	}
	page, err := c.Webhooks.Dead(c.r.Context(), store.DeadWebhookQuery{Target: name, Tenant: tenant, Limit: q.Limit, Cursor: q.Cursor})
	return pageOf(page.Dead, page.Next, err, func(d store.DeadWebhook) deadWebhookJSON {
		n := d.Notice
		return deadWebhookJSON{ID: n.ID, Kind: n.Kind, At: n.At, ThreadID: n.Thread.Thread, Namespace: n.Thread.Namespace, Tenant: n.Tenant,
			Died: d.Died, Tries: d.Tries.Count, Error: d.Tries.Error}
	})
}

func (c *call) resendWebhook() (any, error) {
	name, tenant, err := c.target()
	if err != nil {
		return nil, err
	}
	waits, err := c.Webhooks.Resend(c.r.Context(), name, tenant, c.r.PathValue("webhook"))
	if err == nil && !waits {
		err = errNoWebhook
	}
	return nil, err
}

// enableWebhooks is for who handles all that the target is sent.
func (c *call) enableWebhooks() (any, error) {
	name, tenant, err := c.target()
	switch {
	case err != nil:
		return nil, err
	case tenant != "":
		return nil, c.needs([]string{identity.ScopeTenants})
	}
	err = c.Webhooks.Enable(c.r.Context(), name)
	if errors.Is(err, webhook.ErrNoTarget) {
		err = errNoWebhook
	}
	return nil, err
}
