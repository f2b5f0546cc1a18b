package controlapi

import (
	"time"

	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
)

type branchJSON struct {
	ID    string     `json:"id"`
	After string     `json:"after,omitempty" jsonschema:"The id of the message before the branch. It is left out if the branch began the thread."`
	At    time.Time  `json:"at" jsonschema:"The time at which the branch was taken out of the thread."`
	Count int        `json:"messages" jsonschema:"The number of messages in the branch."`
	Title string     `json:"title,omitempty" jsonschema:"The beginning of the branch's first user message."`
	Kept  bool       `json:"kept" jsonschema:"The value is false if the branch was too large to be kept. It cannot be restored then."`
	Calls []callJSON `json:"calls,omitempty" jsonschema:"The last tool calls of the branch that have a result, at most 20. A result that says that the call was not carried out does not count. What they did is not undone."`
}

type callJSON struct {
	ID        string `json:"id"`
	Name      string `json:"name" jsonschema:"The name of the tool."`
	Arguments string `json:"arguments,omitempty" jsonschema:"The arguments that the agent proposed. They are left out if they are longer than 2 KiB."`
}

type branchesJSON struct {
	Items []branchJSON `json:"items"`
}

type restoreJSON struct {
	Label string `json:"runId,omitempty" jsonschema:"An id of the caller's for the run. The caller sends the same id to repeat the same request. The server makes one if it is left out."`
	Agent string `json:"agent,omitempty"`
}

func branchOperations() []operation {
	return []operation{
		{method: "GET", path: "/threads/{thread}/branches", id: "listBranches", summary: "List the branches that rewinds took out of a thread, the latest first",
			scope: identity.ScopeRead, beyond: identity.ScopeAdmin, status: 200, answer: branchesJSON{}, serve: (*call).listBranches},
		{method: "POST", path: "/threads/{thread}/branches/{branch}/restore", id: "restoreBranch", summary: "Restore a branch", notes: "The messages that it replaces become a branch themselves.",
			scope: identity.ScopeRun, beyond: identity.ScopeAdmin, admits: true, body: restoreJSON{}, status: 202, answer: admittedJSON{}, serve: (*call).restoreBranch},
	}
}

func (c *call) listBranches() (any, error) {
	if err := c.used(); err != nil {
		return nil, err
	}
	branches, err := c.Runner.Branches(c.r.Context(), c.key)
	list := branchesJSON{Items: []branchJSON{}}
	for _, b := range branches {
		branch := branchJSON{ID: b.ID, After: b.After, At: b.At.UTC(), Count: b.Count, Title: b.Title, Kept: b.Kept}
		for _, c := range b.Calls {
			branch.Calls = append(branch.Calls, callJSON{c.ID, c.Tool, c.Arguments})
		}
		list.Items = append(list.Items, branch)
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
	admitted, err := c.Runner.Inject(c.r.Context(), operate.Injection{
		From:      c.caller.Origin(store.ThroughOperator),
		Namespace: c.key.Namespace, Tenant: c.caller.Identity.Tenant, User: c.caller.Name(), Thread: c.key.Thread, Agent: in.Agent,
		Label: in.Label, Restores: c.r.PathValue("branch"),
	})
	return c.admitted(admitted, in.Label, err)
}
