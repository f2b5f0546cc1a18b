package admit

import (
	"context"

	"github.com/aguiws/aguiws/adapter/internal/execution"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
)

// How far the log of a thread may be ahead of its snapshot while nothing runs there: a
// run that ends by itself moves the snapshot, one that is stopped does not.
const (
	maxBehindEvents = 64
	maxBehindBytes  = 64 << 10
)

// farBehind reports whether a thread at rest has more behind its snapshot than everybody
// should read who comes.
func farBehind(view *store.ThreadView) bool {
	if view.Active != nil || view.Suspension != nil || view.Snapshot.At >= view.Seq {
		return false
	}
	return view.Seq-view.Snapshot.At > maxBehindEvents || execution.SizeOf(view.Log) > maxBehindBytes
}

// tidy moves the snapshot of a thread on which a run was stopped with so many events
// behind it.
func (c *Control) tidy(key store.ThreadKey, behind int64) {
	if behind <= maxBehindEvents {
		return
	}
	c.Background(func() {
		ctx, cancel := context.WithTimeout(c.Ctx, c.Options.StoreTimeout)
		defer cancel()
		give, refusal, err := c.Turns.Take(ctx, key) // what an input was judged on is not to move meanwhile
		if err != nil || refusal != nil {
			return
		}
		defer give()
		tidied(ctx, c.Node, key)
	})
}

// tidied moves the snapshot of a thread that is far behind. False: it is where it was,
// which costs time and nothing else.
func tidied(ctx context.Context, n *node.Node, key store.ThreadKey) (moved bool) {
	err := n.Contain("checkpoint", key, func() (err error) {
		moved, err = checkpoint(ctx, n, key)
		return err
	})
	if err != nil && ctx.Err() == nil {
		n.Log.Warn("the snapshot of a thread was not moved; the next input tries again", "namespace", key.Namespace, "thread", key.Thread, "error", err)
	}
	return moved
}

// checkpoint reads all of a thread, and moves its snapshot if it is far behind. False:
// it is not, or somebody was faster.
func checkpoint(ctx context.Context, n *node.Node, key store.ThreadKey) (bool, error) {
	view, err := n.Store.Read(ctx, key, store.ReadQuery{})
	if err != nil || !farBehind(view) {
		return false, err
	}
	snapshot, now, err := stored.Folds(view)
	if err != nil {
		return false, err
	}
	update, err := execution.UpdateOf(snapshot, now)
	if err != nil {
		return false, err
	}
	c := store.Checkpoint{Thread: key, Version: view.Version, From: view.Snapshot.At, At: store.Position{Epoch: view.Epoch, Seq: view.Seq}, Snapshot: *update}
	return retry.Do(ctx, func() (bool, error) { return n.Store.Checkpoint(ctx, c) })
}
