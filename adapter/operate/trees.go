package operate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/internal/calls"
	"github.com/aguiws/aguiws/adapter/internal/carry"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/store"
)

// MaxMetadataBytes is how large a thread's metadata may be, and MaxResourceBytes what it
// is about.
const (
	MaxMetadataBytes = 16 << 10
	MaxResourceBytes = 1 << 10
)

// trees are threads below threads.
type trees struct {
	*node.Node
	threads *threads
	quotas  *carry.Quotas
	calls   *calls.Calls
}

// TreeThread is a thread as one of a tree.
type TreeThread struct {
	store.Node
	Info *store.ThreadInfo // nil: it had no input yet, and has no name
	// Waits are the threads below it that have open interrupts, the nearest first and those
	// as near by their ids, MaxWaits of them at most. WaitsCount is how many there are.
	Waits      []string
	WaitsCount int
}

// MaxWaits is how many threads that wait below one are named.
const MaxWaits = 20

// waitFor adds threads that wait below t, none of them nearer than those it has.
func (t *TreeThread) waitFor(threads ...string) {
	t.WaitsCount += len(threads)
	t.Waits = append(t.Waits, threads[:min(len(threads), MaxWaits-len(t.Waits))]...)
}

// NewThread is a thread that is to be made, or what is to be changed of one: nil stays as
// it is. Blanks around Parent and Resource do not count, and what is left empty takes
// them away.
type NewThread struct {
	Parent   *string
	Resource *string
	Metadata *json.RawMessage // a JSON object
	// User is whose the thread is that is made, as Input.User.
	User string
	// Version is that of the thread which is changed, as TreeThread.Version; nil: any.
	Version *int64
}

// CreateThread makes a thread before its first input. Its errors wrap store.ErrTree where
// the thread or its parent does not allow it, and ErrInvalidThread where it asks for what
// no thread has; a RefusedThread says that the user has too many.
func (ts *trees) CreateThread(ctx context.Context, key store.ThreadKey, n NewThread) (*store.Node, error) {
	return ts.put(ctx, key, n, true)
}

// UpdateThread puts a thread below another, or changes its metadata or resource. Errors are
// as CreateThread's; of a version that is not the thread's it is a *store.TreeError with
// what there is.
func (ts *trees) UpdateThread(ctx context.Context, key store.ThreadKey, n NewThread) (*store.Node, error) {
	return ts.put(ctx, key, n, false)
}

// ErrInvalidThread is wrapped by what CreateThread and UpdateThread refuse unseen.
var ErrInvalidThread = errors.New("invalid thread")

func (ts *trees) put(ctx context.Context, key store.ThreadKey, n NewThread, create bool) (*store.Node, error) {
	c := store.NodeChange{Request: uuid.NewString(), Create: create, Version: store.AnyVersion, Parent: trimmed(n.Parent), Resource: trimmed(n.Resource)}
	if n.Version != nil {
		if c.Version = *n.Version; c.Version < 0 {
			return nil, fmt.Errorf("%w: version: must be 0 or more, as it was read of the thread", ErrInvalidThread)
		}
	}
	if c.Resource != nil && len(*c.Resource) > MaxResourceBytes {
		return nil, fmt.Errorf("%w: resourceId: has %d bytes, and may have %d", ErrInvalidThread, len(*c.Resource), MaxResourceBytes)
	}
	if n.Metadata != nil {
		var text bytes.Buffer
		if err := json.Compact(&text, *n.Metadata); err != nil || text.Len() == 0 || text.Bytes()[0] != '{' {
			return nil, fmt.Errorf("%w: metadata: must be a JSON object", ErrInvalidThread)
		}
		if text.Len() > MaxMetadataBytes {
			return nil, fmt.Errorf("%w: metadata: has %d bytes, and may have %d", ErrInvalidThread, text.Len(), MaxMetadataBytes)
		}
		meta := json.RawMessage(text.Bytes())
		c.Metadata = &meta
	}
	if create {
		owner, refused := ts.quotas.Makes(n.User, key)
		if refused != nil {
			return nil, RefusedThread{refused}
		}
		c.Owner = owner
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ts.Options.StoreTimeout)
	defer cancel()
	return retry.Do(ctx, func() (*store.Node, error) { return ts.Store.PutNode(ctx, key, c) })
}

func trimmed(s *string) *string {
	if s == nil {
		return nil
	}
	t := strings.TrimSpace(*s)
	return &t
}

