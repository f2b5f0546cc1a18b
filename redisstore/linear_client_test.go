package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
	"github.com/anishathalye/porcupine"
)

// linearClient is one caller. What it does next depends on what it was told.
type linearClient struct {
	*linearity
	name  string
	store store.Store
	key   store.ThreadKey
	rand  *rand.Rand
	board *claimBoard
	ops   []porcupine.Operation
	calls int
}

// claimBoard is where the workers of a thread leave what they hold, or held.
type claimBoard struct {
	mu     sync.Mutex
	claims []boardClaim
}

type boardClaim struct {
	claim          store.Claim
	exe            string
	waiting        bool
	number, expect int64
}

func (b *claimBoard) put(c boardClaim) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.claims = append(b.claims, c)
}

// pick returns one of the latest.
func (b *claimBoard) pick(r *rand.Rand) (boardClaim, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.claims) == 0 {
		return boardClaim{}, false
	}
	return b.claims[max(0, len(b.claims)-1-int(r.ExpFloat64()/2))], true
}

func (c *linearClient) run() {
	for n := range callsEach {
		c.calls = n
		switch p := c.rand.IntN(100); {
		case p < 15:
			c.read()
		case p < 45:
			c.begin()
		case p < 60:
			c.claim()
		case p < 84:
			c.work()
		case p < 88:
			c.checkpoint()
		case p < 96:
			c.renew()
		default:
			c.ticks.Add(1)
		}
	}
}

// do calls the store until it answers, and notes what was sent and answered.
func (c *linearClient) do(q request, call func(context.Context) (answer, error)) answer {
	q.thread = c.key.Thread
	for {
		q.early = c.ticks.Load()
		sent := q
		a := &attempts{q: &sent}
		before, losses := c.now(), c.losses.Load()
		got, err := call(context.WithValue(context.Background(), attemptsKey{}, a))
		if a.call == 0 { // it goes another way than the commands that are noted
			a.call, a.end = before, c.now()
			// A client of a Cluster may have sent it again by itself, after it had taken effect.
			again := err == nil && c.losses.Load() != losses
			if again || errors.Is(err, store.ErrOutcomeUnknown) && len(a.lost) == 0 {
				sent.late = c.ticks.Load()
				a.lost = append(a.lost, porcupine.Operation{Input: &sent, Call: before, Output: answer{unknown: true}, Return: int64(1) << 62})
			}
		}
		c.ops = append(c.ops, a.lost...)
		switch {
		case errors.Is(err, store.ErrOutcomeUnknown):
			continue
		case err != nil && q.kind == "begin":
			got = answer{verdict: "refused"}
		case err != nil:
			c.t.Errorf("%+v: %v", q, err)
			return got
		}
		done := q
		done.late = c.ticks.Load()
		c.ops = append(c.ops, porcupine.Operation{Input: &done, Call: a.call, Output: told(&done, got), Return: a.end})
		return got
	}
}

func (c *linearClient) read() (v *store.ThreadView) {
	c.do(request{kind: "read"}, func(ctx context.Context) (a answer, err error) {
		if v, err = c.store.Read(ctx, c.key, store.ReadQuery{}); err != nil {
			return a, err
		}
		a = answer{version: v.Version, seq: v.Seq, snapshot: v.Snapshot.At}
		if v.Active != nil {
			a.run = v.Active.ID
		}
		if v.Suspension != nil {
			a.exe = asked(v.Suspension)
		}
		ids := make([]string, len(v.Queue))
		for i, q := range v.Queue {
			ids[i] = q.ID
		}
		a.queue = strings.Join(ids, " ")
		return a, nil
	})
	return v
}

// asked is the execution that waits: these tests' suspensions are its id.
func asked(suspension json.RawMessage) string {
	var exe string
	if err := json.Unmarshal(suspension, &exe); err != nil {
		panic(err)
	}
	return exe
}

func (c *linearClient) begin() {
	v := c.read()
	if v == nil {
		return
	}
	how := "new"
	switch {
	case c.rand.IntN(8) == 0:
		how = []string{"new", "queue", "resume", "steer"}[c.rand.IntN(4)]
	case v.Active != nil, v.Suspension == nil && c.rand.IntN(2) == 0:
		how = "queue"
	case v.Suspension != nil:
		how = []string{"resume", "resume", "resume", "steer", "queue"}[c.rand.IntN(5)]
	}
	id := fmt.Sprintf("r%s.%d", c.name, c.calls)
	exe := "x" + id
	if how == "resume" && v.Suspension != nil {
		exe = asked(v.Suspension)
	}
	b := store.Begin{Thread: c.key, Version: v.Version, RunID: id, Label: id, Execution: exe, Record: json.RawMessage("{}")}
	now := store.Claimed{Token: "begin-" + id, Events: [][]byte{[]byte("start")}}
	fresh, answers := store.Fresh{Frozen: json.RawMessage("{}")}, map[string]json.RawMessage{"int": json.RawMessage("1")}
	switch how {
	case "queue":
		now.Token = ""
		b.Kind = store.Enqueue{Input: json.RawMessage("{}"), Cancelled: [2][]byte{[]byte("a"), []byte("b")}}
	case "resume":
		b.Kind = store.Resume{Claimed: now, Answers: answers, Decided: stage.Decided(answers), Decisions: json.RawMessage("1")}
	case "steer":
		b.Kind = store.Steer{Claimed: now, Fresh: fresh, Answers: answers, Decided: stage.Decided(answers)}
	default:
		b.Kind = store.Execute{Claimed: now, Fresh: fresh}
	}
	for range 1 + c.rand.IntN(2) { // a second time, as one who does not trust the answer
		a := c.do(request{kind: "begin", how: how, version: v.Version, run: id, token: now.Token, execution: exe},
			func(ctx context.Context) (answer, error) {
				res, err := c.store.Begin(ctx, b)
				return answer{verdict: beginVerdicts[res.Status], seq: res.Position.Seq, claimed: res.Claim.Token != ""}, err
			})
		if a.claimed {
			c.board.put(boardClaim{claim: store.Claim{Thread: c.key, RunID: id, Token: now.Token}, exe: exe, number: 2, expect: a.seq + 1})
		}
	}
}

