package threads

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// walks are a thread and all below it, as pages of that size tell of them.
func (g *grove) walks(id string, limit int) string {
	g.Helper()
	q := store.TreeWalk{Thread: g.key(id), Limit: limit}
	var out []string
	for pages := 0; ; pages++ {
		nodes, next, err := g.tree.TreeWalk(g.Context(), q)
		if err != nil || pages > 99 || limit > 0 && len(nodes) > limit || len(nodes) == 0 && next != "" {
			g.Fatal(pages, len(nodes), next, err)
		}
		for _, n := range nodes {
			out = append(out, n.Thread)
		}
		if q.Cursor = next; next == "" {
			return strings.Join(out, " ")
		}
	}
}

var TreeWalkTests = []stage.Test{
	{"a tree is walked in pages, whatever is moved and deleted between them", func(e *stage.Env) {
		c := e.Stopped()
		g := newGrove(e, "a")
		for _, path := range []string{"a", "a/b", "a/b/c", "a/b/c/d", "a/b/e", "a/f", "x"} {
			g.plants(path)
			c.Move(time.Second)
		}
		for limit := range 8 {
			if got := g.walks("a", limit); got != "a f b e c d" {
				e.Fatalf("pages of %d: %s", limit, got)
			}
			if got := g.walks("b", limit); got != "b e c d" {
				e.Fatalf("a subtree in pages of %d: %s", limit, got)
			}
		}
		after := func(top, last string) string {
			q := store.TreeWalk{Thread: g.key(top), Limit: 1}
			for {
				nodes, next, err := g.tree.TreeWalk(e.Context(), q)
				if err != nil || len(nodes) != 1 {
					e.Fatal(len(nodes), err)
				}
				if q.Cursor = next; nodes[0].Thread == last {
					return next
				}
			}
		}
		rest := func(top, cursor string) string {
			nodes, _, err := g.tree.TreeWalk(e.Context(), store.TreeWalk{Thread: g.key(top), Cursor: cursor})
			if errors.Is(err, store.ErrBadCursor) {
				return "bad"
			} else if err != nil {
				e.Fatal(err)
			}
			var ids []string
			for _, n := range nodes {
				ids = append(ids, n.Thread)
			}
			return strings.Join(ids, " ")
		}
		behindB := after("a", "b")
		behindE := after("a", "e")
		behindC := after("b", "c")
		for _, cursor := range []string{"x", behindB[1:], behindB + "AAAA"} {
			if got := rest("a", cursor); got != "bad" {
				e.Errorf("cursor %q: %s", cursor, got)
			}
		}
		if got := rest("b", behindB); got != "bad" {
			e.Errorf("the cursor of another thread: %s", got)
		}
		g.deletes("e", store.DeleteReject)
		if got := rest("a", behindE); got != "c d" {
			e.Errorf("behind one that is gone: %s", got)
		}
		if _, err := g.put("c", under("x")); err != nil {
			e.Fatal(err)
		}
		if got := rest("b", behindC); got != "" {
			e.Errorf("behind one that stands elsewhere: %s", got)
		}
		g.deletes("b", store.DeleteCascade)
		if got := rest("a", behindE); got != "bad" {
			e.Errorf("behind one whose parent is gone: %s", got)
		}
	}},
	{"a page has fewer nodes where they are large, and of each all that is told", func(e *stage.Env) {
		g := newGrove(e, "a")
		const threads = 120
		meta := json.RawMessage(`{"x":"` + strings.Repeat("<", 16<<10-8) + `"}`)
		for i := range threads {
			change := store.NodeChange{Create: true, Version: store.AnyVersion, Metadata: &meta}
			if i > 0 {
				top := "t0"
				change.Parent = &top
			}
			if _, err := g.put(fmt.Sprint("t", i), change); err != nil {
				e.Fatal(err)
			}
		}
		for name, page := range map[string]func(cursor string) ([]store.TreeItem, string, error){
			"walk": func(cursor string) ([]store.TreeItem, string, error) {
				return g.tree.TreeWalk(e.Context(), store.TreeWalk{Thread: g.key("t0"), Limit: 200, Cursor: cursor})
			},
			"page": func(cursor string) ([]store.TreeItem, string, error) {
				return g.tree.TreePage(e.Context(), store.TreeQuery{Namespace: "space", Limit: 200, Cursor: cursor})
			},
		} {
			seen := map[string]bool{}
			for cursor := ""; ; {
				nodes, next, err := page(cursor)
				if err != nil {
					e.Fatal(name, err)
				}
				bytes := 0
				for _, n := range nodes {
					seen[n.Thread] = string(n.Metadata) == string(meta)
					bytes += len(n.Metadata)
				}
				if bytes > 2<<20 {
					e.Errorf("%s: a page of %d bytes", name, bytes)
				}
				if cursor = next; next == "" {
					break
				}
			}
			for i := range threads {
				if id := fmt.Sprint("t", i); !seen[id] {
					e.Errorf("%s: %s is not told", name, id)
				}
			}
		}
	}},
	{"a change says at how many threads it had to look", func(e *stage.Env) {
		g := newGrove(e, "a")
		g.plants("a a/b a/b/c a/d x")
		for i, tt := range []struct {
			id     string
			change store.NodeChange
			want   int
		}{{"a", under("x"), 4}, {"c", under("a"), 1}, {"x", under("c"), 0}, {"a", store.NodeChange{Version: store.AnyVersion}, 0}} {
			n, err := g.put(tt.id, tt.change)
			var refused *store.TreeError
			looked := 0
			switch {
			case errors.As(err, &refused):
				looked = refused.Looked
			case err != nil:
				e.Fatal(err)
			default:
				looked = n.Looked
			}
			if looked != tt.want {
				e.Errorf("%d: looked at %d threads, want %d", i, looked, tt.want)
			}
		}
	}},
}
