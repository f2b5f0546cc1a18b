package server

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"testing"
)

// threadMembers are the members of a thread by the document.
func (v *v1Server) threadMembers() []string {
	v.t.Helper()
	_, text, _ := v.send("GET", "/openapi.json", "", nil)
	var document struct {
		Components struct {
			Schemas struct {
				Thread struct{ Properties map[string]any }
			}
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		v.t.Fatal(err)
	}
	members := slices.Sorted(maps.Keys(document.Components.Schemas.Thread.Properties))
	if len(members) < 20 {
		v.t.Fatalf("a thread has %q", members)
	}
	return members
}

// listedThread is a thread as it stands in a list; nil: not at all.
func listedThread(page map[string]any, thread string) map[string]any {
	for _, t := range items(page) {
		if t["threadId"] == thread {
			return t
		}
	}
	return nil
}

// A thread is one shape, with the same values, in all answers that tell of it.
func TestV1ThreadIsOneShape(t *testing.T) {
	v := newV1(t)
	members := v.threadMembers()
	made := map[string]map[string]any{}
	for thread, body := range map[string]string{
		"made": `{"threadId":"made","metadata":{"a":1},"resourceId":"r"}`,
		"top":  `{"threadId":"top","metadata":{"b":2}}`,
	} {
		made[thread] = v.call("createThread", 201, "/threads", body)
	}
	made["child"] = v.call("createThread", 201, "/threads", `{"threadId":"child","parentThreadId":"top","metadata":{}}`)
	made["asks"] = v.call("createThread", 201, "/threads", `{"threadId":"asks","parentThreadId":"child"}`)
	for _, thread := range []string{"top", "child"} {
		v.call("renameThread", 200, "/threads/"+thread, `{"title":"The `+thread+`"}`)
	}
	for thread, text := range map[string]string{"used": "/say hello", "child": "/say hello", "asks": "/confirm sure?", "event": "/event paid", "adopted": "/say hello", "above": "/say hello"} {
		v.call("addInput", 202, "/threads/"+thread+"/input", say(text))
		v.rests(thread)
	}
	began := v.call("getThread", 200, "/threads/adopted", "")["createdAt"]
	v.call("changeThread", 200, "/threads/adopted/tree", `{"parentThreadId":"above","metadata":{"late":true}}`)

	for _, tt := range []struct {
		thread         string
		has, hasNot    []string
		used, inTree   bool
		asks           bool
		createdAtFirst any // when it was made; nil: whenever
	}{
		{thread: "made", has: []string{"createdAt", "changedAt", "metadata", "resourceId"}, hasNot: []string{"updatedAt", "latestRun"}, inTree: true, createdAtFirst: made["made"]["createdAt"]},
		{thread: "used", has: []string{"createdAt", "updatedAt", "latestRun", "agent"}, hasNot: []string{"changedAt", "expiresAt", "metadata"}, used: true},
		{thread: "top", has: []string{"createdAt", "metadata", "waitsFor", "waitsForCount"}, hasNot: []string{"updatedAt"}, inTree: true, createdAtFirst: made["top"]["createdAt"]},
		{thread: "child", has: []string{"createdAt", "changedAt", "updatedAt", "metadata", "parentThreadId", "waitsFor"}, used: true, inTree: true, createdAtFirst: made["child"]["createdAt"]},
		{thread: "asks", has: []string{"createdAt", "changedAt", "updatedAt", "expiresAt", "parentThreadId"}, hasNot: []string{"metadata", "waitsOn"}, used: true, inTree: true, asks: true, createdAtFirst: made["asks"]["createdAt"]},
		{thread: "event", has: []string{"createdAt", "updatedAt", "waitsOn"}, hasNot: []string{"expiresAt"}, used: true},
		{thread: "adopted", has: []string{"changedAt", "updatedAt", "metadata", "parentThreadId"}, used: true, inTree: true, createdAtFirst: began},
		{thread: "above", has: []string{"createdAt", "updatedAt"}, hasNot: []string{"changedAt"}, used: true, inTree: true},
	} {
		told := map[string]map[string]any{
			"getThread":    v.call("getThread", 200, "/threads/"+tt.thread, ""),
			"getTree":      items(v.call("getTree", 200, "/threads/"+tt.thread+"/tree", ""))[0],
			"changeThread": v.call("changeThread", 200, "/threads/"+tt.thread+"/tree", `{}`),
		}
		if tt.inTree {
			told["listTrees"] = listedThread(v.call("listTrees", 200, "/trees?idPrefix="+tt.thread, ""), tt.thread)
		}
		title, _ := told["getThread"]["title"].(string)
		body, _ := json.Marshal(map[string]string{"title": title})
		told["renameThread"] = v.call("renameThread", 200, "/threads/"+tt.thread, string(body))
		if tt.used {
			told["listThreads"] = listedThread(v.call("listThreads", 200, "/threads", ""), tt.thread)
		} else if tt.thread == "made" {
			told["createThread"] = made["made"]
		}
		if tt.asks {
			waiting := listedThread(v.call("listThreads", 200, "/threads?waiting=true", ""), tt.thread)
			if waiting["asks"] == nil {
				t.Errorf("%s: the list of those that wait does not say what it asks", tt.thread)
			}
			delete(waiting, "asks") // no other route reads it
			told["waiting"] = waiting
		}
		want := told["getThread"]
		if named := "The " + tt.thread; (tt.thread == "top" || tt.thread == "child") && want["title"] != named {
			t.Errorf("%s: the title is %q, not the one that it got before its first input", tt.thread, want["title"])
		}
		for _, member := range members {
			for route, got := range told {
				if !reflect.DeepEqual(got[member], want[member]) {
					t.Errorf("%s: %s: %s says %v, and getThread %v", tt.thread, member, route, got[member], want[member])
				}
			}
			if want[member] == nil && slices.Contains(tt.has, member) || want[member] != nil && slices.Contains(tt.hasNot, member) {
				t.Errorf("%s: %s: %v", tt.thread, member, want[member])
			}
		}
		if tt.createdAtFirst != nil && want["createdAt"] != tt.createdAtFirst {
			t.Errorf("%s: it was made at %v, not %v", tt.thread, want["createdAt"], tt.createdAtFirst)
		}
	}
}

// The page's type of a thread has the members of the document, and no others.
func TestThreadOfThePageIsTheDocuments(t *testing.T) {
	source := readFile(t, "../web/react/control/types.ts")
	found := regexp.MustCompile(`(?s)\nexport interface ThreadInfo \{\n(.*?)\n\}`).FindStringSubmatch(source)
	if found == nil {
		t.Fatal("there is no type of a thread")
	}
	var members []string
	for _, member := range regexp.MustCompile(`(?m)^  (\w+)\??:`).FindAllStringSubmatch(found[1], -1) {
		members = append(members, member[1])
	}
	slices.Sort(members)
	if want := newV1(t).threadMembers(); !slices.Equal(members, want) {
		t.Errorf("%q, want %q", members, want)
	}
}
