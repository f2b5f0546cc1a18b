package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
	"github.com/redis/go-redis/v9"
)

const (
	// fellTogether is how many threads one call of FinishDeletes deletes at most.
	fellTogether = 200
	// fellBytes is more than the nodes of so many have.
	fellBytes = 8 << 20
)

// A deletion crosses partitions, so it goes in steps, and each may be the last before its
// process dies. The namespace's tree says how far a thread has come. "rest": it is deleted
// if nothing goes on in it. "all": it is deleted, whatever goes on, and its record has to
// say so. "erase": its record has said so, and says so until it is erased. Its node goes
// last.

type doomed struct {
	key     store.ThreadKey
	state   string
	deleter string // as heldDeleter packs it
}

// heldDeleter is who deletes, as the tree keeps it; readDeleter reads that.
func heldDeleter(by store.Deleter) string { return string(link.Pack(nil, by.User, string(by.From))) }

func readDeleter(held string) (by store.Deleter) {
	if list, err := link.Unpack(held); err == nil && len(list) == 2 {
		by.User = list[0]
		if list[1] != "" {
			by.From = json.RawMessage(list[1])
		}
	}
	return by
}

func (d doomed) deletion(withdraw store.Withdraw) store.Deletion {
	return store.Deletion{Deleter: readDeleter(d.deleter), Withdraw: withdraw}
}

// DeleteTree implements store.Tree.
func (s *tree) DeleteTree(ctx context.Context, key store.ThreadKey, children store.DeleteChildren, by store.Deletion) (store.DeleteResult, error) {
	switch children {
	case store.DeleteReject, store.DeleteDetach, store.DeleteCascade:
	default:
		return store.DeleteResult{}, fmt.Errorf("redisstore: delete: %q is no way of deleting", children)
	}
	r, err := s.conn.Run(ctx, link.Call{Script: lua.TreeDoom, Keys: s.conn.Keys.Tree(key.Namespace),
		Args: lua.Args{{"thread", key.Thread}, {"namespace", key.Namespace}, {"how", string(children)}, {"deleter", heldDeleter(by.Deleter)}}})
	if err != nil {
		return store.DeleteResult{}, err
	}
	res := store.DeleteResult{Children: int(r.Int())}
	threads := r.List()
	var list []doomed
	for threads.More() {
		list = append(list, doomed{store.ThreadKey{Namespace: key.Namespace, Thread: threads.Text()}, threads.Text(), threads.Text()})
	}
	r.Join(threads)
	if r.Err != nil || len(list) == 0 {
		return res, r.Err
	}
	if children != store.DeleteCascade {
		done, err := s.retention.deleteResting(ctx, key, forgetResting, by)
		done.Children = res.Children
		return done, err
	}
	// All of them refuse inputs before the first is gone.
	for _, d := range list {
		if err := s.doom(ctx, d); err != nil {
			return res, err
		}
	}
	for _, d := range list[:min(len(list), fellTogether)] {
		if err := s.fell(ctx, d, by.Withdraw); err != nil {
			return res, err
		}
	}
	res.Deleted, res.Begun = true, len(list)
	return res, nil
}

// deleteResting deletes a thread, unless something goes on in it. Then it stays, and so
// does all below it.
func (s *retention) deleteResting(ctx context.Context, key store.ThreadKey, which int, by store.Deletion) (res store.DeleteResult, err error) {
	res.Deleted, err = s.forget(ctx, key, which, by)
	if res.Unreadable = errors.Is(err, store.ErrCorrupted); err != nil && !res.Unreadable {
		return res, err
	}
	leaves := spared
	if res.Deleted {
		leaves = felled
	}
	return res, errors.Join(err, s.gone(ctx, key, leaves))
}