var beginVerdicts = map[store.BeginStatus]string{store.BeginAccepted: "accepted", store.BeginStale: "stale"}

func (c *linearClient) claim() {
	token := fmt.Sprintf("claim-%s.%d", c.name, c.calls)
	for range 1 + c.rand.IntN(2) {
		var res store.ClaimResult
		a := c.do(request{kind: "claim", token: token}, func(ctx context.Context) (_ answer, err error) {
			res, err = c.store.Claim(ctx, store.ClaimRequest{Thread: c.key, Token: token})
			return answer{verdict: claimVerdicts[res.Kind], run: res.Claim.RunID, attempts: res.Attempts}, err
		})
		switch a.verdict {
		case "queued":
			c.board.put(boardClaim{claim: res.Claim, exe: "x" + a.run, waiting: true})
		case "takeover":
			if v := c.read(); v != nil && v.Active != nil && v.Active.ID == a.run {
				c.board.put(boardClaim{claim: res.Claim, exe: v.Active.Execution, number: 1, expect: v.Seq})
			}
		}
	}
}

var claimVerdicts = map[store.ClaimKind]string{
	store.ClaimNothing: "nothing", store.ClaimQueued: "queued", store.ClaimTakeover: "takeover"}

// work activates or ends what somebody claimed.
func (c *linearClient) work() {
	h, ok := c.board.pick(c.rand)
	if !ok {
		return
	}
	q := request{run: h.claim.RunID, token: h.claim.Token, execution: h.exe, number: h.number, expect: h.expect}
	if h.waiting {
		q.kind = "activate"
		a := c.do(q, func(ctx context.Context) (answer, error) {
			res, err := c.store.Activate(ctx, store.Activation{Claim: h.claim, Execution: h.exe, Frozen: json.RawMessage("{}"), Events: [][]byte{[]byte("start")}})
			return answer{verdict: commitVerdicts[res.Status], seq: res.End.Seq}, err
		})
		if a.verdict == "ok" {
			c.board.put(boardClaim{claim: h.claim, exe: h.exe, number: 2, expect: a.seq})
		}
		return
	}
	q.kind, q.how = "end", []string{"suspend", "finish"}[c.rand.IntN(2)]
	b := store.Batch{Claim: h.claim, Number: h.number, Expect: h.expect, Events: [][]byte{[]byte("end")}, End: &store.End{Kind: store.EndFinish}}
	if q.how == "suspend" {
		b.End = &store.End{Kind: store.EndSuspend, Suspension: json.RawMessage(`"` + h.exe + `"`), Interrupts: []string{"int"}}
	}
	c.do(q, func(ctx context.Context) (answer, error) {
		res, err := c.store.Commit(ctx, b)
		return answer{verdict: commitVerdicts[res.Status], seq: res.End.Seq, ready: res.Ready}, err
	})
}

var commitVerdicts = map[store.CommitStatus]string{
	store.CommitOK: "ok", store.CommitFenced: "fenced", store.CommitAhead: "ahead", store.CommitMismatch: "mismatch"}

// checkpoint moves the snapshot to where the log ended a moment ago.
func (c *linearClient) checkpoint() {
	v := c.read()
	if v == nil || v.Seq <= v.Snapshot.At {
		return
	}
	q := request{kind: "checkpoint", version: v.Version, from: v.Snapshot.At, expect: v.Seq}
	for range 1 + c.rand.IntN(2) {
		c.do(q, func(ctx context.Context) (answer, error) {
			moved, err := c.store.Checkpoint(ctx, store.Checkpoint{Thread: c.key, Version: v.Version, From: v.Snapshot.At,
				At: store.Position{Epoch: v.Epoch, Seq: v.Seq}, Snapshot: store.SnapshotUpdate{State: json.RawMessage("{}")}})
			return answer{verdict: map[bool]string{true: "moved", false: "no"}[moved]}, err
		})
	}
}

func (c *linearClient) renew() {
	h, ok := c.board.pick(c.rand)
	if !ok {
		return
	}
	q := request{kind: "renew", run: h.claim.RunID, token: h.claim.Token}
	if c.rand.IntN(2) == 0 {
		q.kind = "handback"
	}
	c.do(q, func(ctx context.Context) (answer, error) {
		if q.kind == "handback" {
			return answer{}, c.store.HandBack(ctx, h.claim)
		}
		held, err := c.store.Renew(ctx, h.claim)
		if held {
			return answer{verdict: "held"}, err
		}
		return answer{verdict: "lost"}, err
	})
}
