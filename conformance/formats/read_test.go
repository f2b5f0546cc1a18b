package formats

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/conformance/internal/wire"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

const tenant = "local"

// TestReads works on what earlier releases have left: one thread of each sort, see
// TestWrite.
func TestReads(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			reads(t, file)
		})
	}
}

func reads(t *testing.T, file string) {
	n := start(t, file)

	// What is over reads as it was, and its log from the first event.
	n.holds("finished", `{"answer":42,"steps":["snapshot","delta"]}`, "The state is set.", "Hello from yesterday.")
	n.holds("rewound", `{}`, "one", "three")
	n.holds("large", `{"text":"`+strings.Repeat("x", large)+`","steps":["snapshot","delta"]}`, "The state is set.")
	log := n.log("large")
	if e, ok := log[1].(*protocol.StateSnapshot); !ok || len(e.Snapshot) < large || log[len(log)-1].Type() != protocol.TypeRunFinished {
		t.Errorf("the log of large events has %d events, the second is %.100v", len(log), log[1])
	}

	// The run whose worker was lost goes on, behind the step that was recorded.
	n.until("lost", func(th *adapter.Thread) bool { return th.Active == "" })
	n.holds("lost", `{}`, "", "I have called pay.")
	n.effects(0)

	// Each question is where it was, and with it what was answered already.
	n.until("uncertain", func(th *adapter.Thread) bool { return th.Open != nil })
	n.inbox("asked", "drafted", "queued", "uncertain")
	if open := n.open("drafted"); len(open) != 3 || n.drafts(open) != 1 {
		t.Errorf("%d questions with %d drafts, want 3 with 1", len(open), n.drafts(open))
	}

	// Answers are carried out, once.
	asked := n.open("asked")
	n.answers("asked", adapter.Started, resolve(asked, `{"approved":true}`))
	n.holds("asked", `{}`, "", "I have called pay.")
	n.effects(1)
	n.answers("asked", adapter.Repeat, resolve(asked, `{"approved":true}`))
	n.effects(1)
	if effects := command.Effects(t, n.effect); len(effects) == 1 && string(effects[0].Args) != `{"amount":9007199254740993}` {
		t.Errorf("carried out with %s", effects[0].Args)
	}
	n.answers("drafted", adapter.Started, resolve(n.undrafted("drafted"), `{"approved":true}`))
	n.effects(4)
	n.answers("uncertain", adapter.Started, resolve(n.open("uncertain"), `{"action":"rerun"}`))
	n.effects(5)
	n.inbox("queued")

	// What has waited behind a question has its turn.
	n.answers("queued", adapter.Started, resolve(n.open("queued"), `true`))
	n.until("queued", func(th *adapter.Thread) bool { return th.Active == "" && th.Queued == 0 })
	if got := n.texts("queued"); got[len(got)-1] != "It was my turn." {
		t.Errorf("said %q", got)
	}
	n.inbox()

	// An answer given to the earlier release is known, and its effect too.
	n.answers("answered", adapter.Repeat, resolve(n.asked("answered"), edit))
	n.answers("answered", adapter.Repeat, resolve(n.asked("answered"), `{"editedArgs":{"amount":9007199254740993.0},"approved":true}`))
	n.answers("answered", adapter.Refused, resolve(n.asked("answered"), `{"approved":false}`))
	n.effects(5)

	// A dead letter is carried out after all.
	letters, _, err := n.runner.DeadLetters(t.Context(), store.PageQuery{Tenant: tenant})
	if err != nil || len(letters) != 1 || letters[0].Thread.Thread != "dead" {
		t.Fatalf("dead letters %+v, %v", letters, err)
	}
	if a, err := n.runner.Requeue(t.Context(), letters[0].Thread, letters[0].ID); err != nil || a.Disposition != adapter.Started {
		t.Fatalf("requeued: %+v, %v", a, err)
	}
	n.until("dead", func(th *adapter.Thread) bool { return th.Active == "" })
	if got := n.texts("dead"); !strings.HasSuffix(got[len(got)-1], " 100 ") {
		t.Errorf("said %q", got)
	}

	// All threads are listed and go on, and can be deleted.
	threads, _, err := n.runner.Threads(t.Context(), store.ThreadQuery{Namespace: tenant})
	if err != nil || len(threads) != 10 {
		t.Errorf("%d threads, %v", len(threads), err)
	}
	for _, thread := range threads {
		name := thread.Thread.Thread
		n.says(name, "/say Good morning.", "Good morning.")
		if deleted, err := n.runner.DeleteThread(t.Context(), thread.Thread); err != nil || !deleted {
			t.Errorf("%s is deleted: %t, %v", name, deleted, err)
		}
	}
	for _, kept := range n.keys() {
		if entries, err := n.client.XLen(t.Context(), kept).Result(); strings.Contains(kept, ":work:") && (err != nil || entries != 0) {
			t.Errorf("deleted, the threads leave %d entries in %s, %v", entries, kept, err)
		}
		if !strings.HasSuffix(kept, ":rec") && !strings.HasSuffix(kept, ":followers") && kept != "aguiws:meta" &&
			!strings.Contains(kept, ":owner:") && // what counts for an owner lapses by itself
			!regexp.MustCompile(`:(notices|decisions|decided|work:\w*)$`).MatchString(kept) { // facts and decisions outlive threads; streams of work are empty
			t.Errorf("deleted, the threads leave %s", kept)
		}
	}
}

