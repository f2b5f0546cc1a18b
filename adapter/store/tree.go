package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Tree keeps threads as trees: which stands below which, and what is said of a thread
// that is none of its messages. All calls but FinishDeletes are atomic in a namespace,
// whatever else is called.
type Tree interface {
	// PutNode makes a thread, or changes what is kept of one; what changes nothing leaves
	// the version as it is. An error that wraps
	// ErrTree says what is refused, and nothing has changed then.
	PutNode(ctx context.Context, key ThreadKey, c NodeChange) (*Node, error)
	// TreeNodes are those of the threads, in their order and without their metadata; nil
	// for one of which nothing is kept.
	TreeNodes(ctx context.Context, namespace string, threads []string) ([]*Node, error)
	// TreeDescribed are those with their metadata. If this is much, it is read in pieces,
	// between which nodes may change.
	TreeDescribed(ctx context.Context, namespace string, threads []string) ([]*Node, error)
	// TreeBelow are the threads that stand below one, the nearest first.
	TreeBelow(ctx context.Context, key ThreadKey) ([]string, error)
	// TreeWalk pages through a thread's node and those below it: each parent, then all
	// below its first child, all below its second, and so on, those that were made last
	// first. It has none for a thread of which nothing is kept. A page has fewer than Limit
	// where they are large. The error is an ErrBadCursor if the cursor is of another thread,
	// or where it stood is not below the thread any more.
	TreeWalk(ctx context.Context, q TreeWalk) ([]TreeItem, string, error)
	// TreePage pages through nodes, those that were made last first, or by their ids if
	// the query has no Parent, Root or Resource. A cursor belongs to the query that it
	// came from, but for Limit: with another it is an ErrBadCursor. A page has fewer than
	// Limit where they are large. If times, Agent, Status, or two of the others are asked
	// for, it may be short, or empty, and not the last one: so many threads are looked at
	// for it.
	TreePage(ctx context.Context, q TreeQuery) ([]TreeItem, string, error)
	// ThreadInfos are what a list says of threads, in their order; nil for one that was
	// never used, and not named either.
	ThreadInfos(ctx context.Context, threads []ThreadKey) ([]*ThreadInfo, error)
	// DeleteTree deletes a thread as children says. FinishDeletes does what it has begun
	// and cannot finish. Sent again it does what is left.
	DeleteTree(ctx context.Context, key ThreadKey, children DeleteChildren, by Deletion) (DeleteResult, error)
	// FinishDeletes goes on with what DeleteTree calls have begun that have ended,
	// whichever node they were on, and for whom they did it. True: there is more.
	FinishDeletes(ctx context.Context, withdraw Withdraw) (more bool, err error)
}

// Node is what is kept of a thread as one of a tree.
type Node struct {
	Thread   string
	Parent   string // ""; it is a root
	Root     string // of its tree
	Depth    int    // below the root
	Children int    // right below it
	Resource string // what the thread is about, in words of the application
	Metadata json.RawMessage
	Version  int64 // counts changes of the node; 0: it is there for its children alone
	Deleting bool  // it is being deleted
	Created  time.Time
	Updated  time.Time // its latest change
	// Looked is at how many threads PutNode had to look, to move them.
	Looked int
}

// NodeChange changes a node. A nil member changes nothing.
type NodeChange struct {
	Request  string // names the call: sent again it changes nothing
	Create   bool   // there must be no such thread yet; without it there must be
	Version  int64  // that is changed; AnyVersion: whichever there is
	Parent   *string
	Resource *string
	Metadata *json.RawMessage
	Owner    string // for whom it counts if it is made, as Taken has it
}

// AnyVersion is that of a change which does not depend on one.
const AnyVersion = -1

// Bounds of a tree.
const (
	TreeDepth      = 16       // of a thread below its root
	TreeSize       = 1000     // threads of one tree
	NamespaceNodes = 100_000  // nodes of a namespace
	NamespaceBytes = 64 << 20 // of their ids, resources and metadata
)

// TreeQuery asks for the nodes of a namespace that have all that is set.
type TreeQuery struct {
	Namespace string
	Parent    string
	Root      string
	Resource  string
	Prefix    string    // of the thread's id; no character of it means anything else
	From, To  time.Time // From ≤ Node.Created < To; zero: any
	Limit     int       // 0: 50
	Cursor    string
	ThreadFilter
}

// TreeWalk asks for a thread and all below it.
type TreeWalk struct {
	Thread ThreadKey
	Limit  int // 0: 50
	Cursor string
}

// TreeItem is a node, and what a list says of its thread.
type TreeItem struct {
	Node
	Info *ThreadInfo // nil: it was never used
}

// DeleteChildren says what becomes of the threads below one that is deleted.
type DeleteChildren string

const (
	DeleteReject  DeleteChildren = "reject"  // nothing is deleted if there are any
	DeleteDetach  DeleteChildren = "detach"  // each right below it is a root from then on
	DeleteCascade DeleteChildren = "cascade" // they are deleted too, whatever goes on in any of them
)

// DeleteResult answers DeleteTree.
type DeleteResult struct {
	// Deleted: the thread is gone, or, with DeleteCascade, it is being deleted with all
	// below it: no input begins in any of them.
	Deleted  bool
	Children int // DeleteReject: how many keep it from being deleted
	Begun    int // DeleteCascade: how many threads were found that are to go
	// Unreadable: what cannot be read is the thread itself, so that nothing says whether it
	// rests, and not the tree or another thread of it. It comes with an ErrCorrupted.
	Unreadable bool
}

// ErrTree is wrapped by what PutNode refuses.
var ErrTree = errors.New("store: the tree of threads does not allow it")

// A TreeError says why a change is refused. It wraps ErrTree.
type TreeError struct {
	Why     TreeRefusal
	Current *Node // NodeConflict: what there is
	Looked  int   // as Node has it
}

func (e *TreeError) Error() string { return string(e.Why) }
func (e *TreeError) Unwrap() error { return ErrTree }

// TreeRefusal is why a change of a tree is refused, as a text for whoever asked for it.
type TreeRefusal string

const (
	NodeMissing    TreeRefusal = "there is no such thread"
	NodeExists     TreeRefusal = "there is such a thread already: choose another id, or change that one"
	NodeDeleting   TreeRefusal = "the thread is being deleted: wait until it is gone"
	NodeConflict   TreeRefusal = "the thread's version is another: read it again"
	ParentMissing  TreeRefusal = "parentThreadId: there is no such thread"
	ParentCycle    TreeRefusal = "parentThreadId: the thread would stand below itself"
	ParentDeleting TreeRefusal = "parentThreadId: the thread is being deleted"
	TreeTooDeep    TreeRefusal = "parentThreadId: the thread would stand more than 16 below its root"
	TreeTooLarge   TreeRefusal = "parentThreadId: the tree would have more than 1000 threads"
	TooManyNodes   TreeRefusal = "the namespace has as many threads with a parent, metadata or resource as it may, 100000: delete some"

	TooMuchMetadata TreeRefusal = "the ids, resources and metadata of the namespace's threads have as many bytes as they may, 64 MiB: delete some threads, or shorten their metadata"
)
