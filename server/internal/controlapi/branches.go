package controlapi

import (
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
)

type branchJSON struct {
	ID    string    `json:"id"`
	After string    `json:"after,omitempty" jsonschema:"the message that it stood behind; left out if it began the thread"`
	At    time.Time `json:"at" jsonschema:"when it was taken out"`
	Count int       `json:"messages" jsonschema:"how many it has"`
	Title string    `json:"title,omitempty" jsonschema:"the beginning of its first user message"`
	Kept  bool      `json:"kept" jsonschema:"false: it had too many bytes to be kept, and cannot be restored"`
}

type branchesJSON struct {
	Items []branchJSON `json:"items"`
}

type restoreJSON struct {
	Label string `json:"runId,omitempty" jsonschema:"the same for the same request sent again; made if left out"`
	Agent string `json:"agent,omitempty"`
}

func branchOperations() []operation {
	return []operation{
		{method: "GET", path: "/threads/{thread}/branches", id: "listBranches", summary: "What rewinds took out of a thread and can be restored, the latest first",
			scope: identity.ScopeRead, beyond: identity.ScopeAdmin, status: 200, answer: branchesJSON{}, serve: (*call).listBranches},
		{method: "POST", path: "/threads/{thread}/branches/{branch}/restore", id: "restoreBranch", summary: "Put a branch in the place of what has followed since, which becomes a branch itself",
			scope: identity.ScopeRun, beyond: identity.ScopeAdmin, admits: true, body: restoreJSON{}, status: 202, answer: admittedJSON{}, serve: (*call).restoreBranch},
	}
}

// used looks for the thread without reading all of it.
func (c *call) used() error {
	page, err := c.Runner.Messages(c.r.Context(), c.key, store.MessageQuery{Limit: 1})
	if err == nil && page == nil {
		err = errNoThread
	}
	return err
}

func (c *call) listBranches() (any, error) {
	if err := c.used(); err != nil {
		return nil, err
	}
	branches, err := c.Runner.Branches(c.r.Context(), c.key)
	list := branchesJSON{Items: []branchJSON{}}
	for _, b := range branches {
		list.Items = append(list.Items, branchJSON{b.ID, b.After, b.At.UTC(), b.Count, b.Title, b.Kept})
	}
	return list, err
}

func (c *call) restoreBranch() (any, error) {
	var in restoreJSON
	if err := c.read(&in); err != nil {
		return nil, err
	}
	if !c.hasAgent(in.Agent) {
		return nil, badRequest("agent: there is no agent of that name")
	}
	if err := c.used(); err != nil {
		return nil, err
	}
	if in.Label == "" {
		in.Label = newLabel("restore")
	}
	admitted, err := c.Runner.Inject(c.r.Context(), adapter.Injection{
		From:      c.caller.Origin(adapter.ThroughOperator),
		Namespace: c.key.Namespace, Tenant: c.caller.Tenant(), User: c.caller.User(), Thread: c.key.Thread, Agent: in.Agent,
		Label: in.Label, Restores: c.r.PathValue("branch"),
	})
	return c.admitted(admitted, in.Label, err)
}
