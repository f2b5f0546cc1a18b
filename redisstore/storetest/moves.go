package storetest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

func must[T any](th *thread, v T, err error) T {
	th.Helper()
	if err != nil {
		th.Fatal(err)
	}
	return v
}

func (th *thread) view(q ...store.ReadQuery) *store.ThreadView {
	th.Helper()
	var query store.ReadQuery
	if len(q) > 0 {
		query = q[0]
	}
	v, err := th.s.Read(th.Context(), th.key, query)
	return must(th, v, err)
}

func (th *thread) log() string { th.Helper(); return text(th.view().Log) }

func text(events [][]byte) string {
	parts := make([]string, len(events))
	for i, e := range events {
		parts[i] = string(e)
	}
	return strings.Join(parts, " ")
}

func events(words string) [][]byte {
	var list [][]byte
	for _, w := range strings.Fields(words) {
		list = append(list, []byte(w))
	}
	return list
}

func raws(words string) []json.RawMessage {
	var list []json.RawMessage
	for _, w := range strings.Fields(words) {
		list = append(list, json.RawMessage(w))
	}
	return list
}

// execute is a Begin of a new execution on the thread as it is.
func (th *thread) execute(run string) store.Begin {
	th.Helper()
	return store.Begin{Thread: th.key, Version: th.view().Version, RunID: run, Label: "label-" + run,
		Execution: "exe-" + run, Record: json.RawMessage(`{"run":"` + run + `"}`),
		Kind: store.Execute{Claimed: claimedAs(run), Fresh: fresh(run)}}
}

func claimedAs(run string) store.Claimed {
	return store.Claimed{Token: "token-" + run, Events: events("start:" + run)}
}

func fresh(run string) store.Fresh {
	return store.Fresh{Agent: "agent", Frozen: json.RawMessage(`{"of":"` + run + `"}`)}
}

// with is a Begin of which something is changed that only its kind has.
func with[K store.BeginKind](b store.Begin, change func(*K)) store.Begin {
	k := b.Kind.(K)
	change(&k)
	b.Kind = k
	return b
}

// wait is a Begin that queues.
func (th *thread) wait(run string) store.Begin {
	th.Helper()
	b := th.execute(run)
	b.Kind = store.Enqueue{Input: json.RawMessage(`{"input":"` + run + `"}`),
		Cancelled: [2][]byte{[]byte("start:" + run), []byte("cancelled:" + run)}}
	return b
}

// resume is a Begin that answers the interrupt "int".
func (th *thread) resume(run, execution string) store.Begin {
	th.Helper()
	b := th.execute(run)
	b.Execution = execution
	b.Kind = store.Resume{Claimed: claimedAs(run), Answers: answered(run), Decided: Decided(answered(run)), Decisions: json.RawMessage(`"answer-` + run + `"`)}
	return b
}

// steer is a Begin that answers it and begins a new execution.
func (th *thread) steer(run string) store.Begin {
	th.Helper()
	b := th.execute(run)
	b.Kind = store.Steer{Claimed: claimedAs(run), Fresh: fresh(run), Answers: answered(run), Decided: Decided(answered(run))}
	return b
}

// Decided is what the record says of answers that are nobody's.
func Decided(answers map[string]json.RawMessage) (list []store.Decided) {
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		list = append(list, store.Decided{Interrupt: id, Status: store.DecisionResolved, Body: answers[id]})
	}
	return list
}

// Deleting is a deletion for a user. The record says of each question that it was cancelled,
// and has what the deletion was told.
func Deleting(user string) store.Deletion {
	by := store.Deleter{User: user}
	if user != "" {
		by.From = json.RawMessage(`{"from":"` + user + `"}`)
	}
	return store.Deletion{Deleter: by, Withdraw: withdraws}
}

func withdraws(w store.Withdrawn) (list []store.Decided, keep bool) {
	for _, id := range w.Interrupts {
		body, _ := json.Marshal(map[string]json.RawMessage{"asked": w.Suspension, "by": w.By.From})
		list = append(list, store.Decided{Interrupt: id, Status: store.DecisionCancelled, User: w.By.User, Body: body})
	}
	return list, false
}

func answered(run string) map[string]json.RawMessage {
	return map[string]json.RawMessage{"int": json.RawMessage(`{"by":"` + run + `"}`)}
}

// requeue is a Begin that goes on with a dead letter's execution.
func (th *thread) requeue(run, execution, letter string) store.Begin {
	th.Helper()
	b := th.execute(run)
	b.Execution, b.Kind = execution, store.Requeue{Claimed: claimedAs(run), Letter: letter}
	return b
}

// afresh is a Begin that begins a dead letter again from the top.
func (th *thread) afresh(run, letter string) store.Begin {
	th.Helper()
	return with(th.execute(run), func(k *store.Execute) { k.Letter = letter })
}

// later is a Begin that queues and is not available before a time.
func (th *thread) later(run string, at time.Time) store.Begin {
	th.Helper()
	return with(th.wait(run), func(k *store.Enqueue) { k.Available = at })
}

func (th *thread) begin(b store.Begin) store.BeginResult {
	th.Helper()
	res, err := th.s.Begin(th.Context(), b)
	return must(th, res, err)
}

// begun begins and wants it accepted.
func (th *thread) begun(b store.Begin) store.Claim {
	th.Helper()
	res := th.begin(b)
	if res.Status != store.BeginAccepted {
		th.Fatalf("begin %s: status %d", b.RunID, res.Status)
	}
	return res.Claim
}

