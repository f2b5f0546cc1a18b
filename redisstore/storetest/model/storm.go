package model

import (
	crand "crypto/rand"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// storm is one thread under fire, and what its callers were told.
type storm struct {
	th    *stage.Thread
	nodes []store.Store
	clock *stage.Clock

	mu       sync.Mutex
	accepted map[string]bool
	logged   map[int64]string // acknowledged events by position
	claims   []*held
	runs     []string
}

// held is a claim as its worker knows it; the worker may be wrong.
type held struct {
	claim       store.Claim
	number      int64
	expect      int64
	unactivated bool // claimed, not activated
	last        *store.Batch
}

func (st *storm) step(r *rand.Rand, id string) {
	s := st.nodes[r.IntN(len(st.nodes))]
	switch n := r.IntN(100); {
	case n < 28:
		st.begin(r, s, id)
	case n < 68:
		st.write(r, s)
	case n < 80:
		st.take(r, s, id)
	case n < 85:
		st.stop(r, s)
	case n < 87:
		st.stopAll(s, id)
	case n < 92:
		st.giveUp(r, s)
	case n < 95:
		st.look(r, s)
	case n < 98:
		st.clock.Move(st.th.Lease + time.Millisecond)
	default:
		if h := st.pick(r); h != nil {
			_ = s.HandBack(st.th.Context(), h.claim)
		}
	}
}

func (st *storm) begin(r *rand.Rand, s store.Store, id string) {
	th := st.th.From(s)
	v := th.View()
	b := store.Begin{Thread: th.Key, Version: v.Version, RunID: id, Label: id, Execution: "x" + id, Record: stage.Raws("{}")[0]}
	switch {
	case v.Active != nil || v.Suspension == nil && r.IntN(2) == 0:
		wait := store.Enqueue{Input: stage.Raws("{}")[0], Cancelled: [2][]byte{[]byte("S:" + id), []byte("T:" + id)}}
		b.Priority, b.MaxAttempts = []*uint8{nil, new(uint8(0)), new(uint8(255))}[r.IntN(3)], r.IntN(3)
		if r.IntN(4) == 0 {
			b.Dedupe = "key"
		}
		if r.IntN(4) == 0 {
			wait.Available = v.Now.Add(time.Second)
		}
		b.Kind = wait
	default:
		once := store.Claimed{Token: "begin-" + id, Events: stage.Events("S:" + id)}
		answers := map[string]json.RawMessage{"int": stage.Raws("1")[0]}
		switch {
		case v.Suspension == nil:
			b.Kind = store.Execute{Claimed: once, Fresh: stage.Fresh(id), Letter: st.letter(s)}
		case r.IntN(3) > 0:
			b.Execution = string(v.Suspension[1 : len(v.Suspension)-1])
			b.Kind = store.Resume{Claimed: once, Answers: answers, Decided: stage.Decided(answers), Decisions: stage.Raws("1")[0]}
		default:
			b.Kind = store.Steer{Claimed: once, Fresh: stage.Fresh(id), Answers: answers, Decided: stage.Decided(answers)}
		}
	}
	for range 1 + r.IntN(2) { // a second time as after a lost reply
		res, err := s.Begin(th.Context(), b)
		if err != nil {
			th.Error(err)
		}
		if err != nil || res.Status != store.BeginAccepted {
			return
		}
		st.mu.Lock()
		if !st.accepted[id] {
			st.accepted[id] = true
			st.runs = append(st.runs, id)
			if b.Claimed() != nil {
				st.logged[res.Position.Seq+1] = "S:" + id
			}
		}
		if res.Claim.Token != "" {
			st.claims = append(st.claims, &held{claim: res.Claim, number: 1, expect: res.Position.Seq + 1})
		}
		st.mu.Unlock()
	}
}

func (st *storm) pick(r *rand.Rand) *held {
	st.mu.Lock()
	defer st.mu.Unlock()
	if len(st.claims) == 0 {
		return nil
	}
	i := len(st.claims) - 1 - min(int(r.ExpFloat64()*1.5), len(st.claims)-1) // mostly the latest
	h := *st.claims[i]
	return &h
}

func (st *storm) keep(h *held) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.claims = append(st.claims, h)
}

