package server

import (
	"fmt"
	"slices"
	"testing"
)

// sequences walks the pages of a thread's messages from its end, and returns the id that stands
// at each sequence.
func sequences(v *v1Server, thread string, limit int) map[int]string {
	v.t.Helper()
	at := map[int]string{}
	for before := ""; ; {
		page := v.call("listMessages", 200, fmt.Sprintf("/threads/%s/messages?limit=%d&before=%s", thread, limit, before), "")
		first, _ := page["sequence"].(float64)
		for i, m := range items(page) {
			at[int(first)+i] = m["id"].(string)
		}
		if before, _ = page["before"].(string); before == "" {
			return at
		}
	}
}

// A message's sequence is where it stands in its thread, whatever pages are asked for, and what
// comes in the place of what was taken back gets its numbers.
func TestV1MessagesHaveASequence(t *testing.T) {
	v := newV1(t)
	for i := range 3 {
		v.call("addInput", 202, "/threads/t/input", say(fmt.Sprint("/say ", i)))
		v.rests("t")
	}
	ids := func() (list []string) {
		whole := v.call("listMessages", 200, "/threads/t/messages", "")
		if whole["sequence"] != 1.0 {
			t.Errorf("the whole begins at %v", whole["sequence"])
		}
		for _, m := range items(whole) {
			list = append(list, m["id"].(string))
		}
		return list
	}
	check := func(want []string) {
		t.Helper()
		for _, limit := range []int{1, 2, 4, 200} {
			at := sequences(v, "t", limit)
			for i, id := range want {
				if len(at) != len(want) || at[i+1] != id {
					t.Fatalf("by pages of %d: %v, want %q", limit, at, want)
				}
			}
		}
	}
	all := ids()
	if len(all) != 6 {
		t.Fatalf("%q", all)
	}
	check(all)
	v.call("addInput", 202, "/threads/t/input", fmt.Sprintf(`{"text":"/say other","after":%q}`, all[2]))
	v.rests("t")
	back := ids()
	if len(back) != 5 || !slices.Equal(back[:3], all[:3]) || slices.Contains(all, back[3]) {
		t.Fatalf("%q, and was %q", back, all)
	}
	check(back)
}

// A message that is delivered again, in the same input or in another, is in its thread once.
func TestMessageDeliveredAgainIsThereOnce(t *testing.T) {
	v := newV1(t)
	post := func(run string) {
		s := v.ts.ask("POST", "/agui", fmt.Sprintf(`{"threadId":"t","runId":%q,"messages":[{"id":"m1","role":"user","content":"/say yes"}]}`, run), "Authorization", "Bearer "+annsToken)
		for more := true; more; {
			_, more = s.next()
		}
		v.rests("t")
	}
	for _, run := range []string{"r1", "r1", "r2", "r2"} {
		post(run)
		held := 0
		for _, id := range sequences(v, "t", 50) {
			if id == "m1" {
				held++
			}
		}
		if held != 1 {
			t.Errorf("after %s the message is there %d times", run, held)
		}
	}
	if runs := items(v.call("listRuns", 200, "/threads/t/runs", "")); len(runs) > 2 {
		t.Errorf("%d runs of two inputs", len(runs))
	}
}