func (th *thread) commit(b store.Batch) store.CommitResult {
	th.Helper()
	res, err := th.s.Commit(th.Context(), b)
	return must(th, res, err)
}

func batch(c store.Claim, number, expect int64, words string) store.Batch {
	return store.Batch{Claim: c, Number: number, Expect: expect, Events: events(words)}
}

func ending(c store.Claim, number, expect int64, words string, kind store.EndKind) store.Batch {
	b := batch(c, number, expect, words)
	b.End = &store.End{Kind: kind}
	if kind == store.EndSuspend {
		b.End.Suspension = json.RawMessage(`{"open":["int"]}`)
		b.End.Interrupts = []string{"int"}
		b.End.ToolCalls = []string{"call"}
	}
	return b
}

// ok wants the commit stored.
func (th *thread) ok(b store.Batch) store.CommitResult {
	th.Helper()
	res := th.commit(b)
	if res.Status != store.CommitOK {
		th.Fatalf("commit %d: status %d, the log ends at %v", b.Number, res.Status, res.End)
	}
	return res
}

// suspended is a thread whose execution exe-r1 waits for "int", its log "start:r1 asks".
func (th *thread) suspended() {
	th.Helper()
	c := th.begun(th.execute("r1"))
	th.ok(ending(c, 2, 1, "asks", store.EndSuspend))
}

func (th *thread) claim(token string) store.ClaimResult {
	th.Helper()
	res, err := th.s.Claim(th.Context(), store.ClaimRequest{Thread: th.key, Token: token})
	return must(th, res, err)
}

func (th *thread) claimed(token string, kind store.ClaimKind) store.ClaimResult {
	th.Helper()
	res := th.claim(token)
	if res.Kind != kind {
		th.Fatalf("claim %s: kind %d, want %d", token, res.Kind, kind)
	}
	return res
}

func (th *thread) activate(c store.Claim) store.CommitResult {
	th.Helper()
	res, err := th.s.Activate(th.Context(), activation(c))
	return must(th, res, err)
}

func activation(c store.Claim) store.Activation {
	return store.Activation{Claim: c, Events: events("start:" + c.RunID), Execution: "exe-" + c.RunID,
		Frozen: json.RawMessage(`{"of":"` + c.RunID + `"}`), Agent: "agent"}
}

func (th *thread) stop(label string) store.StopResult {
	th.Helper()
	res, err := th.s.Stop(th.Context(), store.Stop{Thread: th.key, Request: rand.Text(), Label: label, Terminal: []byte("stopped:" + label)})
	return must(th, res, err)
}

func (th *thread) due() bool {
	th.Helper()
	keys, err := wanting(th.Context(), th.s, 1000)
	return slices.Contains(must(th, keys, err), th.key)
}

// agents are those whose runs there are.
var agents = []string{"", "agent", "other"}

// wanting are threads that want a claim, whoever was given them before.
func wanting(ctx context.Context, s store.Store, limit int) ([]store.ThreadKey, error) {
	work, err := s.Work(ctx, store.WorkQuery{Agents: agents, Limit: limit, Idle: -1})
	var keys []store.ThreadKey
	for _, w := range work {
		if w.Entry == "" || slices.Contains(keys, w.Thread) {
			return nil, fmt.Errorf("%q was not delivered as it should be: %+v", w.Thread.Thread, work)
		}
		keys = append(keys, w.Thread)
	}
	return keys, err
}

func (th *thread) renew(c store.Claim) bool {
	th.Helper()
	held, err := th.s.Renew(th.Context(), c)
	return must(th, held, err)
}

// same wants two values equal.
func same[T any](th *thread, what string, got, want T) {
	th.Helper()
	if !reflect.DeepEqual(got, want) {
		th.Errorf("%s: %s, want %s", what, show(got), show(want))
	}
}

func show(v any) string {
	if b, err := json.Marshal(v); err == nil && len(b) > 2 {
		return string(b)
	}
	return fmt.Sprintf("%+v", v)
}

// words prints values with one space between what is printed.
func words(values ...any) string { return strings.Join(strings.Fields(fmt.Sprintln(values...)), " ") }

// everything is all that a reader can learn about a thread.
func (th *thread) everything() string {
	th.Helper()
	v := th.view(store.ReadQuery{InterruptIDs: []string{"int", "other"}, ToolCallIDs: []string{"call"}})
	v.Now = time.Time{}
	runs := []*store.RunState{v.Active, v.Latest}
	for i := range runs {
		if runs[i] != nil { // these tests' events are no JSON
			runs[i].Terminal = json.RawMessage(fmt.Sprintf("%q", runs[i].Terminal))
		}
	}
	b, err := json.Marshal(v)
	return string(must(th, b, err))
}

// unchanged wants what f does to leave no trace.
func (th *thread) unchanged(f func()) {
	th.Helper()
	before := th.everything()
	f()
	if after := th.everything(); after != before {
		th.Errorf("changed\nfrom %s\nto   %s", before, after)
	}
}

// eventually polls a condition on which another process or goroutine works.
func eventually(th *thread, what string, f func() bool) {
	th.Helper()
	ctx, cancel := context.WithTimeout(th.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !f() {
		select {
		case <-ctx.Done():
			th.Fatalf("it never came true that %s", what)
		case <-tick.C:
		}
	}
}
