package storetest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
)

// rewinds lets a run begin and end that takes out a message and makes a branch of it.
func (th *thread) rewinds(run string, b *store.Branch, restores string) {
	th.Helper()
	begin := with(th.execute(run), func(k *store.Execute) {
		if b != nil {
			k.Archive = map[string]json.RawMessage{"m-" + run: raws("1")[0]}
		}
		k.Branch, k.Restores = b, restores
	})
	v := th.view()
	th.ok(ending(th.begun(begin), 2, v.Seq+1, "end:"+run, store.EndFinish))
}

func branchOf(text string) *store.Branch {
	return &store.Branch{About: raws(`{"of":"` + text + `"}`)[0], Messages: json.RawMessage(`["` + text + `"]`)}
}

// branches tells the branches of a thread, each with what is said of it and its messages.
func (th *thread) branches() string {
	th.Helper()
	list, err := th.s.Branches(th.Context(), th.key)
	if err != nil {
		th.Fatal(err)
	}
	var told []string
	for _, b := range list {
		messages, err := th.s.BranchMessages(th.Context(), th.key, b.ID)
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

var branchTests = []test{
	{"what a rewind takes out is a branch, the latest first, until it is restored", func(e *env) {
		th := e.thread()
		same(th, "of nobody", th.branches(), "")
		th.rewinds("r1", branchOf("one"), "")
		th.rewinds("r2", branchOf("two"), "")
		same(th, "two", th.branches(), `r2 {"of":"two"} ["two"]`+"\n"+`r1 {"of":"one"} ["one"]`)
		same(th, "archived", th.view(store.ReadQuery{MessageIDs: []string{"m-r1", "m-r2"}}).Archived, map[string]bool{"m-r1": true, "m-r2": true})
		th.rewinds("r3", branchOf("three"), "r1")
		same(th, "one is restored", th.branches(), `r3 {"of":"three"} ["three"]`+"\n"+`r2 {"of":"two"} ["two"]`)
		th.rewinds("r4", nil, "r3")
		same(th, "and another, in the place of nothing", th.branches(), `r2 {"of":"two"} ["two"]`)
		th.rewinds("r5", nil, "r2")
		same(th, "the last", th.branches(), "")
		same(e.on(th.s, "other"), "in another thread", e.on(th.s, "other").branches(), "")
	}},
	{"a branch is kept by the begin that was sent twice once, and not by one that is refused", func(e *env) {
		th := e.thread()
		b := with(th.execute("r1"), func(k *store.Execute) { k.Branch = branchOf("one") })
		c := th.begun(b)
		th.begun(b)
		same(th, "once", th.branches(), `r1 {"of":"one"} ["one"]`)
		th.ok(ending(c, 2, 1, "end", store.EndFinish))
		b = with(th.execute("r2"), func(k *store.Execute) { k.Branch = branchOf("two") })
		b.Version--
		same(th, "stale", th.begin(b).Status, store.BeginStale)
		same(th, "still", th.branches(), `r1 {"of":"one"} ["one"]`)
	}},
	{"steering away makes branches too", func(e *env) {
		th := e.thread()
		th.suspended()
		th.begun(with(th.steer("r2"), func(k *store.Steer) { k.Branch = branchOf("one") }))
		same(th, "kept", th.branches(), `r2 {"of":"one"} ["one"]`)
	}},
	{"a thread keeps 16 branches, and 2 MiB of them", func(e *env) {
		th := e.thread()
		for i := range 18 {
			th.rewinds(fmt.Sprintf("r%02d", i), branchOf(fmt.Sprint(i)), "")
		}
		list := strings.Split(th.branches(), "\n")
		same(th, "by number", fmt.Sprint(len(list), " ", list[0], " ", list[15]), `16 r17 {"of":"17"} ["17"] r02 {"of":"2"} ["2"]`)
		for i := range 3 {
			b := branchOf("large")
			b.Messages = noise(1 << 20)
			th.rewinds(fmt.Sprint("large", i), b, "")
		}
		list = strings.Split(th.branches(), "\n")
		same(th, "by bytes", strings.Join(list[:3], ", "), `large2 {"of":"large"} 1048576 bytes, large1 {"of":"large"} 1048576 bytes, r17 {"of":"17"} ["17"]`)
		b := branchOf("huge")
		b.Messages = noise(3 << 20)
		th.rewinds("huge", b, "")
		same(th, "one alone", strings.Split(th.branches(), "\n")[0], `huge {"of":"huge"} `)
	}},
	{"branches go with their thread", func(e *env) {
		th := e.thread()
		th.rewinds("r1", branchOf("one"), "")
		if !th.deleted() {
			e.Fatal("not deleted")
		}
		same(th, "afterwards", th.branches(), "")
		th.rewinds("r2", branchOf("two"), "")
		same(th, "of the next life", th.branches(), `r2 {"of":"two"} ["two"]`)
	}},
}
