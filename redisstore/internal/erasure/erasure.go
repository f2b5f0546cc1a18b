// Package erasure takes one person out of a store, in pieces that each are small and may be
// the last before the process dies: what is left is found again.
package erasure

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
)

// Person is who is erased.
type Person struct {
	Namespace string // whose threads all are the person's
	Tenant    string
	Name      string // by which the store knows the person: store.Begin.User
	Shown     string // by which others are told of the person: store.Origin.Name, and Credential
}

// Summary counts what went, or would go. It names nobody but in Left and Keep.
type Summary struct {
	Threads   int // of the person
	Decisions int // about those
	Unnamed   int // decisions about threads of others, which stay without the person's name and words
	Runs      int // of threads of others, which stay without the person's name
	Notices   int
	Webhooks  int // that were owed, dead ones too
	Accounts  int // tokens of other services

	// Left says what could not be erased, and why.
	Left []string
	// Keep are threads of others in which the person has taken part.
	Keep []store.ThreadKey
}

func (s *Summary) left(format string, args ...any) {
	s.Left = append(s.Left, fmt.Sprintf(format, args...))
}

// page is how many things one step reads.
const page = 100

type erasing struct {
	conn *link.Connection
	st   store.Store
	who  Person
	dry  bool
	sum  *Summary
	// begun are the first answers of scans, by their keys.
	begun map[string]*redis.ScanCmd
}

// Erase erases a person, or, dry, finds out what would go. The summary has what has gone so
// far also beside an error. It may be called again, and beside servers that run.
func Erase(ctx context.Context, conn *link.Connection, st store.Store, who Person, dry bool) (*Summary, error) {
	e := &erasing{conn: conn, st: st, who: who, dry: dry, sum: &Summary{}}
	for _, step := range []func(context.Context) error{e.threads, e.others, e.decided, e.unnamed, e.owned, e.notices, e.targets} {
		if err := step(ctx); err != nil {
			return e.sum, err
		}
	}
	if dry {
		return e.sum, nil
	}
	again, err := e.list(ctx)
	if len(again) > 0 {
		e.sum.left("%d threads of the person are there again, such as %q: take the person's credential away, and run it again", len(again), again[0])
	} else if err == nil {
		err = e.bytes(ctx)
	}
	return e.sum, err
}

// list finds the person's threads: those that were used, and those that were made.
func (e *erasing) list(ctx context.Context) (threads []string, err error) {
	for q := (store.ThreadQuery{Namespace: e.who.Namespace, Limit: page}); ; {
		found, err := e.st.Threads(ctx, q)
		if err != nil {
			return threads, err
		}
		for _, t := range found.Threads {
			threads = append(threads, t.Thread.Thread)
		}
		if q.Cursor = found.Next; q.Cursor == "" {
			break
		}
	}
	for q := (store.TreeQuery{Namespace: e.who.Namespace, Limit: page}); ; {
		found, next, err := e.st.TreePage(ctx, q)
		if err != nil {
			return threads, err
		}
		for _, t := range found {
			threads = append(threads, t.Thread)
		}
		if q.Cursor = next; next == "" {
			break
		}
	}
	slices.Sort(threads)
	return slices.Compact(threads), nil
}

// threads deletes those of the person, whatever goes on in them. What is open in them is
// not put on record: the record would name them.
func (e *erasing) threads(ctx context.Context) error {
	all, err := e.list(ctx)
	if e.dry || err != nil {
		e.sum.Threads = len(all)
		return err
	}
	by := store.Deletion{Withdraw: func(store.Withdrawn) ([]store.Decided, bool) { return nil, false }}
	for list := range slices.Chunk(all, page) {
		keys := make([]store.ThreadKey, len(list))
		for i, id := range list {
			keys[i] = store.ThreadKey{Namespace: e.who.Namespace, Thread: id}
		}
		for i, key := range keys {
			// A thread above it may have taken it along.
			infos, err := e.st.ThreadInfos(ctx, keys[i:i+1])
			if err != nil && !errors.Is(err, store.ErrCorrupted) {
				return err
			}
			nodes, bad := e.st.TreeNodes(ctx, e.who.Namespace, list[i:i+1])
			if err = errors.Join(err, bad); err == nil && infos[0] == nil && nodes[0] == nil {
				e.sum.Threads++
				continue
			}
			if err := e.fell(ctx, key, by); err != nil {
				if ctx.Err() != nil || errors.Is(err, store.ErrOutcomeUnknown) {
					return err
				}
				e.sum.left("thread %q cannot be deleted: %v", key.Thread, err)
				continue
			}
			e.sum.Threads++
		}
	}
	return nil
}

// fell deletes a thread and all below it. One call does only so many of them.
func (e *erasing) fell(ctx context.Context, key store.ThreadKey, by store.Deletion) error {
	for range store.TreeSize {
		res, err := e.st.DeleteTree(ctx, key, store.DeleteCascade, by)
		if err != nil {
			return err
		}
		nodes, err := e.st.TreeNodes(ctx, key.Namespace, []string{key.Thread})
		if err != nil || res.Begun == 0 || nodes[0] == nil {
			return err
		}
	}
	return errors.New("threads come below it as fast as they are deleted")
}

// owned takes away what counts for the person, and the accounts at other services.
func (e *erasing) owned(ctx context.Context) error {
	o, tokens := e.conn.Keys.Owner(keyspace.OwnerID(store.Owner{Name: e.who.Name})), e.conn.Keys.Tokens(e.who.Name)
	held, err := e.st.(store.Logins).Tokens(ctx, e.who.Name)
	if err != nil {
		return err
	}
	e.sum.Accounts = len(held)
	return e.drop(ctx, [][]any{{"unlink", o.Runs}, {"unlink", o.Owned}, {"unlink", o.Inputs}, {"unlink", tokens}})
}

// bytes takes away how many the payloads of the person's threads have.
func (e *erasing) bytes(ctx context.Context) error {
	var cmds [][]any
	for i := range e.conn.Keys.Parts {
		cmds = append(cmds, []any{"hdel", e.conn.Keys.Parts[i].PayloadBytes(), e.who.Namespace})
	}
	return e.drop(ctx, cmds)
}

// drop sends commands that take something away, and answer how much.
func (e *erasing) drop(ctx context.Context, cmds [][]any) error {
	if e.dry || len(cmds) == 0 {
		return nil
	}
	var all []*redis.IntCmd
	for _, args := range cmds {
		all = append(all, redis.NewIntCmd(ctx, args...))
	}
	return errors.Join(link.Ask(ctx, e.conn, all)...)
}
