package controlapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

type newThreadJSON struct {
	ThreadID string          `json:"threadId,omitempty" jsonschema:"An id for the thread. The server makes one if it is left out."`
	Parent   *string         `json:"parentThreadId,omitempty" jsonschema:"The id of the parent thread. An empty value means a root."`
	Resource *string         `json:"resourceId,omitempty" jsonschema:"The application's name for the subject of the thread, at most 1024 bytes."`
	Metadata json.RawMessage `json:"metadata,omitempty" jsonschema:"A JSON object of at most 16 KiB."`
}

type threadChangeJSON struct {
	Version  *int            `json:"version,omitempty" jsonschema:"The version that the caller has read. The server refuses the change if the thread has another version. Without it the server takes any version."`
	Parent   *string         `json:"parentThreadId,omitempty" jsonschema:"The id of the new parent thread. An empty value makes the thread a root."`
	Resource *string         `json:"resourceId,omitempty" jsonschema:"The new subject of the thread. An empty value means none."`
	Metadata json.RawMessage `json:"metadata,omitempty" jsonschema:"A JSON object of at most 16 KiB, which replaces the present one."`
}

type deletedJSON struct {
	Threads int `json:"threads" jsonschema:"The number of threads that are deleted or are being deleted."`
}

var childrenParameters = []parameter{
	{"children", "The treatment of the threads below. With reject, the default, the server refuses if there are any. With detach, each direct child becomes a root, and the server refuses while the thread waits for an agent that it has called. With cascade, the server deletes all of them, also those with an active run."},
}

var treeParameters = append([]parameter{
	{"parent", "The id of a thread whose direct children are listed."},
	{"root", "The id of the root of the tree that is listed."},
	{"resource", "The resourceId of the threads that are listed."},
	{"idPrefix", "The beginning of the ids of the threads that are listed. No character is a wildcard."},
	{"from", "The earliest time at which a listed thread was made, in RFC 3339."},
	{"to", "The time before which a listed thread was made, in RFC 3339."},
}, append(filterParameters, pageParameters...)...)

func treeOperations() []operation {
	return []operation{
		{method: "POST", path: "/threads", id: "createThread", summary: "Make a thread before its first input, below another one if need be",
			notes: blindNotes,
			scope: identity.ScopeRun, admits: true, body: newThreadJSON{}, status: 201, answer: threadJSON{}, blind: blindThreadJSON{}, serve: (*call).createThread},
		{method: "GET", path: "/trees", id: "listTrees", lists: true, summary: "List the threads of the caller's namespace that stand in a tree or were made",
			notes: "A thread is listed if it has a parent, children, metadata or a resource, or if createThread made it. A list has the threads that match all parameters. The list of a parent, a root or a resource begins with the newest thread. Any other is sorted by id. With more than one of parent, root, resource and idPrefix a page may be short or empty and have a next one.",
			scope: identity.ScopeRead, query: treeParameters, status: 200, answer: listOf[threadJSON]{}, serve: (*call).listTrees},
		{method: "GET", path: "/threads/{thread}/tree", id: "getTree", lists: true, summary: "List a thread and all threads below it, parents first",
			scope: identity.ScopeRead, beyond: identity.ScopeAdmin, query: pageParameters, status: 200, answer: listOf[threadJSON]{}, serve: (*call).getTree},
		{method: "PATCH", path: "/threads/{thread}/tree", id: "changeThread", summary: "Put a thread below another, or change its metadata or resource",
			notes: blindNotes,
			scope: identity.ScopeRun, beyond: identity.ScopeAdmin, body: threadChangeJSON{}, status: 200, answer: threadJSON{}, blind: blindThreadJSON{}, serve: (*call).changeThread},
		{method: "DELETE", path: "/threads/{thread}/tree", id: "deleteTree", summary: "Delete a thread, and treat the threads below it as the query says",
			scope: identity.ScopeRun, beyond: identity.ScopeAdmin, query: childrenParameters, status: 200, answer: deletedJSON{}, serve: (*call).deleteTree},
	}
}

// treeProblem says what a change of a tree was refused for.
func treeProblem(err error) error {
	var refused *store.TreeError
	var full operate.RefusedThread
	switch {
	case errors.As(err, &full):
		return problemOfInput(full.RunError)
	case errors.Is(err, operate.ErrInvalidThread):
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
	node, err := c.Runner.CreateThread(c.r.Context(), store.ThreadKey{Namespace: c.caller.Identity.Namespace, Thread: n.ThreadID},
		operate.NewThread{Parent: n.Parent, Resource: n.Resource, Metadata: metadataOf(n.Metadata), User: c.caller.Name()})
	if err != nil {
		return nil, treeProblem(err)
	}
	return c.shown(operate.TreeThread{Node: *node}, false), nil
}

func (c *call) listTrees() (any, error) {
	page, err := c.page()
	if err != nil {
		return nil, err
	}
	values := c.r.URL.Query()
	q := store.TreeQuery{Namespace: c.caller.Identity.Namespace, Parent: values.Get("parent"), Root: values.Get("root"), Resource: values.Get("resource"),
		Prefix: values.Get("idPrefix"), Limit: page.Limit, Cursor: page.Cursor}
	if q.ThreadFilter, err = c.threadFilter(values); err != nil {
		return nil, err
	}
	if q.From, q.To, err = times(values); err != nil {
		return nil, err
	}
	threads, next, err := c.Runner.Trees(c.r.Context(), q)
	if errors.Is(err, store.ErrBadCursor) {
		return nil, badRequest("the cursor is none that this list has given for this query: ask for the first page without one")
	}
	return pageOf(threads, next, err, threadOf)
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
	return pageOf(below, next, err, threadOf)
}

func (c *call) changeThread() (any, error) {
	var n threadChangeJSON
	if err := c.read(&n); err != nil {
		return nil, err
	}
	if err := named("parentThreadId", n.Parent); err != nil {
		return nil, err
	}
	change := operate.NewThread{Parent: n.Parent, Resource: n.Resource, Metadata: metadataOf(n.Metadata)}
	if n.Version != nil {
		version := int64(*n.Version)
		change.Version = &version
	}
	node, err := c.Runner.UpdateThread(c.r.Context(), c.key, change)
	if refused, ok := errors.AsType[*store.TreeError](err); ok {
		c.weigh(refused.Looked)
	}
	if err != nil {
		return nil, treeProblem(err)
	}
	c.weigh(node.Looked)
	t, err := c.Runner.Described(c.r.Context(), c.key, *node)
	return c.shown(t, err != nil), nil // it is done, whatever cannot be read
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
	res, err := c.Runner.DeleteTree(c.r.Context(), c.key, how, c.caller.Name(), c.caller.Origin(store.ThroughOperator))
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
