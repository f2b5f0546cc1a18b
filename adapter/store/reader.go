package store

import (
	"context"
	"time"
)

// Reader is what following a thread needs.
type Reader interface {
	// Range returns the first of the events first..first+limit-1 of the log, one at
	// least if there is one. RangeGone: they are trimmed. RangeEpoch: the log has
	// another epoch by now.
	Range(ctx context.Context, key ThreadKey, epoch string, first int64, limit int) (RangeResult, error)
	// Tail renews this node's registration as follower of the threads and
	// returns the end of each log, in the order asked. It is zero for those that
	// cannot be read and, beside an error that wraps ErrPartial, for those that did
	// not answer.
	Tail(ctx context.Context, keys []ThreadKey) ([]Position, error)
	// Listen sets the one function that receives what is logged on this node
	// (after the acknowledgement) and on others (for threads this node
	// follows). It is called from several goroutines, must not block, and may
	// see batches twice, out of order, or not at all: positions tell. Call it
	// once, before any other method.
	Listen(func(Delivery))
	// Durable reports whether suspensions outlive this process.
	Durable() bool
	// Secret is what the nodes of this store share and nobody else knows, 32 bytes. It stays
	// the same as long as the store.
	Secret() []byte
	// Node is the id under which this process follows and claims.
	Node() string
	// Lease is how long a claim holds unless it is renewed.
	Lease() time.Duration
}

// Delivery is what Listen's function receives.
type Delivery struct {
	Thread ThreadKey
	Kind   DeliveryKind
	Epoch  string
	First  int64 // position of Events[0]
	// Events are shared: their bytes must not be changed, and the slice is used again
	// after the call. None: the log ends before First, perhaps under another epoch.
	Events [][]byte
	Token  string // DeliverFenced: the token of the claim that was fenced
	Agent  string // DeliverWork: whose run it is
}

// DeliveryKind says what a Delivery is about.
type DeliveryKind int

const (
	DeliverEvents DeliveryKind = iota // Events were logged, the log ends where it is said, or the thread was deleted
	DeliverReady                      // this node has released a dispatch of the thread: claim it
	DeliverWork                       // another node has: Work delivers it to one
	DeliverFenced                     // the run active here was stopped or claimed elsewhere
	// DeliverCancelled: an input was cancelled in the queue. Events are the two
	// that its sender is owed; no log has them yet, and Epoch and First say nothing.
	DeliverCancelled
	DeliverLost // deliveries may have been missed: verify by Tail. Thread is empty: all of them
)

// RangeResult is a page of the log.
type RangeResult struct {
	Status RangeStatus
	Events [][]byte
	End    Position // of the log
}

// RangeStatus is Range's verdict.
type RangeStatus int

const (
	RangeOK RangeStatus = iota
	RangeGone
	RangeEpoch
)
