package threads

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// wood is what a namespace's trees are after any calls, one after the other.
type wood struct {
	nodes map[string]*woodNode
	used  map[string]bool        // threads that have had an input
	busy  map[string]store.Claim // of those in which something goes on
}

type woodNode struct {
	parent, resource string
	version          int64
}

func (w *wood) children(id string) (ids []string) {
	for child, n := range w.nodes {
		if n.parent == id {
			ids = append(ids, child)
		}
	}
	return ids
}

// below are a thread and all below it.
func (w *wood) below(id string) []string {
	list := []string{id}
	for i := 0; i < len(list); i++ {
		list = append(list, w.children(list[i])...)
	}
	return list
}

// place is a thread's root, and how deep it stands.
func (w *wood) place(id string) (root string, depth int) {
	for root = id; w.nodes[root].parent != ""; depth++ {
		root = w.nodes[root].parent
	}
	return root, depth
}

// put predicts PutNode.
func (w *wood) put(id string, c store.NodeChange) store.TreeRefusal {
	n := w.nodes[id]
	has := int64(0)
	if n != nil {
		has = n.version
	}
	switch {
	case c.Create && (n != nil || w.used[id]):
		return store.NodeExists
	case !c.Create && n == nil && !w.used[id]:
		return store.NodeMissing
	case c.Version != store.AnyVersion && c.Version != has:
		return store.NodeConflict
	}
	was := ""
	if n != nil {
		was = n.parent
	}
	about := ""
	if n != nil {
		about = n.resource
	}
	if !c.Create && (c.Parent == nil || *c.Parent == was) && (c.Resource == nil || *c.Resource == about) {
		return ""
	}
	if c.Parent != nil && *c.Parent != was && *c.Parent != "" {
		switch p := *c.Parent; {
		case p == id:
			return store.ParentCycle
		case w.nodes[p] == nil && !w.used[p]:
			return store.ParentMissing
		case slices.Contains(w.below(id), p):
			return store.ParentCycle
		case w.nodes[p] == nil:
			w.nodes[p] = &woodNode{}
		}
	}
	if n == nil {
		n = &woodNode{}
		w.nodes[id] = n
	}
	if c.Parent != nil {
		n.parent = *c.Parent
	}
	if c.Resource != nil {
		n.resource = *c.Resource
	}
	n.version++
	return ""
}

// gone takes a thread out, of which nothing is left, and lets those below it be roots.
func (w *wood) gone(id string) {
	for _, child := range w.children(id) {
		w.nodes[child].parent = ""
	}
	delete(w.nodes, id)
	delete(w.used, id)
	delete(w.busy, id)
}

// deletes predicts DeleteTree.
func (w *wood) deletes(id string, how store.DeleteChildren) (res store.DeleteResult) {
	_, busy := w.busy[id]
	children := len(w.children(id))
	switch {
	case how == store.DeleteCascade:
		all := w.below(id)
		for _, id := range all {
			w.gone(id)
		}
		return store.DeleteResult{Deleted: true, Begun: len(all)}
	case how == store.DeleteReject && children > 0:
	case !busy:
		w.gone(id)
		res.Deleted = true
	case w.nodes[id] != nil && *w.nodes[id] == woodNode{} && children == 0:
		delete(w.nodes, id) // it was there for its children alone
	}
	return res
}

// String is as grove.all has it, with the version, the resource and how many children.
func (w *wood) String() string {
	var out []string
	for _, id := range slices.Sorted(maps.Keys(w.nodes)) {
		n := w.nodes[id]
		root, depth := w.place(id)
		out = append(out, fmt.Sprintf("%s>%s(%d)%s v%d %s %d", n.parent, id, depth, root, n.version, n.resource, len(w.children(id))))
	}
	return strings.Join(out, "; ")
}

func (g *grove) String() string {
	var out []string
	nodes, next, err := g.tree.TreePage(g.Context(), store.TreeQuery{Namespace: "space", Limit: 100})
	if err != nil || next != "" {
		g.Fatal(next, err)
	}
	for _, n := range nodes {
		deleting := ""
		if n.Deleting {
			deleting = "!"
		}
		out = append(out, fmt.Sprintf("%s>%s(%d)%s v%d %s %d%s", n.Parent, n.Thread, n.Depth, n.Root, n.Version, n.Resource, n.Children, deleting))
	}
	return strings.Join(out, "; ")
}

