package server

import (
	"fmt"
	"strings"
	"testing"
)

// triesTrees makes a tree of threads, and takes it down again.
func triesTrees(v *v1Server) {
	v.t.Helper()
	top := v.call("createThread", 201, "/threads", `{"threadId":"top","metadata":{"a":1.0},"resourceId":" order 7 "}`)
	if top["rootThreadId"] != "top" || top["version"] != 1.0 || top["resourceId"] != "order 7" || top["createdAt"] == nil {
		v.t.Errorf("%v", top)
	}
	for _, edge := range []string{"part top", "deep part"} {
		id, parent, _ := strings.Cut(edge, " ")
		v.call("createThread", 201, "/threads", fmt.Sprintf(`{"threadId":%q,"parentThreadId":%q}`, id, parent))
	}
	v.fails("createThread", 400, "invalid_input", "/threads", `{"parentThreadId":"nobody"}`)
	v.fails("createThread", 409, "thread_exists", "/threads", `{"threadId":"top"}`)
	v.fails("createThread", 400, "invalid_input", "/threads", `{"metadata":[]}`)
	v.fails("createThread", 400, "invalid_input", "/threads", fmt.Sprintf(`{"metadata":{"a":%q}}`, strings.Repeat("x", 17<<10)))
	v.fails("changeThread", 400, "invalid_input", "/threads/top/tree", `{"parentThreadId":"deep"}`)
	v.fails("changeThread", 404, "thread_not_found", "/threads/nobody/tree", `{"resourceId":"x"}`)
	if n := v.call("changeThread", 200, "/threads/top/tree", `{"version":1,"metadata":{"b":2}}`); n["version"] != 2.0 || n["resourceId"] != "order 7" {
		v.t.Errorf("%v", n)
	}
	if p := v.fails("changeThread", 409, "version_conflict", "/threads/top/tree", `{"version":1,"metadata":{}}`); p["version"] != 2.0 {
		v.t.Errorf("%v", p)
	}

	// What waits below a thread is seen on it, up to the root, and in the list.
	v.call("addInput", 202, "/threads/top/input", say("/say hello"))
	v.call("addInput", 202, "/threads/deep/input", say("/confirm sure?"))
	v.rests("deep")
	v.rests("top")
	of := func(list []map[string]any) (out string) {
		for _, t := range list {
			out += fmt.Sprintf("%v below %v: %v %v; ", t["threadId"], t["parentThreadId"], t["waitsFor"], t["waiting"])
		}
		return out
	}
	if got := of(items(v.call("getTree", 200, "/threads/top/tree", ""))); got != "top below <nil>: [deep] false; part below top: [deep] false; deep below part: <nil> true; " {
		v.t.Errorf("%s", got)
	}
	listed := of(items(v.call("listThreads", 200, "/threads", "")))
	if !strings.Contains(listed, "top below <nil>: [deep] false; ") || !strings.Contains(listed, "deep below part: <nil> true; ") {
		v.t.Errorf("%s", listed)
	}

	for query, want := range map[string]string{"parent=top": "part ", "root=top": "deep part top ", "resource=order+7": "top ", "idPrefix=to": "top ", "idPrefix=*": ""} {
		got := ""
		for _, t := range items(v.call("listTrees", 200, "/trees?"+query, "")) {
			got += t["threadId"].(string) + " "
		}
		if got != want {
			v.t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	next := v.call("listTrees", 200, "/trees?root=top&limit=1", "")["next"].(string)
	if p := v.fails("listTrees", 400, "invalid_input", "/trees?parent=top&cursor="+next, ""); !strings.Contains(p["detail"].(string), "this query") {
		v.t.Errorf("%v", p)
	}
	v.fails("listTrees", 400, "invalid_input", "/trees?root=top&parent=top", "")

	// Stopping a parent stops nothing below it.
	v.call("interruptThread", 200, "/threads/top/interrupt", `{}`)
	if got := v.call("getThread", 200, "/threads/deep", ""); len(got["interrupts"].([]any)) != 1 {
		v.t.Errorf("%v", got["interrupts"])
	}
	if p := v.fails("deleteThread", 409, "thread_has_children", "/threads/top", ""); p["children"] != 1.0 {
		v.t.Errorf("%v", p)
	}
	v.fails("deleteTree", 409, "thread_in_use", "/threads/deep/tree", "")
	v.fails("deleteTree", 400, "invalid_input", "/threads/top/tree?children=all", "")
	v.fails("deleteTree", 404, "thread_not_found", "/threads/nobody/tree?children=cascade", "")
	if got := v.call("deleteTree", 200, "/threads/top/tree?children=detach", ""); got["threads"] != 1.0 {
		v.t.Errorf("%v", got)
	}
	if got := v.call("deleteTree", 200, "/threads/part/tree?children=cascade", ""); got["threads"] != 2.0 {
		v.t.Errorf("%v", got)
	}
	for _, id := range []string{"top", "part", "deep"} {
		v.fails("getTree", 404, "thread_not_found", "/threads/"+id+"/tree", "")
	}
}

// What one may see of a tree is one's own, whatever ids others' threads have.
func TestV1TreesAreTheNamespaces(t *testing.T) {
	v := newV1(t)
	v.call("createThread", 201, "/threads", `{"threadId":"mine"}`)
	other := v.as("0123456789abcdef-elsewhere")
	other.fails("createThread", 400, "invalid_input", "/threads", `{"threadId":"x","parentThreadId":"mine"}`)
	if got := items(other.call("listTrees", 200, "/trees", "")); len(got) != 0 {
		t.Errorf("%v", got)
	}
	reader := v.as("0123456789abcdef-reader")
	reader.fails("createThread", 403, "forbidden", "/threads", `{}`)
	reader.fails("deleteTree", 403, "forbidden", "/threads/mine/tree", "")
}
