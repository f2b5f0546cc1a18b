package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
	"github.com/redis/go-redis/v9"
)

// dying is a process that dies at one of its calls, before or behind it.
type dying struct {
	left   int
	behind bool
	died   bool
}

var errDied = errors.New("the process has died")

func (d *dying) DialHook(next redis.DialHook) redis.DialHook { return next }

func (d *dying) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		return d.call(func() error { return next(ctx, cmd) }, cmd)
	}
}

func (d *dying) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		return d.call(func() error { return next(ctx, cmds) }, cmds...)
	}
}

func (d *dying) call(next func() error, cmds ...redis.Cmder) error {
	d.left--
	if d.left > 0 {
		return next()
	}
	if !d.died && d.behind {
		_ = next()
	}
	d.died = true
	for _, cmd := range cmds {
		cmd.SetErr(errDied)
	}
	return errDied
}

// treeOf makes a tree of four threads, of which two were used, and one beside it.
func treeOf(t *testing.T, s *Store) {
	t.Helper()
	for _, id := range []string{"a", "b"} {
		b := inline(0, "r-"+id)
		b.Thread.Thread = id
		claim := begin(t, s, b)
		_, err := s.Stop(t.Context(), store.Stop{Thread: claim.Thread, Request: "s" + id, RunID: claim.RunID, Terminal: []byte("end")})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, edge := range []string{"b a", "c b", "d a", "z "} {
		id, parent, _ := strings.Cut(edge, " ")
		c := store.NodeChange{Request: fmt.Sprint(i), Create: id != "b", Version: store.AnyVersion, Parent: &parent}
		if _, err := s.PutNode(t.Context(), store.ThreadKey{Namespace: testKey.Namespace, Thread: id}, c); err != nil {
			t.Fatal(id, err)
		}
	}
}

func nodesOf(t *testing.T, s *Store) (all []string, deleting int) {
	t.Helper()
	nodes, next, err := s.TreePage(t.Context(), store.TreeQuery{Namespace: testKey.Namespace})
	if err != nil || next != "" {
		t.Fatal(err)
	}
	for _, n := range nodes {
		all = append(all, n.Thread)
		if n.Deleting {
			deleting++
		}
	}
	return all, deleting
}

// Wherever the process dies that deletes a tree, and whether or not the call it died at took
// effect, another finishes: all of the tree is gone, nothing else is, and no thread that has
// begun anew since. Until then what is left says that it is being deleted, and refuses inputs.
func TestCrashPointsOfCascade(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	for _, behind := range []bool{false, true} {
		points := 0
		for finished := false; !finished; {
			points++
			t.Run(fmt.Sprint("behind ", behind, " call ", points), func(t *testing.T) {
				o := Options{Prefix: fmt.Sprint("cascade", behind, points), Partitions: 3}
				s, far := open(t, server.URL(), o), open(t, server.URL(), o)
				treeOf(t, s)
				at := &dying{left: points, behind: behind}
				far.conn.Client.(*redis.Client).AddHook(at)
				res, err := far.DeleteTree(t.Context(), treeKey("a"), store.DeleteCascade, stage.Deleting(""))
				if finished = !at.died; finished != (err == nil) || finished != res.Deleted {
					t.Fatalf("%+v, %v", res, err)
				}
				all, deleting := nodesOf(t, s)
				begun := deleting > 0 || len(all) == 1
				if begun && deleting != len(all)-1 {
					t.Errorf("%q, of which %d are being deleted", all, deleting)
				}
				if marked := s.conn.Client.HExists(t.Context(), s.conn.Keys.Thread(treeKey("a")).Rec(), "going").Val(); marked {
					b := inline(view(t, s, store.ReadQuery{}).Version, "late")
					b.Thread = treeKey("a")
					if res, err := s.Begin(t.Context(), b); err != nil || res.Status != store.BeginDeleting {
						t.Errorf("an input: %+v, %v", res, err)
					}
				}
				if !begun {
					if points > 1 {
						t.Errorf("%q are as they were", all)
					}
					return
				}
				// What is erased may begin anew before its deletion has been finished.
				renewed := map[string]bool{}
				for _, id := range []string{"b", "c", "d"} {
					if v := s.conn.Client.HMGet(t.Context(), s.conn.Keys.Thread(treeKey(id)).Rec(), "was", "input").Val(); v[0] != nil && v[1] == nil {
						b := inline(versionOf(t, s, id), "new-"+id)
						b.Thread = treeKey(id)
						begin(t, s, b)
						renewed[id] = true
					}
				}
				for more := true; more; {
					if more, err = s.FinishDeletes(t.Context(), stage.Deleting("").Withdraw); err != nil {
						t.Fatal(err)
					}
				}
				if all, deleting := nodesOf(t, s); len(all) != 1 || all[0] != "z" || deleting != 0 {
					t.Errorf("in the end there is %q, of which %d are being deleted", all, deleting)
				}
				for _, id := range []string{"a", "b", "c", "d"} {
					if there := versionOf(t, s, id) > 0; there != renewed[id] {
						t.Errorf("%s: there %t, begun anew %t", id, there, renewed[id])
					}
				}
				if n := s.conn.Client.Exists(t.Context(), s.conn.Keys.Tree(testKey.Namespace)[2]).Val(); n != 0 {
					t.Error("the namespace is still looked at")
				}
			})
			if t.Failed() {
				return
			}
		}
		if points < 10 {
			t.Errorf("it has %d calls only", points)
		}
	}
}

func treeKey(id string) store.ThreadKey {
	return store.ThreadKey{Namespace: testKey.Namespace, Thread: id}
}

func versionOf(t *testing.T, s *Store, id string) int64 {
	t.Helper()
	v, err := s.Read(t.Context(), treeKey(id), store.ReadQuery{})
	if err != nil {
		t.Fatal(err)
	}
	return v.Version
}

// Of two that delete a thread the slower one takes nothing from who has made it anew.
func TestDeletedTwiceAndMadeAnew(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Prefix: "anew"})
	treeOf(t, s)
	for name, slow := range map[string]func() error{
		"fell": func() error { return s.fell(t.Context(), doomed{key: treeKey("a")}, stage.Deleting("").Withdraw) },
		"rest": func() error { return s.gone(t.Context(), treeKey("a"), felled) },
	} {
		if err := slow(); err != nil {
			t.Fatal(name, err)
		}
		if all, _ := nodesOf(t, s); len(all) != 5 {
			t.Errorf("%s: %q are left", name, all)
		}
	}
}

// What a script walks through has no metadata in it, which may be 16 MiB of a tree.
func TestNodesAreSmall(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Prefix: "small"})
	meta := json.RawMessage(`{"a":"` + strings.Repeat("x", 16000) + `"}`)
	c := store.NodeChange{Request: "1", Create: true, Version: store.AnyVersion, Metadata: &meta}
	if _, err := s.PutNode(t.Context(), treeKey("a"), c); err != nil {
		t.Fatal(err)
	}
	keys := s.conn.Keys.Tree(testKey.Namespace)
	if n := len(s.conn.Client.HGet(t.Context(), keys[0], "a").Val()); n == 0 || n > 200 {
		t.Errorf("a node has %d bytes", n)
	}
	if res, err := s.DeleteTree(t.Context(), treeKey("a"), store.DeleteCascade, stage.Deleting("")); err != nil || !res.Deleted {
		t.Fatal(res, err)
	}
	if n := s.conn.Client.Exists(t.Context(), keys...).Val(); n != 0 {
		t.Errorf("%d keys are left of it", n)
	}
}
