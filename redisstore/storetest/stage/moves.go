package stage

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

func Must[T any](th *Thread, v T, err error) T {
	th.Helper()
	if err != nil {
		th.Fatal(err)
	}
	return v
}

func (th *Thread) View(q ...store.ReadQuery) *store.ThreadView {
	th.Helper()
	var query store.ReadQuery
	if len(q) > 0 {
		query = q[0]
	}
	v, err := th.Store.Read(th.Context(), th.Key, query)
	return Must(th, v, err)
}

func (th *Thread) Logged() string { th.Helper(); return Text(th.View().Log) }

func Text(events [][]byte) string {
	parts := make([]string, len(events))
	for i, e := range events {
		parts[i] = string(e)
	}
	return strings.Join(parts, " ")
}

func Events(words string) [][]byte {
	var list [][]byte
	for _, w := range strings.Fields(words) {
		list = append(list, []byte(w))
	}
	return list
}

func Raws(words string) []json.RawMessage {
	var list []json.RawMessage
	for _, w := range strings.Fields(words) {
		list = append(list, json.RawMessage(w))
	}
	return list
}

// Execute is a Begin of a new execution on the thread as it is.
func (th *Thread) Execute(run string) store.Begin {
	th.Helper()
	return store.Begin{Thread: th.Key, Version: th.View().Version, RunID: run, Label: "label-" + run,
		Execution: "exe-" + run, Record: json.RawMessage(`{"run":"` + run + `"}`),
		Kind: store.Execute{Claimed: claimedAs(run), Fresh: Fresh(run)}}
}

func claimedAs(run string) store.Claimed {
	return store.Claimed{Token: "token-" + run, Events: Events("start:" + run)}
}

func Fresh(run string) store.Fresh {
	return store.Fresh{Agent: "agent", Frozen: json.RawMessage(`{"of":"` + run + `"}`)}
}

// With is a Begin of which something is changed that only its kind has.
func With[K store.BeginKind](b store.Begin, change func(*K)) store.Begin {
	k := b.Kind.(K)
	change(&k)
	b.Kind = k
	return b
}

// Wait is a Begin that queues.
func (th *Thread) Wait(run string) store.Begin {
	th.Helper()
	b := th.Execute(run)
	b.Kind = store.Enqueue{Input: json.RawMessage(`{"input":"` + run + `"}`),
		Cancelled: [2][]byte{[]byte("start:" + run), []byte("cancelled:" + run)}}
	return b
}

// Resume is a Begin that answers the interrupt "int".
func (th *Thread) Resume(run, execution string) store.Begin {
	th.Helper()
	b := th.Execute(run)
	b.Execution = execution
	b.Kind = store.Resume{Claimed: claimedAs(run), Answers: answered(run), Decided: Decided(answered(run)), Decisions: json.RawMessage(`"answer-` + run + `"`)}
	return b
}

// Steer is a Begin that answers it and begins a new execution.
func (th *Thread) Steer(run string) store.Begin {
	th.Helper()
	b := th.Execute(run)
	b.Kind = store.Steer{Claimed: claimedAs(run), Fresh: Fresh(run), Answers: answered(run), Decided: Decided(answered(run))}
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
	return store.Deletion{Deleter: by, Withdraw: Withdraws}
}

func Withdraws(w store.Withdrawn) (list []store.Decided, keep bool) {
	for _, id := range w.Interrupts {
		body, _ := json.Marshal(map[string]json.RawMessage{"asked": w.Suspension, "by": w.By.From})
		list = append(list, store.Decided{Interrupt: id, Status: store.DecisionCancelled, User: w.By.User, Body: body})
	}
	return list, false
}

func answered(run string) map[string]json.RawMessage {
	return map[string]json.RawMessage{"int": json.RawMessage(`{"by":"` + run + `"}`)}
}

// Requeue is a Begin that goes on with a dead letter's execution.
func (th *Thread) Requeue(run, execution, letter string) store.Begin {
	th.Helper()
	b := th.Execute(run)
	b.Execution, b.Kind = execution, store.Requeue{Claimed: claimedAs(run), Letter: letter}
	return b
}

// Afresh is a Begin that begins a dead letter again from the top.
func (th *Thread) Afresh(run, letter string) store.Begin {
	th.Helper()
	return With(th.Execute(run), func(k *store.Execute) { k.Letter = letter })
}

// Later is a Begin that queues and is not available before a time.
func (th *Thread) Later(run string, at time.Time) store.Begin {
	th.Helper()
	return With(th.Wait(run), func(k *store.Enqueue) { k.Available = at })
}

func (th *Thread) Begin(b store.Begin) store.BeginResult {
	th.Helper()
	res, err := th.Store.Begin(th.Context(), b)
	return Must(th, res, err)
}

// Begun begins and wants it accepted.
func (th *Thread) Begun(b store.Begin) store.Claim {
	th.Helper()
	res := th.Begin(b)
	if res.Status != store.BeginAccepted {
		th.Fatalf("begin %s: status %d", b.RunID, res.Status)
	}
	return res.Claim
}

func (th *Thread) Commit(b store.Batch) store.CommitResult {
	th.Helper()
	res, err := th.Store.Commit(th.Context(), b)
	return Must(th, res, err)
}

