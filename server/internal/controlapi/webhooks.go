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
	URL    string             `json:"url" jsonschema:"scheme and host alone"`
	Kinds  []store.NoticeKind `json:"kinds,omitempty" jsonschema:"of notices that are sent; left out: all"`
	Tenant string             `json:"tenant,omitempty" jsonschema:"whose notices are sent; left out: those of all"`
	Agents []string           `json:"agents,omitempty" jsonschema:"left out: all"`
	Gone   time.Time          `json:"goneAt,omitzero" jsonschema:"when the target has said, by 410, that it wants no more"`
	Owed   *owedJSON          `json:"owed,omitempty" jsonschema:"left out for a target of all tenants, but for the scope tenants"`
}

type owedJSON struct {
	Waiting int       `json:"waiting" jsonschema:"to be sent"`
	Failed  int       `json:"failed" jsonschema:"of them, those of which a try has failed"`
	Failing time.Time `json:"failingSince,omitzero" jsonschema:"since when the target has taken nothing that this server has sent; left out: it takes it, or nothing was sent"`
	Error   string    `json:"lastError,omitempty" jsonschema:"why the last try failed, without the URL; left out when failingSince is"`
	Status  int       `json:"lastStatus,omitempty" jsonschema:"what the target answered to it; left out: it did not answer"`
	Dead    int       `json:"dead"`
	Most    int       `json:"most" jsonschema:"how many may wait; what comes then waits among the notices, for as long as those are kept"`
}

type deadWebhookJSON struct {
	ID        string           `json:"id" jsonschema:"webhook-id as it was sent"`
	Kind      store.NoticeKind `json:"kind"`
	At        time.Time        `json:"at"`
	ThreadID  string           `json:"threadId"`
	Namespace string           `json:"namespace"`
	Tenant    string           `json:"tenant"`
	Died      time.Time        `json:"diedAt"`
	Tries     int              `json:"tries"`
	Error     string           `json:"error" jsonschema:"of the last one"`
}

func webhookOperations() []operation {
	return []operation{
		{method: "GET", path: "/webhooks", id: "listWebhooks", summary: "The targets of webhooks, and how it goes with them",
			scope: identity.ScopeAdmin, status: 200, answer: listOf[targetJSON]{}, serve: (*call).listWebhooks},
		{method: "GET", path: "/webhooks/{target}/dead", id: "listDeadWebhooks", summary: "Webhooks of a target that were given up, the latest first",
			scope: identity.ScopeAdmin, query: pageParameters, status: 200, answer: listOf[deadWebhookJSON]{}, serve: (*call).listDeadWebhooks},
		{method: "POST", path: "/webhooks/{target}/dead/{webhook}/resend", id: "resendWebhook", summary: "Send one again that was given up",
			scope: identity.ScopeAdmin, status: 204, serve: (*call).resendWebhook},
		{method: "POST", path: "/webhooks/{target}/enable", id: "enableWebhooks", summary: "Send to a target again that has answered 410",
			scope: identity.ScopeAdmin, status: 204, serve: (*call).enableWebhooks},
	}
}

var errNoWebhook = newProblem(http.StatusNotFound, "webhook_not_found", "there is no such target, or no such webhook was given up")

// handles reports whether the caller may see a target at all, and whether all that it is
// sent: of a target of all tenants the admins of each see what is their tenant's.
func (c *call) handles(t webhook.Status) (some, all bool) {
	all = t.Tenant != "" && t.Tenant == c.caller.Tenant() || c.caller.May(identity.ScopeTenants)
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
		case c.caller.Tenant() == "": // which would be all
			return "", "", c.needs([]string{identity.ScopeTenants})
		default:
			return name, c.caller.Tenant(), nil
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
