package threads

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// newGrove is a namespace's threads as trees, seen through one node, with calls that must
// not fail.
type grove struct {
	*stage.Env
	s    store.Store
	tree store.Tree
}

// grove is a fresh node's.
func newGrove(e *stage.Env, node string) *grove {
	e.Helper()
	s := e.Node(node)
	return &grove{e, s, s}
}

func (g *grove) key(id string) store.ThreadKey { return g.On(g.s, id).Key }

var planted atomic.Int64

func (g *grove) put(id string, c store.NodeChange) (*store.Node, error) {
	g.Helper()
	if c.Request == "" {
		c.Request = fmt.Sprint("put", planted.Add(1))
	}
	return g.tree.PutNode(g.Context(), g.key(id), c)
}

// plant makes a thread below another; "": a root.
func (g *grove) plant(id, parent string) *store.Node {
	g.Helper()
	c := store.NodeChange{Create: true, Version: store.AnyVersion}
	if parent != "" {
		c.Parent = &parent
	}
	n, err := g.put(id, c)
	if err != nil {
		g.Fatal(err)
	}
	return n
}

// plants makes threads: "a a/b a/b/c".
func (g *grove) plants(paths string) {
	g.Helper()
	for _, path := range strings.Fields(paths) {
		up, id := "", path
		if i := strings.LastIndex(path, "/"); i >= 0 {
			id = path[i+1:]
			up = path[strings.LastIndex("/"+path[:i], "/"):i]
		}
		g.plant(id, up)
	}
}

func (g *grove) refused(why store.TreeRefusal, what string) func(*store.Node, error) {
	return func(_ *store.Node, err error) {
		g.Helper()
		var refusal *store.TreeError
		if !errors.As(err, &refusal) || !errors.Is(err, store.ErrTree) || refusal.Why != why {
			g.Errorf("%s: %v, want %s", what, err, why)
		}
	}
}

func under(parent string) store.NodeChange {
	return store.NodeChange{Parent: &parent, Version: store.AnyVersion}
}

// all are the nodes as parent>thread(depth)root, by ids, with ! behind those that are to go.
func (g *grove) all(q store.TreeQuery) string {
	g.Helper()
	q.Namespace = "space"
	var out []string
	for pages := 0; ; pages++ {
		nodes, next, err := g.tree.TreePage(g.Context(), q)
		if err != nil || pages > 99 {
			g.Fatal(pages, err)
		}
		for _, n := range nodes {
			mark := ""
			if n.Deleting {
				mark = "!"
			}
			out = append(out, fmt.Sprintf("%s>%s(%d)%s%s", n.Parent, n.Thread, n.Depth, n.Root, mark))
		}
		if next == "" {
			return strings.Join(out, " ")
		}
		q.Cursor = next
	}
}

func (g *grove) ids(q store.TreeQuery) string {
	g.Helper()
	var out []string
	for _, n := range strings.Fields(g.all(q)) {
		_, n, _ = strings.Cut(n, ">")
		n, _, _ = strings.Cut(n, "(")
		out = append(out, n)
	}
	return strings.Join(out, " ")
}

func (g *grove) is(what, want string) {
	g.Helper()
	if got := g.all(store.TreeQuery{}); got != want {
		g.Errorf("%s there is %s, want %s", what, got, want)
	}
}

func (g *grove) deletes(id string, how store.DeleteChildren) store.DeleteResult {
	g.Helper()
	res, err := g.tree.DeleteTree(g.Context(), g.key(id), how, stage.Deleting(""))
	if err != nil {
		g.Fatal(err)
	}
	return res
}

// uses has a run in a thread, and ends it.
func (g *grove) uses(ids ...string) {
	g.Helper()
	for _, id := range ids {
		th := g.On(g.s, id)
		th.OK(stage.Ending(th.Begun(th.Execute("r-"+id)), 2, 1, "end", store.EndFinish))
	}
}