func (st *storm) write(r *rand.Rand, s store.Store) {
	h := st.pick(r)
	if h == nil {
		return
	}
	ctx, id := st.th.Context(), h.claim.RunID
	if h.unactivated {
		a := stage.Activation(h.claim)
		a.Events = stage.Events("S:" + id)
		if res, err := s.Activate(ctx, a); err != nil {
			st.th.Error(err)
		} else if res.Status == store.CommitOK {
			st.note(res.End.Seq, "S:"+id)
			st.keep(&held{claim: h.claim, number: 1, expect: res.End.Seq})
		}
		return
	}
	// A number names one content: two callers may send the same claim's next batch.
	b := stage.Batch(h.claim, h.number+1, h.expect, fmt.Sprintf("e:%[1]s:%[2]s:%[3]d e:%[1]s:%[3]d", id, h.claim.Token, h.number))
	b.Closing = json.RawMessage(`["e:` + id + `:close"]`)
	if h.last != nil && r.IntN(5) == 0 {
		b = *h.last
	} else if r.IntN(6) == 0 {
		kinds := []store.EndKind{store.EndFinish, store.EndFail, store.EndCancel, store.EndSuspend, store.EndSuspend}
		b = stage.Ending(h.claim, h.number+1, h.expect, "T:"+id, kinds[r.IntN(len(kinds))])
		if b.End.Kind == store.EndSuspend {
			x, err := s.Journal(ctx, h.claim)
			if err != nil {
				return // fenced meanwhile
			}
			b.End.Suspension = json.RawMessage(`"` + x.ID + `"`)
		}
		b.End.GiveBack = b.End.Kind == store.EndFail
	}
	res, err := s.Commit(ctx, b)
	if err != nil {
		st.th.Error(err)
		return
	}
	if res.Status != store.CommitOK {
		return
	}
	for i, e := range b.Events {
		st.note(b.Expect+int64(i)+1, string(e))
	}
	st.keep(&held{claim: h.claim, number: b.Number, expect: res.End.Seq, last: &b})
}

// note holds the store to what it acknowledged.
func (st *storm) note(at int64, event string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if was, ok := st.logged[at]; ok && was != event {
		st.th.Errorf("position %d was acknowledged for %s and for %s", at, was, event)
	}
	st.logged[at] = event
}

func (st *storm) take(r *rand.Rand, s store.Store, id string) {
	th := st.th.From(s)
	c := store.ClaimRequest{Thread: th.Key, Token: "claim-" + id}
	if r.IntN(4) == 0 {
		c.RunID = st.run(r)
	}
	res, err := s.Claim(th.Context(), c)
	if err != nil {
		th.Error(err)
		return
	}
	if res.Kind != store.ClaimNothing {
		st.keep(&held{claim: res.Claim, expect: th.View().Seq, unactivated: res.Kind == store.ClaimQueued})
	}
}

// run is one of the latest.
func (st *storm) run(r *rand.Rand) string {
	st.mu.Lock()
	defer st.mu.Unlock()
	if n := len(st.runs); n > 0 {
		return st.runs[max(0, n-1-r.IntN(8))]
	}
	return ""
}

// letter is a dead letter that can be gone on with.
func (st *storm) letter(s store.Store) string {
	list, err := s.Dispatches(st.th.Context(), st.th.Key, store.DispatchQuery{States: []store.DispatchState{store.DispatchDeadLetter}, Limit: 5})
	if err != nil {
		st.th.Error(err)
	}
	for _, d := range list {
		if d.ContinuedAs == "" {
			return d.ID
		}
	}
	return ""
}

// giveUp gives a claim back, or buries its dispatch.
func (st *storm) giveUp(r *rand.Rand, s store.Store) {
	h := st.pick(r)
	if h == nil {
		return
	}
	n := store.Nack{Claim: h.claim, Error: "boom", Terminal: []byte("T:" + h.claim.RunID), GiveBack: r.IntN(2) == 0}
	if r.IntN(2) == 0 {
		n.Wait = time.Second
	}
	call := s.Nack
	if r.IntN(2) == 0 {
		call = s.Bury
	}
	if _, err := call(st.th.Context(), n); err != nil {
		st.th.Error(err)
	}
}

// stopAll stops all of the thread as it was seen a moment before.
func (st *storm) stopAll(s store.Store, id string) {
	th := st.th.From(s)
	i := store.StopAll{Thread: th.Key, Request: id}
	if v := th.View(); v.Active != nil {
		i.Active = v.Active.ID
		i.Terminal = []byte("T:" + i.Active)
	}
	for range 2 { // a second time as after a lost reply
		if _, err := s.StopAll(th.Context(), i); err != nil {
			th.Error(err)
		}
	}
}

