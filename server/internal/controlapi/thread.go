package controlapi

import (
	"encoding/json"
	"maps"
	"reflect"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
)

// threadJSON is a thread, in all answers that tell of one.
type threadJSON struct {
	ThreadID   string          `json:"threadId"`
	Title      string          `json:"title"`
	Parent     string          `json:"parentThreadId,omitempty" jsonschema:"The id of the parent thread. A root has none."`
	Root       string          `json:"rootThreadId,omitempty"`
	Depth      int             `json:"depth" jsonschema:"The number of levels below the root."`
	Children   int             `json:"children" jsonschema:"The number of its direct children."`
	Resource   string          `json:"resourceId,omitempty"`
	Metadata   json.RawMessage `json:"metadata,omitempty"`
	Version    int64           `json:"version" jsonschema:"The number of changes of the parent, the resource and the metadata so far."`
	Deleting   bool            `json:"deleting,omitempty" jsonschema:"The thread is being deleted and takes no input."`
	Created    time.Time       `json:"createdAt,omitzero" jsonschema:"The time at which the thread was made, or got its first input. It is left out if the store has no record of it."`
	Updated    time.Time       `json:"updatedAt,omitzero" jsonschema:"The time of the latest input. It is left out before the first."`
	Changed    time.Time       `json:"changedAt,omitzero" jsonschema:"The time of the latest change of the parent, the resource or the metadata. It is left out before the first."`
	Active     bool            `json:"active" jsonschema:"A run is under way."`
	Suspended  bool            `json:"waiting" jsonschema:"Interrupts are open."`
	WaitsOn    string          `json:"waitsOn,omitempty" jsonschema:"The reason of an open interrupt that asks nobody: aguiws:timer, aguiws:event or aguiws:call."`
	Until      time.Time       `json:"waitsUntil,omitzero" jsonschema:"The time at which the wait for waitsOn ends at the latest. A wait for a call has none."`
	Expires    time.Time       `json:"expiresAt,omitzero" jsonschema:"The time at which the last of the open interrupts expires. After it they can only be cancelled, and a new message cancels them. It is left out if one never expires."`
	Asks       *interruptJSON  `json:"asks,omitempty" jsonschema:"The first open interrupt without a draft, in summary. Only the list with waiting=true has it."`
	Queued     int             `json:"queued" jsonschema:"The number of inputs that wait."`
	Failed     bool            `json:"failed" jsonschema:"The run that began last has failed. A run that was stopped has not."`
	ActiveRun  string          `json:"activeRun,omitempty" jsonschema:"The id of the run that is under way."`
	LatestRun  string          `json:"latestRun,omitempty" jsonschema:"The id of the run that began last."`
	Agent      string          `json:"agent,omitempty" jsonschema:"The agent whose run began last. It is left out if the agent has no name."`
	Waits      []string        `json:"waitsFor,omitempty" jsonschema:"Threads below this one that have open interrupts, the nearest first, at most 20. The server looks among the 200 threads of the namespace that have waited longest."`
	WaitsCount int             `json:"waitsForCount,omitempty" jsonschema:"The number of threads below this one among those 200."`
	Partial    bool            `json:"partial,omitempty" jsonschema:"The store could not read all of these members. Those that are missing or empty may have other values."`
}

// wholeThreadJSON is a thread, and what is in it.
type wholeThreadJSON struct {
	threadJSON
	contentsJSON
}

type contentsJSON struct {
	State      json.RawMessage   `json:"state"`
	Messages   []json.RawMessage `json:"messages"`
	Position   positionJSON      `json:"position" jsonschema:"The end of the thread's log."`
	OpenRun    string            `json:"openRun,omitempty" jsonschema:"The id of the run that is under way, or of the run that has asked."`
	Paused     bool              `json:"paused" jsonschema:"The run of the thread is paused. unpauseThread continues it."`
	Pausing    bool              `json:"pausePending" jsonschema:"The active run will be paused at its next step."`
	Interrupts []interruptJSON   `json:"interrupts"`
	Corrupted  bool              `json:"corrupted,omitempty" jsonschema:"A part of the stored thread cannot be read and is left out."`
}

// blindThreadJSON is what a caller is told that may not read the thread.
type blindThreadJSON struct {
	ThreadID string `json:"threadId"`
	Version  int64  `json:"version"`
}

const blindNotes = "Without the scope read the answer has only threadId and version."

// threadSchema is the name of threadJSON among the schemas of the document.
const threadSchema = "Thread"

