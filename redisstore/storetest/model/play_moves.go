package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

func pick[T any](p *player, from ...T) T { return from[p.r.IntN(len(from))] }

// one in n.
func (p *player) one(n int) bool { return p.r.IntN(n) == 0 }

// choose makes a call that the thread's state suggests, or one that it does not.
func (p *player) choose(g *game) move {
	switch n := p.r.IntN(100); {
	case n < 22:
		return p.beginMove(g, p.begin(g))
	case n < 38:
		c := store.ClaimRequest{Thread: g.key, Token: fmt.Sprint("t", p.next())}
		if p.one(4) {
			c.RunID = p.runID(g)
		}
		if p.one(2) {
			c.Agents = pick(p, []string{"agent"}, []string{"other", ""})
		}
		if p.one(2) {
			c.Entry = g.entry
		}
		return p.claimMove(g, c)
	case n < 66:
		return p.work(g)
	case n < 71:
		return p.nackMove(g, p.one(3))
	case n < 74:
		return p.leaseMove(g)
	case n < 79:
		return p.stopMove(g)
	case n < 81:
		return p.checkpointMove(g)
	case n < 83:
		return p.stopAllMove(g)
	case n < 86:
		return p.pauseMove(g)
	case n < 89:
		return p.draftMove(g)
	case n < 90:
		return p.refusedMove(g)
	case n < 93:
		return p.journalMove(g)
	case n < 94:
		return p.titleMove(g)
	}
	d := pick(p, time.Millisecond, time.Second, time.Second, 5*time.Second, p.e.Lease, p.e.Lease+time.Millisecond, time.Minute)
	return newMove("clock", d, func(store.Store) (any, error) { p.clock.Move(d); return nil, nil },
		func(string) (any, bool) { g.now = p.clock.Read(); return nil, false })
}

// runID is mostly that of a run of the thread, and mostly of a late one.
func (p *player) runID(g *game) string {
	if len(g.begun) == 0 || p.one(10) {
		return "none"
	}
	if len(g.queued) > 0 && p.one(2) {
		return g.queued[p.r.IntN(len(g.queued))].ID
	}
	return g.begun[max(0, len(g.begun)-1-p.r.IntN(8))].ID
}

func (p *player) begin(g *game) store.Begin {
	id := fmt.Sprint("r", p.next())
	b := store.Begin{Thread: g.key, Version: g.version, RunID: id, Label: pick(p, "l1", "l2", "l3"), Execution: "x" + id,
		Record: stage.Raw(`{"run":"` + id + `"}`), Tenant: pick(p, "acme", "other"), User: pick(p, "", "ann", "bob"), Title: pick(p, "", "", "a title", "another")}
	if p.one(15) {
		b.Version--
	}
	if p.one(4) {
		b.Dedupe = pick(p, "k1", "k2")
	}
	if p.one(2) {
		b.Headers = stage.HeadersNamed(id)
	}
	b.MaxAttempts = pick(p, 0, 1, 2)
	b.Priority = pick(p, nil, nil, new(uint8(0)), new(uint8(1)), new(uint8(127)), new(uint8(128)), new(uint8(255)))
	if p.one(10) {
		b.Deadline = g.now.Add(pick(p, 0, -time.Millisecond, time.Second)).UnixMilli()
	}
	letter := p.letter(g)
	switch {
	case (g.active != nil || p.one(3)) && !p.one(20):
		k := store.Enqueue{Agent: pick(p, stage.Agents...), Input: stage.Raw(`{"input":"` + id + `"}`), Cancelled: [2][]byte{event("S", id), event("T", id)}}
		if p.one(5) {
			k.Available = g.now.Add(pick(p, time.Millisecond, time.Second, time.Minute))
		}
		b.Kind = k
		return b
	case g.open != nil && !p.one(20):
		b = p.steering(g, id)
		if p.one(3) {
			return b
		}
		steer := b.Kind.(store.Steer)
		b.Kind = store.Resume{Claimed: steer.Claimed, Answers: steer.Answers, Decided: steer.Decided, Decisions: stage.Raw(`"answer-` + id + `"`)}
		b.Execution = g.exe.id
		if p.one(2) {
			k := b.Kind.(store.Resume)
			k.Waits = g.waits()
			b.Kind = k
		}
		if p.one(15) {
			b.Execution = "other"
		}
		return b
	case letter != "" && p.one(2):
		if p.one(3) {
			break
		}
		b.Kind = store.Requeue{Claimed: p.atOnce(id), Letter: letter}
		if r := g.runs[letter]; r != nil {
			b.Execution = r.exe
		}
		return b
	case p.one(20):
		b.Kind = store.Steer{Claimed: p.atOnce(id), Fresh: stage.Fresh(id), Answers: map[string]json.RawMessage{"none": stage.Raw("1")},
			Decided: []store.Decided{{Interrupt: "none", Status: store.DecisionResolved}}}
		return b
	default:
		letter = ""
	}
	k := store.Execute{Claimed: p.atOnce(id), Fresh: stage.Fresh(id), Letter: letter}
	k.Agent = pick(p, stage.Agents...)
	if p.one(10) {
		k.Archive = p.archive(g)
		if !p.one(4) {
			k.Branch = &store.Branch{About: stage.Raw(`{"of":"` + id + `"}`), Messages: stage.Raw(`["` + id + `"]`)}
		}
	}
	if len(g.branches) > 0 && p.one(10) {
		k.Restores = pick(p, g.branches...).ID
	}
	b.Kind = k
	return b
}