func Batch(c store.Claim, number, expect int64, words string) store.Batch {
	return store.Batch{Claim: c, Number: number, Expect: expect, Events: Events(words)}
}

func Ending(c store.Claim, number, expect int64, words string, kind store.EndKind) store.Batch {
	b := Batch(c, number, expect, words)
	b.End = &store.End{Kind: kind}
	if kind == store.EndSuspend {
		b.End.Suspension = json.RawMessage(`{"open":["int"]}`)
		b.End.Interrupts = []string{"int"}
		b.End.ToolCalls = []string{"call"}
	}
	return b
}

// OK wants the commit stored.
func (th *Thread) OK(b store.Batch) store.CommitResult {
	th.Helper()
	res := th.Commit(b)
	if res.Status != store.CommitOK {
		th.Fatalf("commit %d: status %d, the log ends at %v", b.Number, res.Status, res.End)
	}
	return res
}

// Suspended is a thread whose execution exe-r1 waits for "int", its log "start:r1 asks".
func (th *Thread) Suspended() {
	th.Helper()
	c := th.Begun(th.Execute("r1"))
	th.OK(Ending(c, 2, 1, "asks", store.EndSuspend))
}

func (th *Thread) Claim(token string) store.ClaimResult {
	th.Helper()
	res, err := th.Store.Claim(th.Context(), store.ClaimRequest{Thread: th.Key, Token: token})
	return Must(th, res, err)
}

func (th *Thread) Claimed(token string, kind store.ClaimKind) store.ClaimResult {
	th.Helper()
	res := th.Claim(token)
	if res.Kind != kind {
		th.Fatalf("claim %s: kind %d, want %d", token, res.Kind, kind)
	}
	return res
}

func (th *Thread) Activate(c store.Claim) store.CommitResult {
	th.Helper()
	res, err := th.Store.Activate(th.Context(), Activation(c))
	return Must(th, res, err)
}

func Activation(c store.Claim) store.Activation {
	return store.Activation{Claim: c, Events: Events("start:" + c.RunID), Execution: "exe-" + c.RunID,
		Frozen: json.RawMessage(`{"of":"` + c.RunID + `"}`), Agent: "agent"}
}

func (th *Thread) Stop(label string) store.StopResult {
	th.Helper()
	res, err := th.Store.Stop(th.Context(), store.Stop{Thread: th.Key, Request: rand.Text(), Label: label, Terminal: []byte("stopped:" + label)})
	return Must(th, res, err)
}

func (th *Thread) Due() bool {
	th.Helper()
	keys, err := Wanting(th.Context(), th.Store, 1000)
	return slices.Contains(Must(th, keys, err), th.Key)
}

// Agents are those whose runs there are.
var Agents = []string{"", "agent", "other"}

// Wanting are threads that want a claim, whoever was given them before.
func Wanting(ctx context.Context, s store.Store, limit int) ([]store.ThreadKey, error) {
	work, err := s.Work(ctx, store.WorkQuery{Agents: Agents, Limit: limit, Idle: -1})
	var keys []store.ThreadKey
	for _, w := range work {
		if w.Entry == "" || slices.Contains(keys, w.Thread) {
			return nil, fmt.Errorf("%q was not delivered as it should be: %+v", w.Thread.Thread, work)
		}
		keys = append(keys, w.Thread)
	}
	return keys, err
}

func (th *Thread) Renew(c store.Claim) bool {
	th.Helper()
	held, err := th.Store.Renew(th.Context(), c)
	return Must(th, held, err)
}

// Same wants two values equal.
func Same[T any](th *Thread, what string, got, want T) {
	th.Helper()
	if !reflect.DeepEqual(got, want) {
		th.Errorf("%s: %s, want %s", what, Show(got), Show(want))
	}
}

func Show(v any) string {
	if b, err := json.Marshal(v); err == nil && len(b) > 2 {
		return string(b)
	}
	return fmt.Sprintf("%+v", v)
}

// Words prints values with one space between what is printed.
func Words(values ...any) string { return strings.Join(strings.Fields(fmt.Sprintln(values...)), " ") }

// everything is all that a reader can learn about a thread.
func (th *Thread) everything() string {
	th.Helper()
	v := th.View(store.ReadQuery{InterruptIDs: []string{"int", "other"}, ToolCallIDs: []string{"call"}})
	v.Now = time.Time{}
	runs := []*store.RunState{v.Active, v.Latest}
	for i := range runs {
		if runs[i] != nil { // these tests' events are no JSON
			runs[i].Terminal = json.RawMessage(fmt.Sprintf("%q", runs[i].Terminal))
		}
	}
	b, err := json.Marshal(v)
	return string(Must(th, b, err))
}

// Unchanged wants what f does to leave no trace.
func (th *Thread) Unchanged(f func()) {
	th.Helper()
	before := th.everything()
	f()
	if after := th.everything(); after != before {
		th.Errorf("changed\nfrom %s\nto   %s", before, after)
	}
}

// Eventually polls a condition on which another process or goroutine works.
func Eventually(th *Thread, what string, f func() bool) {
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
