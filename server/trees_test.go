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
	made := top["createdAt"].(string)
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
	for _, thread := range items(v.call("getTree", 200, "/threads/top/tree", "")) {
		if used := thread["threadId"] != "part"; used != (thread["updatedAt"] != nil) || thread["changedAt"] == nil {
			v.t.Errorf("the time of the latest input, and that of the latest change: %v", thread)
		}
	}
	if got := of(items(v.call("getTree", 200, "/threads/top/tree", ""))); got != "top below <nil>: [deep] false; part below top: [deep] false; deep below part: <nil> true; " {
		v.t.Errorf("%s", got)
	}
	for _, thread := range items(v.call("listThreads", 200, "/threads", "")) {
		if thread["threadId"] == "top" && (thread["resourceId"] != "order 7" || thread["createdAt"] != made || thread["changedAt"] == nil) {
			v.t.Errorf("%v", thread)
		}
	}
	listed := of(items(v.call("listThreads", 200, "/threads", "")))
	if !strings.Contains(listed, "top below <nil>: [deep] false; ") || !strings.Contains(listed, "deep below part: <nil> true; ") {
		v.t.Errorf("%s", listed)
	}
	if got := v.call("getThread", 200, "/threads/top", ""); fmt.Sprint(got["waitsFor"], got["waitsForCount"], got["parentThreadId"]) != "[deep] 1 <nil>" || got["resourceId"] != "order 7" || got["createdAt"] == nil || got["rootThreadId"] != "top" {
		v.t.Errorf("a thread below waits, and its root says %v, %v", got["waitsFor"], got["waitsForCount"])
	}
	if got := v.call("getThread", 200, "/threads/deep", ""); got["parentThreadId"] != "part" || got["waitsFor"] != nil {
		v.t.Errorf("%v", got)
	}

	for query, want := range map[string]string{"parent=top": "part ", "root=top": "deep part top ", "resource=order+7": "top ", "idPrefix=to": "top ", "idPrefix=*": "", "root=top&parent=part": "deep ", "root=top&idPrefix=d": "deep ", "root=top&resource=order+7&idPrefix=d": "",
		"root=top&status=waiting": "deep ", "root=top&status=idle": "part top ", "root=top&status=active": "", "root=top&agent=": "deep top ", "root=top&agent=other": "",
		"root=top&from=" + made + "&to=2100-01-01T00:00:00Z": "deep part top ", "root=top&to=" + made: ""} {
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
	for _, query := range []string{"status=asleep", "from=yesterday", "to=1", "root=top&status=idle&cursor=" + next} {
		v.fails("listTrees", 400, "invalid_input", "/trees?"+query, "")
	}
	for query, want := range map[string]string{"status=waiting": "deep", "status=waiting&agent=": "deep", "agent=other": "", "from=2100-01-01T00:00:00Z": "", "to=" + made: ""} {
		got := ""
		for _, t := range items(v.call("listThreads", 200, "/threads?"+query, "")) {
			if id := t["threadId"].(string); id == "top" || id == "deep" {
				got += id
			}
		}
		if got != want {
			v.t.Errorf("threads, %s: %q, want %q", query, got, want)
		}
	}
	for _, query := range []string{"status=asleep", "from=yesterday", "waiting=true&status=idle", "waiting=true&to=" + made} {
		v.fails("listThreads", 400, "invalid_input", "/threads?"+query, "")
	}

	// Stopping a parent stops nothing below it.
	v.call("interruptThread", 200, "/threads/top/interrupt", `{}`)
	if got := v.call("getThread", 200, "/threads/deep", ""); len(got["interrupts"].([]any)) != 1 {
		v.t.Errorf("%v", got["interrupts"])
	}
	if p := v.fails("deleteThread", 409, "thread_has_children", "/threads/top", ""); p["children"] != 1.0 {
		v.t.Errorf("%v", p)
	}
	v.call("addInput", 202, "/threads/busy/input", say("/slow 1000 100"))
	v.fails("deleteTree", 409, "thread_in_use", "/threads/busy/tree", "")
	v.fails("deleteThread", 409, "thread_in_use", "/threads/busy", "")
	v.call("interruptThread", 200, "/threads/busy/interrupt", `{}`)
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

// Without the scope read nothing is told of a thread that others have described, and what
// changes nothing leaves it as it is.
func TestV1TreesTellReadersAlone(t *testing.T) {
	v := newV1(t)
	v.call("createThread", 201, "/threads", `{"threadId":"top"}`)
	v.call("createThread", 201, "/threads", `{"threadId":"mine","parentThreadId":"top","resourceId":"r","metadata":{"salary":123}}`)
	runs := v.as("0123456789abcdef-runner")
	for _, change := range []string{`{}`, `{"resourceId":"r"}`, `{"metadata":{"salary":123}}`, `{"parentThreadId":"top"}`} {
		if got := runs.call("changeThread", 200, "/threads/mine/tree", change); len(got) != 2 || got["threadId"] != "mine" || got["version"] != 1.0 {
			t.Errorf("%s: %v", change, got)
		}
	}
	if got := runs.call("createThread", 201, "/threads", `{"threadId":"other","parentThreadId":"mine"}`); len(got) != 2 {
		t.Errorf("%v", got)
	}
	if got := v.call("changeThread", 200, "/threads/mine/tree", `{"metadata":{"salary":124}}`); got["version"] != 2.0 || got["depth"] != 1.0 {
		t.Errorf("%v", got)
	}
}

// What waits below a thread stands in one order, wherever that is told: the nearest first.
func TestV1WaitsInOneOrder(t *testing.T) {
	v := newV1(t)
	v.call("createThread", 201, "/threads", `{"threadId":"top"}`)
	v.call("addInput", 202, "/threads/top/input", say("/say hello"))
	v.rests("top")
	for _, edge := range []string{"m top", "k top", "p top", "a m"} {
		id, parent, _ := strings.Cut(edge, " ")
		v.call("createThread", 201, "/threads", fmt.Sprintf(`{"threadId":%q,"parentThreadId":%q}`, id, parent))
		v.call("addInput", 202, "/threads/"+id+"/input", say("/confirm sure?"))
		v.rests(id)
	}
	for range 5 {
		told := []map[string]any{v.call("getThread", 200, "/threads/top", ""), items(v.call("getTree", 200, "/threads/top/tree", ""))[0]}
		for _, listed := range items(v.call("listThreads", 200, "/threads", "")) {
			if listed["threadId"] == "top" {
				told = append(told, listed)
			}
		}
		if len(told) != 3 {
			t.Fatalf("%v", told)
		}
		for _, of := range told {
			if got := fmt.Sprint(of["waitsFor"], of["waitsForCount"]); got != "[k m p a] 4" {
				t.Errorf("%s", got)
			}
		}
	}
}

// Stopping a thread, or one run of it, says what goes on below it, and stops that if it is
// asked to.
func TestV1StopsBelow(t *testing.T) {
	for id, path := range map[string]string{"interruptThread": "/threads/top/interrupt", "cancelRun": "/threads/top/runs/%s/cancel"} {
		t.Run(id, func(t *testing.T) { stopsBelow(newV1(t), id, path) })
	}
}

func stopsBelow(v *v1Server, operation, path string) {
	v.call("createThread", 201, "/threads", `{"threadId":"top"}`)
	v.call("addInput", 202, "/threads/top/input", say("/say hello"))
	v.rests("top")
	for _, edge := range []string{"asks top", "runs asks", "rests top"} {
		id, parent, _ := strings.Cut(edge, " ")
		v.call("createThread", 201, "/threads", fmt.Sprintf(`{"threadId":%q,"parentThreadId":%q}`, id, parent))
	}
	v.call("addInput", 202, "/threads/asks/input", say("/confirm sure?"))
	v.rests("asks")
	v.call("addInput", 202, "/threads/runs/input", say("/steps 1000 60"))
	if strings.Contains(path, "%s") {
		path = fmt.Sprintf(path, items(v.call("listRuns", 200, "/threads/top/runs", ""))[0]["id"])
	}
	v.fails(operation, 400, "invalid_input", path+"?children=all", `{}`)
	for _, stop := range []struct{ query, want string }{
		{"", "map[active:1 stopped:0 waiting:1]"},
		{"?children=leave", "map[active:1 stopped:0 waiting:1]"},
		{"?children=cancel", "map[active:0 stopped:2 waiting:0]"},
		{"?children=cancel", "map[active:0 stopped:0 waiting:0]"},
	} {
		if got := fmt.Sprint(v.call(operation, 200, path+stop.query, `{}`)["below"]); got != stop.want {
			v.t.Errorf("%q: %s, want %s", stop.query, got, stop.want)
		}
	}
	v.rests("runs")
}
