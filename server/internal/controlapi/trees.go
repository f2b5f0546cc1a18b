package controlapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

type nodeJSON struct {
	ThreadID  string          `json:"threadId"`
	Parent    string          `json:"parentThreadId,omitempty" jsonschema:"left out for a root"`
	Root      string          `json:"rootThreadId,omitempty"`
	Depth     *int            `json:"depth,omitempty" jsonschema:"below the root"`
	Children  *int            `json:"children,omitempty" jsonschema:"threads right below it"`
	Resource  string          `json:"resourceId,omitempty"`
	Metadata  json.RawMessage `json:"metadata,omitempty"`
	Version   int64           `json:"version" jsonschema:"counts changes of parent, resource and metadata; 0 before the first"`
	Deleting  bool            `json:"deleting,omitempty" jsonschema:"it is being deleted, and takes no input"`
	CreatedAt time.Time       `json:"createdAt,omitzero" jsonschema:"left out where nobody has noted it"`
	UpdatedAt time.Time       `json:"updatedAt,omitzero" jsonschema:"the latest change of parent, resource or metadata"`
}

type treeThreadJSON struct {
	nodeJSON
	Title      string    `json:"title"`
	Input      time.Time `json:"inputAt,omitzero" jsonschema:"its latest input; left out before the first"`
	Active     bool      `json:"active"`
	Waiting    bool      `json:"waiting" jsonschema:"interrupts are open"`
	Queued     int       `json:"queued"`
	Agent      string    `json:"agent,omitempty" jsonschema:"whose run began last; left out if it has no name"`
	Waits      []string  `json:"waitsFor,omitempty" jsonschema:"threads below it that have open interrupts, of the 200 of the namespace that have waited longest: the nearest first, 20 at most; told by getTree alone"`
	WaitsCount int       `json:"waitsForCount,omitempty" jsonschema:"how many of those 200 stand below it"`
}

type newThreadJSON struct {
	ThreadID string          `json:"threadId,omitempty" jsonschema:"made if left out"`
	Parent   *string         `json:"parentThreadId,omitempty" jsonschema:"the thread that it stands below; blank: none"`
	Resource *string         `json:"resourceId,omitempty" jsonschema:"what it is about, in the application's words; at most 1024 bytes"`
	Metadata json.RawMessage `json:"metadata,omitempty" jsonschema:"a JSON object of at most 16 KiB"`
}

type threadChangeJSON struct {
	Version  *int            `json:"version,omitempty" jsonschema:"that was read: refused if the thread has another one by now; any if left out"`
	Parent   *string         `json:"parentThreadId,omitempty" jsonschema:"blank: none from now on"`
	Resource *string         `json:"resourceId,omitempty" jsonschema:"blank: none from now on"`
	Metadata json.RawMessage `json:"metadata,omitempty" jsonschema:"a JSON object of at most 16 KiB, in place of what there is"`
}

type deletedJSON struct {
	Threads int `json:"threads" jsonschema:"how many are deleted, or are being deleted"`
}

var childrenParameters = []parameter{
	{"children", "what becomes of the threads below it: reject, which is refused if there are any, and is meant if left out; detach, each right below it is a root from then on; cascade, they are deleted too, whatever goes on in any of them"},
}

var treeParameters = append([]parameter{
	{"parent", "only the threads right below this one"},
	{"root", "only the threads of this one's tree"},
	{"resource", "only the threads of this resourceId"},
	{"idPrefix", "only the threads whose id begins so, by their ids; no character of it means anything else"},
	{"from", "only threads that were made not before this time, RFC 3339"},
	{"to", "only threads that were made before this time"},
}, append(filterParameters, pageParameters...)...)