var TreeTests = []stage.Test{
	{"threads stand below others, with their root and depth", func(e *stage.Env) {
		g := newGrove(e, "a")
		g.plants("a a/b a/b/c a/d e")
		g.is("made", ">a(0)a a>b(1)a b>c(2)a a>d(1)a >e(0)e")
		nodes, err := g.tree.TreeNodes(e.Context(), "space", []string{"c", "nobody", "a"})
		if err != nil || len(nodes) != 3 || nodes[0].Thread != "c" || nodes[1] != nil || nodes[2].Children != 2 {
			e.Fatalf("%+v, %v", nodes, err)
		}
		if below, err := g.tree.TreeBelow(e.Context(), g.key("a")); err != nil || len(below) != 3 || below[2] != "c" {
			e.Fatalf("%q, %v", below, err)
		}
		if other, err := g.tree.TreeNodes(e.Context(), "other", []string{"a"}); err != nil || len(other) != 1 || other[0] != nil {
			e.Fatalf("another namespace: %+v, %v", other, err)
		}
	}},
	{"a thread that had inputs is as old as the first one, whenever it is put into a tree", func(e *stage.Env) {
		c := e.Stopped()
		g := newGrove(e, "a")
		first := c.Read()
		g.uses("up", "down")
		c.Move(time.Minute)
		th := g.On(g.s, "down")
		th.OK(stage.Ending(th.Begun(th.Execute("again")), 2, 3, "end", store.EndFinish))
		c.Move(time.Minute)
		n, err := g.put("down", under(""))
		if n = stage.Must(th, n, err); n.Version != 0 || !n.Created.Equal(first) {
			e.Errorf("what changes nothing tells %+v", n)
		}
		_, err = g.put("down", under("up"))
		stage.Must(th, n, err)
		nodes, err := g.tree.TreeNodes(e.Context(), "space", []string{"up", "down"})
		for _, n := range stage.Must(th, nodes, err) {
			if !n.Created.Equal(first) {
				e.Errorf("%+v, and its first input came at %s", n, first)
			}
		}
		g.deletes("down", store.DeleteReject)
		g.uses("down")
		infos, err := g.tree.ThreadInfos(e.Context(), []store.ThreadKey{th.Key})
		if infos = stage.Must(th, infos, err); !infos[0].Created.Equal(c.Read()) {
			e.Errorf("after it was deleted: %+v", infos[0])
		}
	}},
	{"what is said of many threads is read whole, however large", func(e *stage.Env) {
		g := newGrove(e, "a")
		var ids []string
		for i := range 50 {
			ids = append(ids, fmt.Sprint("t", i))
			if i%10 == 5 {
				continue
			}
			meta := json.RawMessage(fmt.Sprintf(`{"of":%d,"a":%q}`, i, strings.Repeat("x", 15_000)))
			if _, err := g.put(ids[i], store.NodeChange{Create: true, Version: store.AnyVersion, Metadata: &meta}); err != nil {
				e.Fatal(err)
			}
		}
		nodes, err := g.tree.TreeDescribed(e.Context(), "space", ids)
		if err != nil || len(nodes) != len(ids) {
			e.Fatal(len(nodes), err)
		}
		for i, n := range nodes {
			if none := i%10 == 5; none != (n == nil) || !none && (n.Thread != ids[i] || !strings.HasPrefix(string(n.Metadata), fmt.Sprintf(`{"of":%d,`, i)) || len(n.Metadata) < 15_000) {
				e.Fatalf("%s: %+v", ids[i], n)
			}
		}
	}},
	{"a parent that is missing is refused, and so is one below the thread", func(e *stage.Env) {
		g := newGrove(e, "a")
		g.plants("a a/b a/b/c")
		up := "nobody"
		g.refused(store.ParentMissing, "a new one")(g.put("x", store.NodeChange{Create: true, Version: store.AnyVersion, Parent: &up}))
		g.refused(store.ParentMissing, "moved")(g.put("b", under("nobody")))
		g.refused(store.ParentCycle, "itself")(g.put("a", under("a")))
		g.refused(store.ParentCycle, "a grandchild")(g.put("a", under("c")))
		g.refused(store.NodeMissing, "what is not there")(g.put("y", under("a")))
		g.refused(store.NodeExists, "made twice")(g.put("a", store.NodeChange{Create: true, Version: store.AnyVersion}))
		g.uses("used")
		g.refused(store.NodeExists, "made though it was used")(g.put("used", store.NodeChange{Create: true, Version: store.AnyVersion}))
		g.is("refused", ">a(0)a a>b(1)a b>c(2)a")
	}},
	{"a tree is as deep as it may be, however it comes to be", func(e *stage.Env) {
		g := newGrove(e, "a")
		up := ""
		for i := range store.TreeDepth + 1 {
			id := fmt.Sprintf("d%02d", i)
			g.plant(id, up)
			up = id
		}
		g.refused(store.TreeTooDeep, "one more")(g.put("x", store.NodeChange{Create: true, Version: store.AnyVersion, Parent: &up}))
		g.plant("top", "")
		g.refused(store.TreeTooDeep, "all of it below another")(g.put("d00", under("top")))
	}},
	{"a tree has as many threads as it may", func(e *stage.Env) {
		g := newGrove(e, "a")
		if !g.s.Durable() {
			suite.Full(e.T) // it is slow inside the process
		}
		g.plant("a", "")
		for i := range store.TreeSize - 1 {
			g.plant(fmt.Sprint("n", i), "a")
		}
		up := "a"
		g.refused(store.TreeTooLarge, "one more")(g.put("x", store.NodeChange{Create: true, Version: store.AnyVersion, Parent: &up}))
		g.plants("b b/c")
		g.refused(store.TreeTooLarge, "two more")(g.put("b", under("n1")))
		if n, err := g.put("n1", under("n2")); err != nil || n.Depth != 2 {
			e.Errorf("within the tree: %+v, %v", n, err)
		}
	}},
	{"of many who put threads below each other at once, no cycle comes", func(e *stage.Env) {
		groves := []*grove{newGrove(e, "a"), newGrove(e, "b")}
		for range 8 {
			id := func(i int) string { return fmt.Sprint("t", i) }
			for i := range 8 {
				if _, err := groves[0].put(id(i), store.NodeChange{Create: true, Version: store.AnyVersion}); err != nil && !errors.Is(err, store.ErrTree) {
					e.Fatal(err)
				}
			}
			var group sync.WaitGroup
			for i := range 8 {
				group.Go(func() { _, _ = groves[i%2].put(id(i), under(id((i+1)%8))) })
			}
			group.Wait()
			nodes, err := groves[0].tree.TreeNodes(e.Context(), "space", []string{"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"})
			if err != nil {
				e.Fatal(err)
			}
			depths := map[string]*store.Node{}
			for _, n := range nodes {
				depths[n.Thread] = n
			}
			for _, n := range nodes {
				if n.Parent != "" && (depths[n.Parent].Depth != n.Depth-1 || depths[n.Parent].Root != n.Root) || n.Parent == "" && n.Root != n.Thread {
					e.Fatalf("%+v stands below %+v", n, depths[n.Parent])
				}
				if _, err := groves[0].put(n.Thread, under("")); err != nil {
					e.Fatal(err)
				}
			}
		}
	}},
	{"what is said of a thread is changed under its version, once", func(e *stage.Env) {
		c := e.Stopped()
		g := newGrove(e, "a")
		n := g.plant("a", "")
		created := c.Read()
		c.Move(time.Minute)
		meta, about := json.RawMessage(`{"a":1.0}`), "order 7"
		change := store.NodeChange{Request: "w1", Version: n.Version, Metadata: &meta, Resource: &about}
		n, err := g.put("a", change)
		if err != nil || n.Version != 2 || string(n.Metadata) != `{"a":1.0}` || n.Resource != about || !n.Created.Equal(created) || !n.Updated.Equal(c.Read()) {
			e.Fatalf("%+v, %v", n, err)
		}
		if again, err := g.put("a", change); err != nil || again.Version != 2 {
			e.Fatalf("sent again: %+v, %v", again, err)
		}
		change.Request = "w2"
		_, err = g.put("a", change)
		var stale *store.TreeError
		if !errors.As(err, &stale) || stale.Why != store.NodeConflict || stale.Current == nil || stale.Current.Version != 2 {
			e.Fatalf("an old version: %v", err)
		}
		var group sync.WaitGroup
		var won atomic.Int32
		for i := range 32 {
			group.Go(func() {
				meta := json.RawMessage(fmt.Sprint(i))
				if _, err := g.put("a", store.NodeChange{Version: 2, Metadata: &meta}); err == nil {
					won.Add(1)
				}
			})
		}
		group.Wait()
		if won.Load() != 1 {
			e.Errorf("%d changed the same version", won.Load())
		}
	}},
	{"threads are found by parent, root, resource and prefix, and a cursor by its query alone", func(e *stage.Env) {
		c := e.Stopped()
		g := newGrove(e, "a")
		about, id := "res", func(i int) string { return fmt.Sprintf("k%d", i) }
		g.plants("a a/b* [x *")
		for i := range 7 {
			c.Move(time.Second)
			g.plant(id(i), "a")
			if i%2 == 0 {
				if _, err := g.put(id(i), store.NodeChange{Version: store.AnyVersion, Resource: &about}); err != nil {
					e.Fatal(err)
				}
			}
		}
		for _, limit := range []int{1, 3, 7, 8, 0} {
			for _, tt := range []struct {
				q    store.TreeQuery
				want string
			}{
				{store.TreeQuery{Parent: "a"}, "k6 k5 k4 k3 k2 k1 k0 b*"},
				{store.TreeQuery{Root: "a"}, "k6 k5 k4 k3 k2 k1 k0 a b*"},
				{store.TreeQuery{Resource: "res"}, "k6 k4 k2 k0"},
				{store.TreeQuery{Prefix: "k"}, "k0 k1 k2 k3 k4 k5 k6"},
				{store.TreeQuery{Parent: "a", Resource: "res"}, "k6 k4 k2 k0"}, {store.TreeQuery{Root: "a", Prefix: "k6"}, "k6"},
				{store.TreeQuery{Root: "a", Resource: "res", Prefix: "b"}, ""},
				{store.TreeQuery{Prefix: "*"}, "*"}, {store.TreeQuery{Prefix: "[x"}, "[x"}, {store.TreeQuery{Prefix: "k?"}, ""},
				{store.TreeQuery{Parent: "nobody"}, ""},
			} {
				tt.q.Limit = limit
				if got := g.ids(tt.q); got != tt.want {
					e.Errorf("%+v: %s, want %s", tt.q, got, tt.want)
				}
			}
		}
		_, next, err := g.tree.TreePage(e.Context(), store.TreeQuery{Namespace: "space", Parent: "a", Limit: 2})
		if err != nil || next == "" {
			e.Fatal(next, err)
		}
		for _, q := range []store.TreeQuery{{Namespace: "space"}, {Namespace: "space", Root: "a"}, {Namespace: "other", Parent: "a"}, {Namespace: "space", Parent: "b"}} {
			q.Cursor = next
			if _, _, err := g.tree.TreePage(e.Context(), q); !errors.Is(err, store.ErrBadCursor) {
				e.Errorf("the cursor with %+v: %v", q, err)
			}
		}
	}},
	{"a thread with children is not deleted, unless it is said what becomes of them", func(e *stage.Env) {
		g := newGrove(e, "a")
		g.plants("a a/b a/b/c a/d")
		g.uses("a", "b")
		if res := g.deletes("a", store.DeleteReject); res.Deleted || res.Children != 2 {
			e.Fatalf("%+v", res)
		}
		g.is("rejected", ">a(0)a a>b(1)a b>c(2)a a>d(1)a")
		if res := g.deletes("c", store.DeleteReject); !res.Deleted {
			e.Fatalf("a leaf: %+v", res)
		}
		if res := g.deletes("a", store.DeleteDetach); !res.Deleted {
			e.Fatalf("%+v", res)
		}
		g.is("detached", ">b(0)b >d(0)d")
		stage.Same(g.On(g.s, "a"), "version", g.On(g.s, "a").View().Version, 0)
		if g.On(g.s, "b").View().Version == 0 {
			e.Error("what was below it is gone")
		}
	}},
	{"a thread in which something goes on is not deleted, nor are its children let go", func(e *stage.Env) {
		g := newGrove(e, "a")
		g.plants("a a/b")
		th := g.On(g.s, "a")
		claim := th.Begun(th.Execute("r1"))
		if res := g.deletes("a", store.DeleteDetach); res.Deleted {
			e.Fatalf("%+v", res)
		}
		g.is("in use", ">a(0)a a>b(1)a")
		th.OK(stage.Ending(claim, 2, 1, "end", store.EndFinish))
		if res := g.deletes("a", store.DeleteDetach); !res.Deleted {
			e.Fatalf("%+v", res)
		}
		g.is("at rest", ">b(0)b")
	}},
	{"all below a thread goes with it, whatever goes on there, and nothing else does", func(e *stage.Env) {
		g := newGrove(e, "a")
		g.plants("a a/b a/b/c a/d e e/f")
		g.uses("a", "b", "f")
		running := g.On(g.s, "c")
		claim := running.Begun(running.Execute("r1"))
		asking := g.On(g.s, "d")
		askAbout(asking, asking.Begun(asking.Execute("r2")), 2, 1)
		res := g.deletes("a", store.DeleteCascade)
		if !res.Deleted || res.Begun != 4 {
			e.Fatalf("%+v", res)
		}
		g.is("with all below it", ">e(0)e e>f(1)e")
		for _, id := range []string{"a", "b", "c", "d"} {
			stage.Same(g.On(g.s, id), id, g.On(g.s, id).View().Version, 0)
		}
		if res, err := g.s.Commit(e.Context(), stage.Ending(claim, 2, 1, "end", store.EndFinish)); err != nil || res.Status == store.CommitOK {
			e.Errorf("the run that was under way: %+v, %v", res, err)
		}
		g.uses("a")
		if more, err := g.tree.FinishDeletes(e.Context(), stage.Withdraws); more || err != nil {
			e.Error(more, err)
		}
		if g.On(g.s, "a").View().Version == 0 {
			e.Error("a thread that was begun anew is gone with the one before")
		}
	}},
	{"a thread that was deleted, made anew and deleted with all below another takes inputs again", func(e *stage.Env) {
		g := newGrove(e, "a")
		for range 2 {
			g.plants("a a/b")
			if res := g.deletes("a", store.DeleteCascade); !res.Deleted {
				e.Fatalf("%+v", res)
			}
		}
		g.uses("a", "b")
	}},
	{"what goes with all above it is not let be by who would delete it at rest alone", func(e *stage.Env) {
		g := newGrove(e, "a")
		if !g.s.Durable() {
			suite.Full(e.T)
		}
		g.plants("a")
		for i := range 220 { // more than are deleted at once
			g.plant(fmt.Sprint("b", i), "a")
		}
		th := g.On(g.s, "a")
		th.Begun(th.Execute("r1"))
		g.deletes("a", store.DeleteCascade)
		if res := g.deletes("a", store.DeleteReject); res.Deleted {
			e.Fatalf("%+v", res)
		}
		for more := true; more; {
			var err error
			if more, err = g.tree.FinishDeletes(e.Context(), stage.Withdraws); err != nil {
				e.Fatal(err)
			}
		}
		g.is("in the end", "")
		stage.Same(th, "version", th.View().Version, 0)
	}},
	{"a thread that is past its time leaves its tree", func(e *stage.Env) {
		c := e.Stopped()
		e.TTL = time.Hour
		g := newGrove(e, "a")
		g.plants("a")
		g.uses("a")
		c.Move(50 * time.Minute)
		g.plants("a/b")
		c.Move(50 * time.Minute)
		for more := true; more; {
			var err error
			if more, err = g.s.Retire(e.Context()); err != nil {
				e.Fatal(err)
			}
		}
		g.is("retired", ">b(0)b")
	}},
	{"threads of any ids and namespaces are kept apart", func(e *stage.Env) {
		g := newGrove(e, "a")
		ids := []string{"\x00", "\xff", "a:b", "{x}", strings.Repeat("long", 50)}
		up := ""
		for _, id := range ids {
			g.plant(id, up)
			up = id
		}
		got, err := g.tree.TreeBelow(e.Context(), g.key(ids[0]))
		if err != nil || !slices.Equal(got, ids[1:]) {
			e.Errorf("%q, %v", got, err)
		}
		if got := g.walks(ids[0], 2); got != strings.Join(ids, " ") {
			e.Errorf("%q", got)
		}
	}},
}