// look holds what is listed at this moment to the shape of its state, and wishes
// now and then for a pause.
func (st *storm) look(r *rand.Rand, s store.Store) {
	var err error
	switch h := st.pick(r); r.IntN(3) {
	case 0:
		_, err = s.Pause(st.th.Context(), st.th.Key, store.Wish{})
	case 1:
		_, err = s.Unpause(st.th.Context(), st.th.Key, crand.Text())
	default:
		if h != nil {
			_, err = s.TakePause(st.th.Context(), h.claim)
		}
	}
	if err != nil {
		st.th.Error(err)
	}
	claimed := 0
	for _, d := range st.th.From(s).Dispatches(store.DispatchQuery{Limit: 1000}) {
		if d.State == store.DispatchClaimed {
			claimed++
		}
	}
	if claimed > 1 {
		st.th.Errorf("%d claims on one thread", claimed)
	}
}

func (st *storm) stop(r *rand.Rand, s store.Store) {
	label := st.run(r)
	if _, err := s.Stop(st.th.Context(), store.Stop{Thread: st.th.Key, Request: crand.Text(), Label: label, Terminal: []byte("T:" + label)}); err != nil {
		st.th.Error(err)
	}
}

// finishAll brings every run to its end, as sweepers and humans would.
func (st *storm) finishAll() {
	th := st.th
	for i := 0; ; i++ {
		st.clock.Move(th.Lease + time.Millisecond)
		v := th.View()
		if v.Suspension != nil {
			b := th.Resume(fmt.Sprint("last", i), string(v.Suspension[1:len(v.Suspension)-1]))
			th.Begun(stage.With(b, func(k *store.Resume) { k.Events = stage.Events("S:" + b.RunID) }))
			st.accepted[b.RunID] = true
			st.clock.Move(th.Lease + time.Millisecond)
		}
		res := th.Claim(fmt.Sprint("last-", i))
		if res.Kind == store.ClaimNothing {
			if v := th.View(); v.Suspension == nil && v.Active == nil && len(v.Queue) == 0 {
				return
			}
			continue
		}
		number, id := int64(1), res.Claim.RunID
		if res.Kind == store.ClaimQueued {
			a := stage.Activation(res.Claim)
			a.Events = stage.Events("S:" + id)
			done, err := th.Store.Activate(th.Context(), a)
			stage.Must(th, done, err)
			number++
		}
		th.OK(stage.Ending(res.Claim, number, th.View().Seq, "T:"+id, store.EndFinish))
	}
}

func (st *storm) check(ears []*stage.Heard) {
	th := st.th
	v := th.View()
	for _, d := range th.Dispatches(store.DispatchQuery{Limit: 10_000}) {
		if !d.State.Terminal() {
			th.Errorf("dispatch %s is %s", d.ID, d.State)
		}
	}
	r, err := th.Store.Range(th.Context(), th.Key, v.Epoch, 1, int(v.Seq)+1)
	log := stage.Must(th, r, err).Events
	stage.Same(th, "length of the log", int64(len(log)), v.Seq)
	open, ends := "", map[string]int{}
	for i, e := range log {
		kind, rest, _ := strings.Cut(string(e), ":")
		kind = strings.TrimPrefix(kind, `"`)
		id, _, _ := strings.Cut(rest, ":")
		switch {
		case kind == "S" && open == "":
			open = id
		case kind == "e" && open == id:
		case kind == "T" && open == id:
			open, ends[id] = "", ends[id]+1
		default:
			th.Fatalf("position %d: %s while %q is open", i+1, e, open)
		}
	}
	for id := range st.accepted {
		if ends[id] != 1 {
			th.Errorf("run %s has %d ends", id, ends[id])
		}
	}
	stage.Same(th, "runs", len(ends), len(st.accepted))
	for at, event := range st.logged {
		if at > int64(len(log)) || string(log[at-1]) != event {
			th.Errorf("position %d was acknowledged for %s", at, event)
		}
	}
	for _, h := range ears {
		h.Mu.Lock()
		for _, d := range h.All {
			for i, e := range d.Events {
				if at := d.First + int64(i); d.Kind == store.DeliverEvents && d.Thread == th.Key && (at > int64(len(log)) || string(log[at-1]) != string(e)) {
					th.Errorf("position %d was delivered as %s", at, e)
				}
			}
		}
		h.Mu.Unlock()
	}
}