// doom lets a thread's record say that it is being deleted, and then its node that the
// record has said so.
func (s *tree) doom(ctx context.Context, d doomed) error {
	if d.state != "all" {
		return nil // it may be erased already, and what has come since is another's
	}
	key := d.key
	if _, err := s.conn.Run(ctx, link.Call{Script: lua.Doom, Keys: []string{s.conn.Keys.Thread(key).Rec()}, Args: lua.Args{{"keep", remember.Milliseconds()}}}); err != nil {
		return err
	}
	_, err := s.conn.Run(ctx, link.Call{Script: lua.TreeDoom, Keys: s.conn.Keys.Tree(key.Namespace),
		Args: lua.Args{{"thread", key.Thread}, {"namespace", key.Namespace}, {"how", "erase"}, {"deleter", ""}}})
	return err
}

// fell erases a thread whose record says that it is being deleted. One whose record does not
// any more was erased, and may have begun again.
func (s *tree) fell(ctx context.Context, d doomed, withdraw store.Withdraw) error {
	if _, err := s.retention.forget(ctx, d.key, forgetDoomed, d.deletion(withdraw)); err != nil {
		return err
	}
	return s.retention.gone(ctx, d.key, felled)
}

// How a thread leaves its tree, as treegone.lua has it.
const (
	erased = iota
	spared
	felled
)

// gone takes a thread out of its tree, or, spared, lets it be again.
func (s *retention) gone(ctx context.Context, key store.ThreadKey, how int) error {
	r, err := s.conn.Run(ctx, link.Call{Script: lua.TreeGone, Keys: s.conn.Keys.Tree(key.Namespace),
		Args: lua.Args{{"thread", key.Thread}, {"namespace", key.Namespace}, {"spare", how}}})
	if err != nil {
		return err
	}
	s.quotas.disownMade(ctx, key, r.Text())
	return r.Err
}

// FinishDeletes implements store.Tree.
func (s *tree) FinishDeletes(ctx context.Context, withdraw store.Withdraw) (more bool, err error) {
	cmds := make([]*redis.StringSliceCmd, len(s.conn.Keys.Parts))
	for i := range s.conn.Keys.Parts {
		cmds[i] = redis.NewStringSliceCmd(ctx, "srandmember", s.conn.Keys.Parts[i].Felled(), 100)
	}
	if err := s.conn.Missing(link.Ask(ctx, s.conn, cmds)); err != nil && !errors.Is(err, store.ErrPartial) {
		return false, fmt.Errorf("redisstore: finish deletes: %w", err)
	}
	left := fellTogether
	for _, cmd := range cmds {
		for _, namespace := range cmd.Val() {
			done, failed := s.finishIn(ctx, namespace, left, withdraw)
			err = errors.Join(err, failed)
			if left -= done; left <= 0 || ctx.Err() != nil {
				return true, err
			}
		}
	}
	return false, err
}

// finishIn goes on with as many of a namespace's deletions as that.
func (s *tree) finishIn(ctx context.Context, namespace string, limit int, withdraw store.Withdraw) (int, error) {
	r, err := s.conn.Run(ctx, link.Call{Script: lua.TreePage, Keys: s.conn.Keys.Tree(namespace),
		Args: lua.Args{{"from", "[d"}, {"to", "(e"}, {"limit", limit}, {"bytes", fellBytes}}})
	if err != nil {
		return 0, err
	}
	r.Bool()
	var list []doomed
	for r.More() {
		one := r.List()
		one.Text()
		of := one.List()
		if of.More() {
			list = append(list, doomed{key: store.ThreadKey{Namespace: namespace, Thread: of.Text()}})
			for range 7 {
				of.Next()
			}
			last := &list[len(list)-1]
			last.state = of.Text()
			of.Next()
			of.Next()
			last.deleter = of.Text()
		}
		r.Join(one)
	}
	if r.Err != nil {
		return 0, r.Err
	}
	if len(list) == 0 {
		return 0, s.retention.gone(ctx, store.ThreadKey{Namespace: namespace}, spared)
	}
	var failed error
	for i, d := range list {
		if d.state == "rest" {
			_, err = s.retention.deleteResting(ctx, d.key, forgetResting, d.deletion(withdraw))
		} else if err = s.doom(ctx, d); err == nil {
			err = s.fell(ctx, d, withdraw)
		}
		// A thread that cannot be deleted holds up no other.
		if failed = errors.Join(failed, err); ctx.Err() != nil {
			return i, failed
		}
	}
	return len(list), failed
}