// steering answers what is open and begins anew.
func (p *player) steering(g *game, id string) store.Begin {
	b := store.Begin{Thread: g.key, Version: g.version, RunID: id, Label: pick(p, "l1", "l2", "l3"), Execution: "x" + id,
		Record: stage.Raw(`{"run":"` + id + `"}`), User: pick(p, "", "ann", "bob")}
	answers := map[string]json.RawMessage{}
	var decided []store.Decided
	for _, interrupt := range g.open.ids {
		answers[interrupt] = stage.Raw(`{"by":"` + id + `"}`)
		decided = append(decided, store.Decided{Interrupt: interrupt, Status: pick(p, store.DecisionResolved, store.DecisionCancelled, store.DecisionExpired),
			User: pick(p, "", "ann", "bob"), Tool: pick(p, "", "pay"), Body: stage.Raw(`{"of":"` + id + `"}`)})
	}
	b.Kind = store.Steer{Claimed: p.atOnce(id), Fresh: stage.Fresh(id), Answers: answers, Decided: decided}
	return b
}

func (p *player) atOnce(id string) store.Claimed {
	return store.Claimed{Token: "b" + id, Events: p.opening(id)}
}

// opening is the same whenever the run is begun: a call sent again is the same call.
func (p *player) opening(id string) [][]byte {
	if id[len(id)-1]%3 == 0 {
		return [][]byte{event("S", id), event("e", id, "begin")}
	}
	return [][]byte{event("S", id)}
}

// event is one that witness understands: S opens a run, T ends it, e is any other.
func event(kind string, words ...string) []byte {
	return []byte(strconv.Quote(kind + ":" + strings.Join(words, ":")))
}

// letter is a dead letter, mostly one that was not requeued.
func (p *player) letter(g *game) string {
	for _, r := range slices.Backward(g.ended) {
		if r.State == store.DispatchDeadLetter && (r.ContinuedAs == "" || p.one(8)) {
			return r.ID
		}
	}
	if p.one(30) {
		return p.runID(g)
	}
	return ""
}

// claim is the held one, or with a fault, or one of before.
func (p *player) claim(g *game) store.Claim {
	c := store.Claim{Thread: g.key, RunID: "none", Token: "none"}
	if g.active != nil && g.active.token != "" {
		c = g.claimOf(g.active)
	}
	if n := len(g.claims); n > 0 && p.one(10) {
		c = g.claims[p.r.IntN(n)]
	}
	switch p.r.IntN(60) {
	case 0:
		c.Token = "other"
	case 1:
		c.Token = ""
	case 2:
		c.RunID = p.runID(g)
	case 3:
		c.DispatchEpoch++
	case 4:
		c.DispatchEpoch--
	}
	return c
}