func treeOperations() []operation {
	return []operation{
		{method: "POST", path: "/threads", id: "createThread", summary: "Make a thread before its first input, below another one if need be. Without the scope read the answer is threadId and version",
			scope: identity.ScopeRun, admits: true, body: newThreadJSON{}, status: 201, answer: nodeJSON{}, serve: (*call).createThread},
		{method: "GET", path: "/trees", id: "listTrees", lists: true, summary: "The threads of the caller's namespace that have a parent, children, metadata or a resource, or were made: of a query the newest first, else by id",
			scope: identity.ScopeRead, query: treeParameters, status: 200, answer: listOf[treeThreadJSON]{}, serve: (*call).listTrees},
		{method: "GET", path: "/threads/{thread}/tree", id: "getTree", lists: true, summary: "A thread and all that stand below it, parents first",
			scope: identity.ScopeRead, beyond: identity.ScopeAdmin, query: pageParameters, status: 200, answer: listOf[treeThreadJSON]{}, serve: (*call).getTree},
		{method: "PATCH", path: "/threads/{thread}/tree", id: "changeThread", summary: "Put a thread below another, or change its metadata or resource. Without the scope read the answer is threadId and version",
			scope: identity.ScopeRun, beyond: identity.ScopeAdmin, body: threadChangeJSON{}, status: 200, answer: nodeJSON{}, serve: (*call).changeThread},
		{method: "DELETE", path: "/threads/{thread}/tree", id: "deleteTree", summary: "Delete a thread, and say what becomes of those below it",
			scope: identity.ScopeRun, beyond: identity.ScopeAdmin, query: childrenParameters, status: 200, answer: deletedJSON{}, serve: (*call).deleteTree},
	}
}

func nodeOf(n store.Node) nodeJSON {
	return nodeJSON{n.Thread, n.Parent, n.Root, &n.Depth, &n.Children, n.Resource, n.Metadata, n.Version, n.Deleting, n.Created.UTC(), n.Updated.UTC()}
}

// shown is what the caller is told of a thread that it has made or changed: without the
// scope read that it is so, and under which version.
func (c *call) shown(n store.Node) nodeJSON {
	if c.needs(scopeList(identity.ScopeRead, c.op.beyond, identity.ScopeAdmin)) != nil {
		return nodeJSON{ThreadID: n.Thread, Version: n.Version}
	}
	return nodeOf(n)
}

func treeThreadOf(t adapter.TreeThread) treeThreadJSON {
	out := treeThreadJSON{nodeJSON: nodeOf(t.Node), Waits: t.Waits, WaitsCount: t.WaitsCount}
	if i := t.Info; i != nil {
		out.Title, out.Input, out.Active, out.Waiting, out.Queued, out.Agent = i.Title, i.Updated.UTC(), i.Active, i.Suspended, i.Queued, i.Agent
	}
	return out
}

// treeProblem says what a change of a tree was refused for.
func treeProblem(err error) error {
	var refused *store.TreeError
	var full adapter.RefusedThread
	switch {
	case errors.As(err, &full):
		return problemOfInput(full.RunError)
	case errors.Is(err, adapter.ErrInvalidThread):
		return badRequest(err.Error())
	case !errors.As(err, &refused):
		return err
	case refused.Why == store.NodeMissing:
		return errNoThread
	case refused.Why == store.NodeConflict:
		p := newProblem(http.StatusConflict, "version_conflict", err.Error())
		if refused.Current != nil {
			p.details = map[string]any{"version": refused.Current.Version}
		}
		return p
	case refused.Why == store.NodeExists:
		return newProblem(http.StatusConflict, "thread_exists", err.Error())
	case refused.Why == store.NodeDeleting, refused.Why == store.ParentDeleting:
		return newProblem(http.StatusConflict, adapter.CodeThreadDeleting, err.Error())
	}
	return badRequest(err.Error())
}

// named refuses what no thread can be called.
func named(what string, id *string) error {
	if id != nil && *id != "" && !strictjson.IsName(*id) {
		return badRequest(what + ": a thread id has " + strictjson.NameRule)
	}
	return nil
}

func metadataOf(text json.RawMessage) *json.RawMessage {
	if len(text) == 0 || string(text) == "null" {
		return nil
	}
	return &text
}

func (c *call) createThread() (any, error) {
	var n newThreadJSON
	if err := c.read(&n); err != nil {
		return nil, err
	}
	if n.ThreadID == "" {
		n.ThreadID = newLabel("thread")
	}
	if err := errors.Join(named("threadId", &n.ThreadID), named("parentThreadId", n.Parent)); err != nil {
		return nil, err
	}
	node, err := c.Runner.CreateThread(c.r.Context(), store.ThreadKey{Namespace: c.caller.Namespace(), Thread: n.ThreadID},
		adapter.NewThread{Parent: n.Parent, Resource: n.Resource, Metadata: metadataOf(n.Metadata), User: c.caller.User()})
	if err != nil {
		return nil, treeProblem(err)
	}
	return c.shown(*node), nil
}