// TreeThread is one thread as one of a tree, without its metadata; nil: there is no such
// thread.
func (ts *trees) TreeThread(ctx context.Context, key store.ThreadKey) (*TreeThread, error) {
	nodes, err := ts.Store.TreeNodes(ctx, key.Namespace, []string{key.Thread})
	if err != nil {
		return nil, err
	}
	if len(nodes) == 1 && nodes[0] != nil {
		return &TreeThread{Node: *nodes[0]}, nil
	}
	return ts.alone(ctx, key)
}

// alone is a thread of which no tree knows.
func (ts *trees) alone(ctx context.Context, key store.ThreadKey) (*TreeThread, error) {
	infos, err := ts.Store.ThreadInfos(ctx, []store.ThreadKey{key})
	if err != nil || infos[0] == nil || infos[0].Unused {
		return nil, err
	}
	return &TreeThread{Node: store.Node{Thread: key.Thread, Root: key.Thread}, Info: infos[0]}, nil
}

// OneInTree is one thread as one of a tree, with its metadata and what waits below it; nil:
// there is no such thread. Errors are as Inbox's.
func (ts *trees) OneInTree(ctx context.Context, key store.ThreadKey) (*TreeThread, error) {
	items, _, err := ts.Store.TreeWalk(ctx, store.TreeWalk{Thread: key, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return ts.alone(ctx, key)
	}
	one := &TreeThread{Node: items[0].Node, Info: items[0].Info}
	return one, ts.wait(ctx, key.Namespace, map[string]*TreeThread{key.Thread: one})
}

// Described is a thread whose node is known: with what it is at, and what waits below it.
// Errors are as Inbox's.
func (ts *trees) Described(ctx context.Context, key store.ThreadKey, n store.Node) (TreeThread, error) {
	one := TreeThread{Node: n}
	infos, err := ts.Store.ThreadInfos(ctx, []store.ThreadKey{key})
	if err != nil {
		return one, err
	}
	one.Info = infos[0]
	return one, ts.wait(ctx, key.Namespace, map[string]*TreeThread{key.Thread: &one})
}

// Below pages through a thread and all that stand below it, parents first; none: there is
// no such thread. Which of them wait it says as Placed does. Errors are as Inbox's.
func (ts *trees) Below(ctx context.Context, q store.TreeWalk) ([]TreeThread, string, error) {
	items, next, err := ts.Store.TreeWalk(ctx, q)
	if err != nil {
		return nil, "", err
	}
	if len(items) == 0 && q.Cursor == "" {
		one, err := ts.alone(ctx, q.Thread)
		if err != nil || one == nil {
			return nil, "", err
		}
		return []TreeThread{*one}, "", nil
	}
	return ts.listed(ctx, q.Thread.Namespace, items, next)
}

// Trees pages through threads by where they stand. Which of them wait it says as Placed
// does. Errors are as Inbox's.
func (ts *trees) Trees(ctx context.Context, q store.TreeQuery) ([]TreeThread, string, error) {
	items, next, err := ts.Store.TreePage(ctx, q)
	if err != nil {
		return nil, "", err
	}
	return ts.listed(ctx, q.Namespace, items, next)
}

// listed is a page of threads of a namespace, with what waits below them.
func (ts *trees) listed(ctx context.Context, namespace string, items []store.TreeItem, next string) ([]TreeThread, string, error) {
	list := make([]TreeThread, len(items))
	placed := map[string]*TreeThread{}
	for i, item := range items {
		list[i] = TreeThread{Node: item.Node, Info: item.Info}
		placed[item.Thread] = &list[i]
	}
	return list, next, ts.wait(ctx, namespace, placed)
}

// placedWaits is how many of a namespace's threads with open interrupts Placed looks at.
const placedWaits = 200

// Placed says where threads of a namespace stand, by their ids, with their metadata; those
// that stand alone are left out. Which ones wait below a thread it says of the 200 of the namespace that
// have waited longest.
func (ts *trees) Placed(ctx context.Context, namespace string, threads []string) (map[string]TreeThread, error) {
	placed := map[string]TreeThread{}
	if len(threads) == 0 {
		return placed, nil
	}
	nodes, err := ts.Store.TreeDescribed(ctx, namespace, threads)
	if err != nil {
		return nil, err
	}
	list := map[string]*TreeThread{}
	for _, n := range nodes {
		if n != nil {
			list[n.Thread] = &TreeThread{Node: *n}
		}
	}
	if err := ts.wait(ctx, namespace, list); err != nil {
		return nil, err
	}
	for id, t := range list {
		placed[id] = *t
	}
	return placed, nil
}

// wait says of threads of a namespace, by their ids, which ones wait below them.
func (ts *trees) wait(ctx context.Context, namespace string, placed map[string]*TreeThread) error {
	parents := false
	for _, t := range placed {
		parents = parents || t.Children > 0
	}
	if !parents {
		return nil
	}
	open, err := ts.Store.Inbox(ctx, store.InboxQuery{Namespace: namespace, Limit: placedWaits})
	if err != nil && !errors.Is(err, store.ErrPartial) {
		return err
	}
	// above is, for each thread that has been met, which ones wait below it.
	above := map[string][]string{}
	for _, item := range open.Items {
		above[item.Thread.Thread] = []string{item.Thread.Thread}
	}
	for range store.TreeDepth + 1 {
		if len(above) == 0 {
			break
		}
		nodes, err := ts.Store.TreeNodes(ctx, namespace, slices.Collect(maps.Keys(above)))
		if err != nil {
			return err
		}
		next := map[string][]string{}
		for _, n := range nodes {
			if n == nil || n.Parent == "" {
				continue
			}
			next[n.Parent] = append(next[n.Parent], above[n.Thread]...)
		}
		for id, waiting := range next {
			slices.Sort(waiting)
			if t, ok := placed[id]; ok {
				t.waitFor(waiting...)
			}
		}
		above = next
	}
	return nil
}

// DeleteTree deletes a thread, and does with those below it as children says.
// store.DeleteCascade stops all of them: they refuse inputs from then on
// (CodeThreadDeleting), and are forgotten soon, whichever node is left to do it. Without, a
// thread in which a run is active or an input waits is not deleted; one that cannot be read is.
// Nor does store.DeleteDetach delete a thread that waits for another which it has called: that
// would stay, and nothing would end it. If it is the tree that cannot be read, nothing is
// deleted, and the error wraps store.ErrCorrupted. user is who deletes, as Input.User, and from
// how that has come: the record has both for each question that was open.
func (ts *trees) DeleteTree(ctx context.Context, key store.ThreadKey, children store.DeleteChildren, user string, from store.Origin) (store.DeleteResult, error) {
	var waited []string // executions that somebody is to answer
	by := deletion(user, from, func(w store.Withdrawn) ([]store.Decided, bool) {
		list, open := withdrawn(ts.Node, w)
		waited = append(waited, open.Execution)
		return list, children == store.DeleteDetach && len(open.Called()) > 0
	})
	if above, is, err := ts.calls.Above(ctx, key); err == nil && is {
		defer ts.calls.Look(above) // which may have called it
	}
	res, err := ts.Store.DeleteTree(ctx, key, children, by)
	if res.Deleted {
		for _, id := range waited {
			ts.calls.Admission.Parking.Dismiss(id)
		}
	}
	broken := res.Unreadable
	if err == nil && !res.Deleted && (children != store.DeleteReject || res.Children == 0) {
		broken, err = ts.threads.unreadableThread(ctx, key)
	}
	if !broken {
		return res, err
	}
	ts.threads.backoff.Mended(key)
	res.Deleted = true
	return res, ts.Store.Erase(ctx, key, by)
}

// FinishDeletes goes on with deletions that others have begun. True: there is more.
func (ts *trees) FinishDeletes(ctx context.Context) bool {
	more, err := ts.Store.FinishDeletes(ctx, func(w store.Withdrawn) ([]store.Decided, bool) {
		list, open := withdrawn(ts.Node, w)
		return list, len(open.Called()) > 0 // nobody knows any more whether what it has called goes, too
	})
	if err != nil && ctx.Err() == nil {
		ts.Log.Warn("threads that are being deleted could not be", "error", err)
	}
	return more
}

// DeleteThread forgets a thread, and cancels what it waits for. False: a run is active, an input
// waits, or threads stand below it, of which DeleteTree says what becomes. A thread that cannot
// be read is forgotten whatever goes on in it. user and from are those of DeleteTree.
func (ts *trees) DeleteThread(ctx context.Context, key store.ThreadKey, user string, from store.Origin) (bool, error) {
	res, err := ts.DeleteTree(ctx, key, store.DeleteReject, user, from)
	return res.Deleted, err
}