// walk does anything to a few threads, and compares what there is with the model.
func (g *grove) walk(seed uint64, steps int, met map[string]bool) {
	g.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	w := &wood{nodes: map[string]*woodNode{}, used: map[string]bool{}, busy: map[string]store.Claim{}}
	ids := []string{"a", "b", "c", "d", "e", "f", "g"}
	id := func() string { return ids[r.IntN(len(ids))] }
	var did []string
	for step := range steps {
		at := id()
		th := g.On(g.s, at)
		what := ""
		wrong := func(got, want any) {
			g.Helper()
			if a, b := fmt.Sprint(got), fmt.Sprint(want); a != b {
				g.Fatalf("seed %d: %s: %s, want %s\nafter %s", seed, what, a, b, strings.Join(did, "; "))
			}
		}
		switch r.IntN(16) {
		case 0, 1, 2, 3, 4, 5, 6, 7, 8:
			c := store.NodeChange{Version: store.AnyVersion, Create: r.IntN(3) == 0}
			if r.IntN(4) > 0 {
				parent := id()
				if r.IntN(5) == 0 {
					parent = ""
				}
				c.Parent = &parent
				what = "below " + parent
			}
			if r.IntN(4) == 0 {
				resource := []string{"", "x", "y"}[r.IntN(3)]
				c.Resource = &resource
			}
			if r.IntN(5) == 0 {
				c.Version = int64(r.IntN(3))
			}
			what = fmt.Sprintf("put %s %s, create %t, version %d", at, what, c.Create, c.Version)
			_, err := g.put(at, c)
			var refused *store.TreeError
			if err != nil && !errors.As(err, &refused) {
				g.Fatal(what, err)
			}
			why := store.TreeRefusal("")
			if refused != nil {
				why = refused.Why
			}
			wrong(why, w.put(at, c))
			met[string(why)] = true
		case 9, 10:
			if _, busy := w.busy[at]; busy {
				continue
			}
			what = "begin in " + at
			w.busy[at], w.used[at] = th.Begun(th.Execute(fmt.Sprint("r", step))), true
		case 11, 12:
			claim, busy := w.busy[at]
			if !busy {
				continue
			}
			what = "end in " + at
			th.OK(stage.Ending(claim, 2, th.View().Seq, "end", store.EndFinish))
			delete(w.busy, at)
		case 13, 14:
			how := []store.DeleteChildren{store.DeleteReject, store.DeleteDetach, store.DeleteCascade}[r.IntN(3)]
			what = fmt.Sprintf("delete %s, %s", at, how)
			res := g.deletes(at, how)
			res.Children = 0
			below := len(w.below(at)) > 1
			wrong(res, w.deletes(at, how))
			met[fmt.Sprintf("%s %t below %t", how, res.Deleted, below)] = true
		case 15:
			what = "erase " + at
			if err := g.s.Erase(g.Context(), th.Key, stage.Deleting("")); err != nil {
				g.Fatal(err)
			}
			w.gone(at)
		}
		did = append(did, what)
		wrong(g.String(), w.String())
		if more, err := g.tree.FinishDeletes(g.Context(), stage.Withdraws); more || err != nil {
			g.Fatal(more, err)
		}
		wrong(g.String(), w.String())
		for _, of := range []string{at, id()} {
			if w.nodes[of] == nil {
				continue
			}
			root, _ := w.place(of)
			for _, tt := range []struct {
				what string
				q    store.TreeQuery
				in   func(id string, n *woodNode) bool
			}{
				{"below " + of, store.TreeQuery{Parent: of}, func(_ string, n *woodNode) bool { return n.parent == of }},
				{"in the tree of " + of, store.TreeQuery{Root: root}, func(id string, _ *woodNode) bool { r, _ := w.place(id); return r == root }},
				{"about x", store.TreeQuery{Resource: "x"}, func(_ string, n *woodNode) bool { return n.resource == "x" }},
				{"that go on", store.TreeQuery{ThreadFilter: store.ThreadFilter{Status: store.ThreadActive}}, func(id string, _ *woodNode) bool { _, busy := w.busy[id]; return busy }},
			} {
				var want []string
				for id, n := range w.nodes {
					if tt.in(id, n) {
						want = append(want, id)
					}
				}
				got := strings.Fields(g.ids(tt.q))
				slices.Sort(got)
				slices.Sort(want)
				what = tt.what
				wrong(got, want)
			}
		}
		if w.nodes[at] == nil {
			continue
		}
		want := w.below(at)
		slices.Sort(want)
		below, err := g.tree.TreeBelow(g.Context(), g.key(at))
		if err != nil {
			g.Fatal(err)
		}
		below = append(below, at)
		slices.Sort(below)
		what = "below " + at
		wrong(below, want)
		walked := strings.Fields(g.walks(at, 1+step%3))
		for i, id := range walked {
			if i > 0 && !slices.Contains(walked[:i], w.nodes[id].parent) {
				g.Fatalf("seed %d: %v: %s stands before its parent", seed, walked, id)
			}
		}
		slices.Sort(walked)
		what = "a walk of " + at
		wrong(walked, want)
	}
}

var TreePlayTests = []stage.Test{
	{"whatever is done to threads, their trees are those of the model", func(e *stage.Env) {
		if !newGrove(e, "probe").s.Durable() {
			suite.Full(e.T) // it is slow inside the process
		}
		met := map[string]bool{}
		for seed := range uint64(6) {
			g := newGrove(e, fmt.Sprint("walk", seed))
			g.walk(seed, 100, met)
			for _, id := range []string{"a", "b", "c", "d", "e", "f", "g"} {
				g.deletes(id, store.DeleteCascade)
			}
			if left := g.String(); left != "" {
				e.Fatalf("seed %d: %s is left", seed, left)
			}
		}
		for _, what := range []store.TreeRefusal{"", store.NodeExists, store.NodeMissing, store.NodeConflict, store.ParentMissing, store.ParentCycle,
			"reject true below false", "reject false below true", "reject false below false", "detach true below true", "detach false below true", "cascade true below true"} {
			if !met[string(what)] {
				e.Errorf("%q was never met: the walks are too short", what)
			}
		}
	}},
}