// threadSchemas are plainSchemas, and those of the types that refer to it.
func threadSchemas() map[reflect.Type]*jsonschema.Schema {
	nothingElse := &jsonschema.Schema{Not: &jsonschema.Schema{}}
	thread := &jsonschema.Schema{Ref: "#/components/schemas/" + threadSchema, UnevaluatedProperties: nothingElse}
	whole := schemaOf(reflect.TypeFor[contentsJSON](), plainSchemas)
	whole.AdditionalProperties = nil
	whole.AllOf, whole.UnevaluatedProperties = []*jsonschema.Schema{{Ref: thread.Ref}}, nothingElse
	all := maps.Clone(plainSchemas)
	all[reflect.TypeFor[threadJSON]()], all[reflect.TypeFor[wholeThreadJSON]()] = thread, whole
	return all
}

// partialThreadOf is a thread whose tree could not be read: when it was made nobody can tell.
func partialThreadOf(t operate.TreeThread) threadJSON {
	out := threadOf(t)
	out.Root, out.Created, out.Partial = "", time.Time{}, true
	return out
}

// threadOf is a thread as it is told.
func threadOf(t operate.TreeThread) threadJSON {
	n := t.Node
	out := threadJSON{ThreadID: n.Thread, Parent: n.Parent, Root: n.Root, Depth: n.Depth, Children: n.Children, Resource: n.Resource,
		Metadata: n.Metadata, Version: n.Version, Deleting: n.Deleting, Created: n.Created.UTC(), Waits: t.Waits, WaitsCount: t.WaitsCount}
	if n.Version > 0 {
		out.Changed = n.Updated.UTC()
	}
	i := t.Info
	if i == nil {
		return out
	}
	if out.Title = i.Title; i.Unused {
		return out
	}
	if n.Created.IsZero() {
		out.Created = i.Created.UTC()
	}
	if i.WaitsOn != adapter.ReasonCall { // which is looked at then, and no more
		out.Until = i.Until.UTC()
	}
	out.Updated, out.Active, out.Suspended, out.WaitsOn = i.Updated.UTC(), i.Active, i.Suspended, i.WaitsOn
	out.Expires, out.Queued, out.Failed, out.ActiveRun, out.LatestRun, out.Agent = i.Expires.UTC(), i.Queued, i.Failed, i.ActiveRun, i.LatestRun, i.Agent
	return out
}

// shown is what the caller is told of a thread that it has made or changed: without the
// scope read that it is so, and under which version.
func (c *call) shown(t operate.TreeThread, partial bool) any {
	if c.needs(scopeList(identity.ScopeRead, c.op.beyond, identity.ScopeAdmin)) != nil {
		return blindThreadJSON{t.Node.Thread, t.Version}
	}
	out := threadOf(t)
	out.Partial = partial
	return out
}

func (c *call) getThread() (any, error) {
	t, err := c.Runner.Thread(c.r.Context(), c.key)
	if err != nil {
		return nil, err
	}
	// The tree lies in another part of the store, which keeps nobody from the thread.
	placed, failed := c.Runner.OneInTree(c.r.Context(), c.key)
	switch {
	case t == nil && failed != nil:
		return nil, failed
	case t == nil && placed == nil:
		return nil, errNoThread
	case t == nil: // it was made, and has had no input
		t = &operate.Thread{State: json.RawMessage("{}")}
		if placed.Info != nil {
			t.Title = placed.Info.Title
		}
	case placed == nil:
		placed = &operate.TreeThread{Node: store.Node{Thread: c.key.Thread, Root: c.key.Thread}}
	}
	messages, err := messageTexts(t.Messages)
	told := threadOf
	if failed != nil {
		told = partialThreadOf
	}
	out := wholeThreadJSON{told(*placed), contentsJSON{
		State: t.State, Messages: messages, Position: positionJSON{t.End.Epoch, t.End.Seq}, OpenRun: t.OpenRun,
		Paused: t.Pause == operate.PausePaused, Pausing: t.Pause == operate.PausePending,
		Interrupts: interruptsOf(t.Open), Corrupted: t.Corrupted,
	}}
	// What the interrupts and the messages are of, even if it has changed since they were read.
	out.Title, out.Active, out.ActiveRun, out.Suspended, out.Queued = t.Title, t.Active != "", t.Active, t.Open != nil, t.Queued
	out.LatestRun = t.Latest
	return out, err
}