// work goes on with the active run.
func (p *player) work(g *game) move {
	c := p.claim(g)
	switch {
	case g.active == nil && !p.one(10):
		return p.claimMove(g, store.ClaimRequest{Thread: g.key, Token: fmt.Sprint("t", p.next())})
	case g.active != nil && g.active.runStarted == 0, p.one(20):
		return p.activateMove(g, c)
	case p.one(3):
		kind := pick(p, store.EndFinish, store.EndFail, store.EndCancel, store.EndSuspend, store.EndSuspend, store.EndSuspend)
		m := p.endBatch(g, c, kind)
		return p.commitMove(g, p.faulty(m))
	}
	b := p.batch(g, c)
	if p.one(4) {
		n := p.next()
		b.Entries, b.Checkpoint = nil, &store.RunCheckpoint{Snapshot: *p.snapshot(g), Undo: stage.Raw(fmt.Sprintf(`{"undoes":%d}`, n))}
		b.Checkpoint.Snapshot.Open = stage.Raw(fmt.Sprintf(`["open",%d]`, n))
		return p.commitMove(g, p.faulty(b))
	}
	for range p.r.IntN(3) {
		b.Events = append(b.Events, event("e", c.RunID, fmt.Sprint(p.next())))
	}
	switch p.r.IntN(4) {
	case 0:
		b.Closing = stage.Raw(`["e:` + c.RunID + `:close", "e:` + c.RunID + `:\u00e9"]`)
	case 1:
		b.Closing = stage.Raw(`[]`)
	}
	b.Bookkeeping = p.one(3)
	return p.commitMove(g, p.faulty(b))
}

// staleNumber and what is above it numbers the batches of claims that are lost.
const staleNumber = 1000

// batch is the claim's next one, without events.
func (p *player) batch(g *game, c store.Claim) store.Batch {
	// A number names one batch of a claim for good, so none of a claim that was
	// given up is used again.
	b := store.Batch{Claim: c, Number: staleNumber + int64(p.next()), Expect: int64(len(g.log))}
	if r := g.held(c); r != nil {
		b.Number = r.number + 1
	}
	for range max(0, p.r.IntN(4)-2) {
		b.Entries = append(b.Entries, stage.Raw(fmt.Sprint(p.next())))
	}
	return b
}

func (p *player) endBatch(g *game, c store.Claim, kind store.EndKind) store.Batch {
	b := p.batch(g, c)
	if p.one(2) {
		b.Events = append(b.Events, event("e", c.RunID, fmt.Sprint(p.next())))
	}
	b.Events = append(b.Events, event("T", c.RunID))
	b.End = &store.End{Kind: kind, Summary: pick(p, nil, stage.Raw(fmt.Sprintf(`{"steps":[{"name":"s","n":%d}]}`, p.next())))}
	switch kind {
	case store.EndSuspend:
		n := p.next()
		b.End.Suspension = stage.Raw(fmt.Sprintf(`{"asks":%d}`, n))
		b.End.Interrupts, b.End.ToolCalls = []string{fmt.Sprint("i", n)}, []string{fmt.Sprint("c", n)}
		if p.one(2) {
			b.End.Interrupts = append(b.End.Interrupts, fmt.Sprint("j", n))
		}
		b.End.Reasons = pick(p, nil, []string{"tool_call"}, []string{"tool_call", "input_required"})
		b.End.Quiet = p.one(4)
		b.End.Summaries = pick(p, nil, []store.InterruptSummary{{ID: b.End.Interrupts[0], Message: fmt.Sprint("m", n), Redacted: true}})
		if p.one(2) {
			b.End.Deadline = g.now.Add(pick(p, time.Second, time.Minute)).UnixMilli()
		}
	case store.EndFail:
		b.End.GiveBack = p.one(2)
		n := g.behindDecisions()
		b.End.Over = pick(p, 0, n, n, n+1, max(n-1, 0))
	}
	if p.one(2) {
		b.End.Snapshot = p.snapshot(g)
	}
	return b
}

// faulty puts a batch out of turn, now and then.
func (p *player) faulty(b store.Batch) store.Batch {
	switch p.r.IntN(50) {
	case 0:
		if b.Number > 2 {
			b.Number -= 2 // one less is the last batch
		}
	case 1:
		b.Number++
	case 2:
		b.Expect++
	case 3:
		b.Expect = max(0, b.Expect-1)
	}
	return b
}
