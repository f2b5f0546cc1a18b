package erasure_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

var person = redisstore.Person{Namespace: "default/user/" + ann, Tenant: "default", Name: "default/" + ann, Shown: ann}

// opened is a store on a server, and a client of the server.
func opened(t *testing.T) (*redisstore.Store, *redis.Client) {
	t.Helper()
	server := redistest.Start(t, redistest.Options{})
	options, err := redis.ParseURL(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	st, err := redisstore.Open(t.Context(), server.URL(), &redisstore.Options{Timeout: patience, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		st.Close()
		client.Close()
	})
	return st, client
}

// waits has an input of ann's wait in a thread for a worker that there is not.
func waits(t *testing.T, st *redisstore.Store, key store.ThreadKey, run string) {
	t.Helper()
	record, err := json.Marshal(store.RunRecord{Label: run, Execution: run, User: person.Name, Tenant: "default"})
	if err != nil {
		t.Fatal(err)
	}
	view, err := st.Read(t.Context(), key, store.ReadQuery{})
	if err != nil {
		t.Fatal(err)
	}
	started := []byte(`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`)
	got, err := st.Begin(t.Context(), store.Begin{Thread: key, Version: view.Version, RunID: run, Label: run, Execution: run, Record: record, Tenant: "default", User: person.Name,
		Kind: store.Enqueue{Agent: "nobody", Input: []byte(`{}`), Cancelled: [2][]byte{started, []byte(`{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`)}}})
	if err != nil || got.Status != store.BeginAccepted {
		t.Fatal(got, err)
	}
}

// Of a thread of others in which an input of the person waits it is said that it is left. When
// the input has ended, the thread loses the name.
func TestABusyThreadOfOthersIsLeft(t *testing.T) {
	st, client := opened(t)
	key := store.ThreadKey{Namespace: "default/shared/team", Thread: "ours"}
	for _, run := range []string{"run", "next", "last"} {
		waits(t, st, key, run)
	}
	done, err := st.ErasePerson(t.Context(), person, false)
	if err != nil || len(done.Left) != 1 || !strings.Contains(done.Left[0], `thread "ours" of namespace "default/shared/team" names the person`) {
		t.Fatalf("%+v %v", done, err)
	}
	if _, err := st.StopAll(t.Context(), store.StopAll{Thread: key, Request: "stops"}); err != nil {
		t.Fatal(err)
	}
	for _, dry := range []bool{true, false} { // each run's end is a notice
		if done, err = st.ErasePerson(t.Context(), person, dry); err != nil || len(done.Left) != 0 || done.Runs != 3 || done.Notices != 3 {
			t.Fatalf("%+v %v", done, err)
		}
	}
	if got := where(everything(t, client), ann); len(got) > 0 {
		t.Errorf("left in %q", got)
	}
	if infos, err := st.ThreadInfos(t.Context(), []store.ThreadKey{key}); err != nil || infos[0] == nil {
		t.Errorf("the thread is gone: %v", err)
	}
}

// An erasure that was stopped is gone on with by another one. A tree may have more threads than
// one call deletes.
func TestAnErasureIsGoneOnWith(t *testing.T) {
	st, client := opened(t)
	root := "a"
	for i := range 300 {
		id := "a"
		change := store.NodeChange{Request: fmt.Sprint(i), Create: true, Version: store.AnyVersion}
		if i > 0 {
			id, change.Parent = fmt.Sprint("below-", i), &root
		}
		if _, err := st.PutNode(t.Context(), store.ThreadKey{Namespace: person.Namespace, Thread: id}, change); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 50 {
		waits(t, st, store.ThreadKey{Namespace: person.Namespace, Thread: fmt.Sprint("alone-", i)}, fmt.Sprint("run-", i))
	}
	if done, err := st.ErasePerson(t.Context(), person, true); err != nil || done.Threads != 350 {
		t.Fatalf("%+v %v", done, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		defer stop()
		for until := time.Now().Add(patience); time.Now().Before(until); {
			if list, err := st.Threads(t.Context(), store.ThreadQuery{Namespace: person.Namespace, Limit: 100}); err != nil || len(list.Threads) < 50 {
				return
			}
		}
	}()
	if _, err := st.ErasePerson(ctx, person, false); err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
	stop()
	done, err := st.ErasePerson(t.Context(), person, false)
	if err != nil || len(done.Left) > 0 {
		t.Fatalf("%+v %v", done, err)
	}
	if got := where(everything(t, client), ann); len(got) > 0 {
		t.Errorf("left in %q", got)
	}
}

// The person alone goes from those who look at what a thread of others asks, or have it assigned.
// All of them go from a thread in which nothing is open any more.
func TestOthersStillLookAtAThread(t *testing.T) {
	st, client := opened(t)
	asks := func(thread string) store.ThreadKey {
		t.Helper()
		key := store.ThreadKey{Namespace: "default/shared/team", Thread: thread}
		got, err := st.Begin(t.Context(), store.Begin{Thread: key, RunID: "r-" + thread, Label: "r", Execution: "x", Record: []byte(`{}`), Tenant: "default", User: "default/" + bob,
			Kind: store.Execute{Claimed: store.Claimed{Token: thread, Events: [][]byte{[]byte(`{"type":"RUN_STARTED"}`)}}, Fresh: store.Fresh{Frozen: []byte(`{}`)}}})
		if err != nil || got.Status != store.BeginAccepted {
			t.Fatal(got, err)
		}
		ended, err := st.Commit(t.Context(), store.Batch{Claim: got.Claim, Number: 2, Expect: 1, Events: [][]byte{[]byte(`{"type":"RUN_FINISHED"}`)},
			End: &store.End{Kind: store.EndSuspend, Suspension: []byte(`{}`), Interrupts: []string{"int"}, Reasons: []string{"tool_call"}}})
		if err != nil || ended.Status != store.CommitOK {
			t.Fatal(ended, err)
		}
		if open, err := st.Assign(t.Context(), key, person.Name, time.Hour); err != nil || !open {
			t.Fatal(open, err)
		}
		for _, user := range []string{person.Name, "default/" + bob} {
			if _, open, err := st.Review(t.Context(), key, user, time.Hour); err != nil || !open {
				t.Fatal(open, err)
			}
		}
		return key
	}
	open, answered := asks("open"), asks("answered")
	view, err := st.Read(t.Context(), answered, store.ReadQuery{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := st.Begin(t.Context(), store.Begin{Thread: answered, Version: view.Version, RunID: "resumes", Label: "resumes", Execution: "x", Record: []byte(`{}`), Tenant: "default", User: "default/" + bob,
		Kind: store.Resume{Claimed: store.Claimed{Token: "t", Events: [][]byte{[]byte(`{"type":"RUN_STARTED"}`)}},
			Answers: map[string]json.RawMessage{"int": json.RawMessage("1")}, Decisions: json.RawMessage("1"), Decided: []store.Decided{{Interrupt: "int", Status: store.DecisionResolved}}}}); err != nil || got.Status != store.BeginAccepted {
		t.Fatal(got, err)
	}
	if done, err := st.ErasePerson(t.Context(), person, true); err != nil || len(done.Left) > 0 || len(where(everything(t, client), ann)) == 0 {
		t.Fatalf("%+v %v", done, err)
	}
	if done, err := st.ErasePerson(t.Context(), person, false); err != nil || len(done.Left) > 0 {
		t.Fatalf("%+v %v", done, err)
	}
	if got := where(everything(t, client), ann); len(got) > 0 {
		t.Errorf("left in %q", got)
	}
	if all, there, err := st.Review(t.Context(), open, "", 0); err != nil || !there || fmt.Sprint(all) != "[default/"+bob+"]" {
		t.Errorf("%q look, %v", all, err)
	}
}

// Of the log of a thread of others no more is read than up to the last beginning of a run of the
// person that it has, and nothing if it has none.
func TestLittleOfALogIsRead(t *testing.T) {
	st, client := opened(t)
	for user, thread := range map[string]string{person.Name: "hers", "default/" + bob: "his"} {
		key := store.ThreadKey{Namespace: "default/shared/team", Thread: thread}
		got, err := st.Begin(t.Context(), store.Begin{Thread: key, RunID: "r", Label: "r", Execution: "x", Record: []byte(`{"user":"` + user + `"}`), Tenant: "default", User: user,
			Kind: store.Execute{Claimed: store.Claimed{Token: "t", Events: [][]byte{[]byte(`{"type":"RUN_STARTED"}`)}}, Fresh: store.Fresh{Frozen: []byte(`{}`)}}})
		if err != nil || got.Status != store.BeginAccepted {
			t.Fatal(got, err)
		}
		b := store.Batch{Claim: got.Claim, Number: 2, Expect: 1, Events: [][]byte{[]byte(`{}`)}}
		for ; b.Number < 200; b.Number, b.Expect = b.Number+1, b.Expect+1 {
			if b.Number == 199 {
				b.End = &store.End{Kind: store.EndFinish}
			}
			if res, err := st.Commit(t.Context(), b); err != nil || res.Status != store.CommitOK {
				t.Fatal(res, err)
			}
		}
		waits(t, st, key, "waits")
	}
	if err := client.ConfigResetStat(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	if done, err := st.ErasePerson(t.Context(), person, true); err != nil || done.Runs != 3 {
		t.Fatalf("%+v %v", done, err)
	}
	// Two are of journals.
	if said := client.Info(t.Context(), "commandstats").Val(); !strings.Contains(said, "cmdstat_lrange:calls=3,") {
		t.Errorf("more or less than a page of the logs is read: %s", said)
	}
}
