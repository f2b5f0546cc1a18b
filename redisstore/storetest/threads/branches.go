package threads

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// rewinds lets a run begin and end that takes out a message and makes a branch of it.
func rewinds(th *stage.Thread, run string, b *store.Branch, restores string) {
	th.Helper()
	begin := stage.With(th.Execute(run), func(k *store.Execute) {
		if b != nil {
			k.Archive = map[string]json.RawMessage{"m-" + run: stage.Raws("1")[0]}
		}
		k.Branch, k.Restores = b, restores
	})
	v := th.View()
	th.OK(stage.Ending(th.Begun(begin), 2, v.Seq+1, "end:"+run, store.EndFinish))
}

func branchOf(text string) *store.Branch {
	return &store.Branch{About: stage.Raws(`{"of":"` + text + `"}`)[0], Messages: json.RawMessage(`["` + text + `"]`)}
}

// branches tells the branches of a thread, each with what is said of it and its messages.
func branches(th *stage.Thread) string {
	th.Helper()
	list, err := th.Store.Branches(th.Context(), th.Key)
	if err != nil {
		th.Fatal(err)
	}
	var told []string
	for _, b := range list {
		messages, err := th.Store.BranchMessages(th.Context(), th.Key, b.ID)
		if err != nil || b.Messages != nil || b.Kept != (messages != nil) {
			th.Fatal(b, err)
		}
		text := string(messages)
		if len(text) > 40 {
			text = fmt.Sprint(len(text), " bytes")
		}
		told = append(told, fmt.Sprintf("%s %s %s", b.ID, b.About, text))
	}
	return strings.Join(told, "\n")
}

// noise is JSON of so many bytes that nothing makes smaller than half.
func noise(bytes int) json.RawMessage {
	r, text := rand.New(rand.NewPCG(1, 2)), make([]byte, bytes)
	for i := range text {
		text[i] = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_"[r.IntN(64)]
	}
	text[0], text[bytes-1] = '"', '"'
	return text
}

var BranchTests = []stage.Test{
	{"what a rewind takes out is a branch, the latest first, until it is restored", func(e *stage.Env) {
		th := e.Thread()
		stage.Same(th, "of nobody", branches(th), "")
		rewinds(th, "r1", branchOf("one"), "")
		rewinds(th, "r2", branchOf("two"), "")
		stage.Same(th, "two", branches(th), `r2 {"of":"two"} ["two"]`+"\n"+`r1 {"of":"one"} ["one"]`)
		stage.Same(th, "archived", th.View(store.ReadQuery{MessageIDs: []string{"m-r1", "m-r2"}}).Archived, map[string]bool{"m-r1": true, "m-r2": true})
		rewinds(th, "r3", branchOf("three"), "r1")
		stage.Same(th, "one is restored", branches(th), `r3 {"of":"three"} ["three"]`+"\n"+`r2 {"of":"two"} ["two"]`)
		rewinds(th, "r4", nil, "r3")
		stage.Same(th, "and another, in the place of nothing", branches(th), `r2 {"of":"two"} ["two"]`)
		rewinds(th, "r5", nil, "r2")
		stage.Same(th, "the last", branches(th), "")
		stage.Same(e.On(th.Store, "other"), "in another thread", branches(e.On(th.Store, "other")), "")
	}},
	{"a branch is kept by the begin that was sent twice once, and not by one that is refused", func(e *stage.Env) {
		th := e.Thread()
		b := stage.With(th.Execute("r1"), func(k *store.Execute) { k.Branch = branchOf("one") })
		c := th.Begun(b)
		th.Begun(b)
		stage.Same(th, "once", branches(th), `r1 {"of":"one"} ["one"]`)
		th.OK(stage.Ending(c, 2, 1, "end", store.EndFinish))
		b = stage.With(th.Execute("r2"), func(k *store.Execute) { k.Branch = branchOf("two") })
		b.Version--
		stage.Same(th, "stale", th.Begin(b).Status, store.BeginStale)
		stage.Same(th, "still", branches(th), `r1 {"of":"one"} ["one"]`)
	}},
	{"steering away makes branches too", func(e *stage.Env) {
		th := e.Thread()
		th.Suspended()
		th.Begun(stage.With(th.Steer("r2"), func(k *store.Steer) { k.Branch = branchOf("one") }))
		stage.Same(th, "kept", branches(th), `r2 {"of":"one"} ["one"]`)
	}},
	{"a thread keeps 16 branches, and 2 MiB of them", func(e *stage.Env) {
		th := e.Thread()
		for i := range 18 {
			rewinds(th, fmt.Sprintf("r%02d", i), branchOf(fmt.Sprint(i)), "")
		}
		list := strings.Split(branches(th), "\n")
		stage.Same(th, "by number", fmt.Sprint(len(list), " ", list[0], " ", list[15]), `16 r17 {"of":"17"} ["17"] r02 {"of":"2"} ["2"]`)
		for i := range 3 {
			b := branchOf("large")
			b.Messages = noise(1 << 20)
			rewinds(th, fmt.Sprint("large", i), b, "")
		}
		list = strings.Split(branches(th), "\n")
		stage.Same(th, "by bytes", strings.Join(list[:3], ", "), `large2 {"of":"large"} 1048576 bytes, large1 {"of":"large"} 1048576 bytes, r17 {"of":"17"} ["17"]`)
		b := branchOf("huge")
		b.Messages = noise(3 << 20)
		rewinds(th, "huge", b, "")
		stage.Same(th, "one alone", strings.Split(branches(th), "\n")[0], `huge {"of":"huge"} `)
	}},
	{"branches go with their thread", func(e *stage.Env) {
		th := e.Thread()
		rewinds(th, "r1", branchOf("one"), "")
		if !stage.Deleted(th) {
			e.Fatal("not deleted")
		}
		stage.Same(th, "afterwards", branches(th), "")
		rewinds(th, "r2", branchOf("two"), "")
		stage.Same(th, "of the next life", branches(th), `r2 {"of":"two"} ["two"]`)
	}},
}