func (c *call) listTrees() (any, error) {
	page, err := c.page()
	if err != nil {
		return nil, err
	}
	values := c.r.URL.Query()
	q := store.TreeQuery{Namespace: c.caller.Namespace(), Parent: values.Get("parent"), Root: values.Get("root"), Resource: values.Get("resource"),
		Prefix: values.Get("idPrefix"), Limit: page.Limit, Cursor: page.Cursor}
	if q.ThreadFilter, err = c.threadFilter(values); err != nil {
		return nil, err
	}
	if q.From, q.To, err = times(values); err != nil {
		return nil, err
	}
	asked := 0
	for _, v := range []string{q.Parent, q.Root, q.Resource, q.Prefix} {
		if v != "" {
			asked++
		}
	}
	if asked > 1 {
		return nil, badRequest("give at most one of parent, root, resource and idPrefix")
	}
	threads, next, err := c.Runner.Trees(c.r.Context(), q)
	if errors.Is(err, store.ErrBadCursor) {
		return nil, badRequest("the cursor is none that this list has given for this query: ask for the first page without one")
	}
	return pageOf(threads, next, err, treeThreadOf)
}

func (c *call) getTree() (any, error) {
	page, err := c.page()
	if err != nil {
		return nil, err
	}
	below, next, err := c.Runner.Below(c.r.Context(), store.TreeWalk{Thread: c.key, Limit: page.Limit, Cursor: page.Cursor})
	if errors.Is(err, store.ErrBadCursor) {
		return nil, badRequest("the cursor is of another thread, or the tree has changed where it stood: ask for the first page without one")
	}
	if err == nil && len(below) == 0 && page.Cursor == "" {
		err = errNoThread
	}
	if err != nil && !errors.Is(err, store.ErrPartial) {
		return nil, err
	}
	return pageOf(below, next, err, treeThreadOf)
}

func (c *call) changeThread() (any, error) {
	var n threadChangeJSON
	if err := c.read(&n); err != nil {
		return nil, err
	}
	if err := named("parentThreadId", n.Parent); err != nil {
		return nil, err
	}
	change := adapter.NewThread{Parent: n.Parent, Resource: n.Resource, Metadata: metadataOf(n.Metadata)}
	if n.Version != nil {
		version := int64(*n.Version)
		change.Version = &version
	}
	node, err := c.Runner.UpdateThread(c.r.Context(), c.key, change)
	if refused, ok := errors.AsType[*store.TreeError](err); ok {
		c.caller.Weigh(refused.Looked)
	}
	if err != nil {
		return nil, treeProblem(err)
	}
	c.caller.Weigh(node.Looked)
	return c.shown(*node), nil
}

func (c *call) deleteTree() (any, error) {
	how := store.DeleteChildren(c.r.URL.Query().Get("children"))
	switch how {
	case "":
		how = store.DeleteReject
	case store.DeleteReject, store.DeleteDetach, store.DeleteCascade:
	default:
		return nil, badRequest("children is reject, detach or cascade")
	}
	if t, err := c.Runner.TreeThread(c.r.Context(), c.key); err == nil && t == nil {
		if _, err := c.thread(); !errors.Is(err, store.ErrCorrupted) {
			return nil, errNoThread
		}
	} else if err != nil && !errors.Is(err, store.ErrCorrupted) {
		return nil, err
	}
	res, err := c.Runner.DeleteTree(c.r.Context(), c.key, how, c.caller.User(), c.caller.Origin(adapter.ThroughOperator))
	switch {
	case err != nil:
		return nil, err
	case res.Deleted:
		return deletedJSON{max(res.Begun, 1)}, nil
	case how == store.DeleteReject && res.Children > 0:
		return nil, errHasChildren(res.Children)
	}
	return nil, errThreadInUse
}

func errHasChildren(n int) *problem {
	p := newProblem(http.StatusConflict, "thread_has_children",
		fmt.Sprintf("threads stand below it (%d): delete them first, or say children=detach or children=cascade with DELETE /v1/threads/{thread}/tree", n))
	p.details = map[string]any{"children": n}
	return p
}