// node is a server of this release on data of an earlier one.
type node struct {
	t      *testing.T
	client *redis.Client
	runner *adapter.Runner
	effect string
}

func start(t *testing.T, file string) *node {
	t.Helper()
	server := redistest.Start(t, redistest.Options{TCP: true})
	o, err := redis.ParseURL(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	n := &node{t: t, client: redis.NewClient(o), effect: filepath.Join(t.TempDir(), "effects")}
	t.Cleanup(func() { n.client.Close() })
	made, loaded := load(t, n.client, file), time.Now()

	// The data is in the same place as before, and a minute old: no lease holds.
	var records []string
	for _, key := range n.keys() {
		if strings.HasSuffix(key, ":rec") {
			records = append(records, key)
		}
	}
	history, err := n.client.HGet(t.Context(), records[0], "replid").Result()
	if err != nil {
		t.Fatal(err)
	}
	st, err := redisstore.Open(t.Context(), server.URL(), &redisstore.Options{
		HistoryID: history, Clock: func() time.Time { return made.Add(time.Minute + time.Since(loaded)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	agent := script.New(script.Options{Effects: n.effect})
	n.runner, err = adapter.NewRunner(st, &adapter.Options{
		Agents: map[string]adapter.Agent{"": agent, "script": agent}, Sweep: 50 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), wire.Patience)
		defer cancel()
		if err := n.runner.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

func keyOf(thread string) store.ThreadKey { return store.ThreadKey{Namespace: tenant, Thread: thread} }

func (n *node) thread(name string) *adapter.Thread {
	n.t.Helper()
	th, err := n.runner.Thread(n.t.Context(), keyOf(name))
	if err != nil || th == nil || th.Corrupted {
		n.t.Fatalf("thread %s: %+v, %v", name, th, err)
	}
	return th
}

// until waits for what a thread is to come to.
func (n *node) until(name string, holds func(*adapter.Thread) bool) {
	n.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(wire.Patience); !holds(n.thread(name)); {
		select {
		case <-tick.C:
		case <-deadline:
			n.t.Fatalf("thread %s does not come to it: %+v", name, n.thread(name))
		}
	}
}

// texts are what the assistant said.
func (n *node) texts(name string) []string {
	n.t.Helper()
	var said []string
	for _, m := range n.thread(name).Messages {
		if m.Role == protocol.RoleAssistant {
			said = append(said, m.Content.String())
		}
	}
	return said
}

func (n *node) holds(name, state string, said ...string) {
	n.t.Helper()
	if got := string(n.thread(name).State); got != state {
		n.t.Errorf("the state of %s is %.100s, want %.100s", name, got, state)
	}
	if got := n.texts(name); !slices.Equal(got, said) {
		n.t.Errorf("in %s was said %q, want %q", name, got, said)
	}
}

// log reads a thread's log from its first event.
func (n *node) log(name string) (events []protocol.Event) {
	n.t.Helper()
	cursor := n.runner.Follow(keyOf(name), func() {})
	defer cursor.Close()
	end := n.thread(name).End
	at, err := cursor.Attach(n.t.Context(), &store.Position{Epoch: end.Epoch})
	if err != nil || !at.Recovered {
		n.t.Fatalf("the log of %s from its beginning: %+v, %v", name, at, err)
	}
	for cursor.Position().Seq < end.Seq {
		page, err := cursor.Next(n.t.Context())
		if err != nil {
			n.t.Fatal(err)
		}
		for _, text := range page.Events {
			e, err := protocol.Decode(text)
			if err != nil {
				n.t.Fatal(err)
			}
			events = append(events, e)
		}
	}
	return events
}

// asked are the first questions of a thread's log.
func (n *node) asked(name string) (open []adapter.OpenInterrupt) {
	n.t.Helper()
	for _, e := range n.log(name) {
		if asked := client.Asked(e); len(asked) > 0 {
			for _, i := range asked {
				open = append(open, adapter.OpenInterrupt{ID: i.ID})
			}
			return open
		}
	}
	n.t.Fatalf("nothing was asked in %s", name)
	return nil
}

func (n *node) open(name string) []adapter.OpenInterrupt {
	n.t.Helper()
	open := n.thread(name).Open
	if open == nil {
		n.t.Fatalf("%s asks nothing", name)
	}
	return open.Interrupts
}

func (n *node) drafts(open []adapter.OpenInterrupt) (drafts int) {
	for _, i := range open {
		if i.Draft != nil {
			drafts++
		}
	}
	return drafts
}

func (n *node) undrafted(name string) []adapter.OpenInterrupt {
	return slices.DeleteFunc(n.open(name), func(i adapter.OpenInterrupt) bool { return i.Draft != nil })
}

func (n *node) inbox(want ...string) {
	n.t.Helper()
	items, _, err := n.runner.Inbox(n.t.Context(), adapter.InboxQuery{InboxQuery: store.InboxQuery{Tenant: tenant}})
	if err != nil {
		n.t.Fatal(err)
	}
	var got []string
	for _, item := range items {
		got = append(got, item.Thread.Thread)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		n.t.Errorf("the inbox has %q, want %q", got, want)
	}
}

func resolve(open []adapter.OpenInterrupt, payload string) (entries []protocol.ResumeEntry) {
	for _, i := range open {
		entries = append(entries, protocol.ResumeEntry{InterruptID: i.ID, Status: protocol.ResumeResolved, Payload: protocol.Any(payload)})
	}
	return entries
}

// answers answers questions, and waits for what comes of it.
func (n *node) answers(name string, want adapter.Disposition, entries []protocol.ResumeEntry) {
	n.t.Helper()
	answered, err := n.runner.Answer(n.t.Context(), keyOf(name), tenant, "", uuid.NewString(), entries, adapter.Origin{}, nil)
	if err != nil || len(answered.Missing) > 0 || answered.Admitted.Disposition != want {
		n.t.Fatalf("an answer to %s: %+v, %+v, %v", name, answered, answered.Admitted.Refusal, err)
	}
	n.until(name, func(th *adapter.Thread) bool { return th.Active == "" })
}

func (n *node) says(name, text, want string) {
	n.t.Helper()
	a, err := n.runner.Inject(n.t.Context(), adapter.Injection{Namespace: tenant, Tenant: tenant, Thread: name, Text: text})
	if err != nil || a.Disposition != adapter.Started {
		n.t.Fatalf("%q to %s: %+v, %v", text, name, a, err)
	}
	n.until(name, func(th *adapter.Thread) bool { return th.Active == "" })
	if got := n.texts(name); got[len(got)-1] != want {
		n.t.Errorf("%s says %q", name, got)
	}
}

// effects fails the test unless so many have taken place since the data was loaded.
func (n *node) effects(want int) {
	n.t.Helper()
	if effects := command.Effects(n.t, n.effect); len(effects) != want {
		n.t.Errorf("the effect took place %d times, want %d: %v", len(effects), want, effects)
	}
}

func (n *node) keys() []string {
	n.t.Helper()
	keys, err := n.client.Keys(n.t.Context(), "*").Result()
	if err != nil {
		n.t.Fatal(err)
	}
	return keys
}
