package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

func newMove(name string, args any, send func(store.Store) (any, error), want func(node string) (any, bool)) move {
	return move{name: name, args: args, send: send, want: want}
}

func (p *player) beginMove(g *game, b store.Begin) move {
	return newMove("begin", b, func(s store.Store) (any, error) { return s.Begin(p.ctx(), b) },
		func(node string) (any, bool) {
			res, refused := g.begins(b, node)
			p.hold(g)
			return res, refused
		})
}

// hold remembers the claim that is held, to be used when it is not any more.
func (p *player) hold(g *game) {
	if g.active == nil || g.active.token == "" {
		return
	}
	if c := g.claimOf(g.active); !slices.Contains(g.claims, c) {
		g.claims = append(g.claims, c)
		if len(g.claims) > 8 {
			g.claims = g.claims[1:]
		}
	}
}

func (p *player) claimMove(g *game, c store.ClaimRequest) move {
	m := newMove("claim", c, func(s store.Store) (any, error) { return s.Claim(p.ctx(), c) },
		func(node string) (any, bool) {
			res := g.model.claims(c, node)
			p.hold(g)
			return res, false
		})
	m.same = func() bool { return g.active != nil && g.active.token == c.Token }
	return m
}

func (p *player) activateMove(g *game, c store.Claim) move {
	a := store.Activation{Claim: c, Events: p.opening(c.RunID), Execution: "x" + c.RunID, Frozen: stage.Raw(`{"of":"` + c.RunID + `"}`), Agent: "agent", User: pick(p, "", "ann", "bob")}
	return newMove("activate", a, func(s store.Store) (any, error) { return s.Activate(p.ctx(), a) },
		func(string) (any, bool) { return g.activates(a), false })
}

func (p *player) commitMove(g *game, b store.Batch) move {
	name := "commit"
	switch {
	case b.End != nil:
		name = string(b.End.Kind)
	case b.Bookkeeping:
		name = "note"
	}
	stored := b.Number >= staleNumber
	m := newMove(name, b, func(s store.Store) (any, error) { return s.Commit(p.ctx(), b) },
		func(string) (any, bool) {
			res := g.commits(b)
			stored = stored || res.Status == store.CommitOK
			return res, false
		})
	// The number of a batch that was refused is another's.
	m.same = func() bool { return stored }
	return m
}

func (p *player) endMove(g *game, kind store.EndKind) move {
	return p.commitMove(g, p.endBatch(g, g.claimOf(g.active), kind))
}

func (p *player) nackMove(g *game, bury bool) move {
	c := p.claim(g)
	n := store.Nack{Claim: c, Error: pick(p, "", "boom", "worse"), Terminal: event("T", c.RunID), GiveBack: p.one(2)}
	if p.one(2) {
		n.Wait = pick(p, -time.Second, 0, time.Millisecond, time.Second, time.Minute)
	}
	if bury {
		return newMove("bury", n, func(s store.Store) (any, error) { return s.Bury(p.ctx(), n) },
			func(string) (any, bool) { return g.nacked(n, true), false })
	}
	return newMove("nack", n, func(s store.Store) (any, error) { return s.Nack(p.ctx(), n) },
		func(string) (any, bool) { return g.nacked(n, false), false })
}

func (p *player) leaseMove(g *game) move {
	c := p.claim(g)
	if p.one(2) {
		return newMove("renew", c, func(s store.Store) (any, error) { return s.Renew(p.ctx(), c) },
			func(string) (any, bool) { return g.renews(c), false })
	}
	return newMove("hand back", c, func(s store.Store) (any, error) { return nil, s.HandBack(p.ctx(), c) },
		func(string) (any, bool) { g.handsBack(c); return nil, false })
}

func (p *player) stopMove(g *game) move {
	st := store.Stop{Thread: g.key, Request: fmt.Sprint("q", p.next()), QueuedOnly: p.one(3), Reason: pick(p, "", "no need"), By: pick(p, "", "operator")}
	id := p.runID(g)
	if p.one(2) {
		st.RunID = id
	} else {
		st.Label = pick(p, "l1", "l2", "l3", "none")
		// The model ends the run that is active, if any of that label is.
		if g.active != nil {
			id = g.active.ID
		}
	}
	st.Terminal = event("T", id)
	m := newMove("stop", st, func(s store.Store) (any, error) { return s.Stop(p.ctx(), st) },
		func(string) (any, bool) { return g.stopped(st), false })
	m.same = func() bool { return slices.ContainsFunc(g.begun, func(r *run) bool { return r.request == st.Request }) }
	return m
}

func (p *player) stopAllMove(g *game) move {
	i := store.StopAll{Thread: g.key, Request: fmt.Sprint("i", p.next()), Reason: pick(p, "", "away with it"), By: pick(p, "", "operator"), Instead: pick(p, "", "next")}
	if g.active != nil {
		i.Active = g.active.ID
	}
	if p.one(8) {
		i.Active = p.runID(g)
	}
	i.Terminal = event("T", i.Active)
	return newMove("stop all", i, func(s store.Store) (any, error) { return s.StopAll(p.ctx(), i) },
		func(string) (any, bool) { return g.stopAll(i), false })
}

func (p *player) checkpointMove(g *game) move {
	c := store.Checkpoint{Thread: g.key, Version: g.version, From: g.snapshot.at, At: g.end(), Snapshot: *p.snapshot(g)}
	c.Snapshot.Frozen = nil // no execution goes on from it
	switch p.r.IntN(12) {
	case 0:
		c.Version += pick[int64](p, -1, 1)
	case 1:
		c.From--
	case 2:
		c.At.Seq++
	case 3:
		c.At.Epoch += "x"
	}
	if c.At.Seq <= c.From || c.At.Epoch == "" {
		return p.stopMove(g)
	}
	return newMove("checkpoint", c, func(s store.Store) (any, error) { return s.Checkpoint(p.ctx(), c) },
		func(string) (any, bool) { return g.checkpoint(c), false })
}

func (p *player) pauseMove(g *game) move {
	switch p.r.IntN(4) {
	case 0:
		request := fmt.Sprint("u", p.next())
		return newMove("unpause", request, func(s store.Store) (any, error) { return s.Unpause(p.ctx(), g.key, request) },
			func(string) (any, bool) { return g.unpauses(request), false })
	case 1:
		c := p.claim(g)
		return newMove("take pause", c, func(s store.Store) (any, error) {
			wish, err := s.TakePause(p.ctx(), c)
			return wish != nil && string(wish.Note) == `"why"`, err
		},
			func(string) (any, bool) { return g.takesPause(c), false })
	}
	return newMove("pause", nil, func(s store.Store) (any, error) { return s.Pause(p.ctx(), g.key, store.Wish{Note: stage.Raw(`"why"`)}) },
		func(string) (any, bool) { return g.pauses(), false })
}

func (p *player) postponeMove(g *game) move {
	id := "none"
	if g.open != nil && !p.one(8) {
		id = pick(p, g.open.ids...)
	}
	until := g.now.Add(pick(p, 0, time.Second, time.Minute))
	return newMove("postpone", []any{id, until}, func(s store.Store) (any, error) { return s.Postpone(p.ctx(), g.key, id, until) },
		func(string) (any, bool) { return g.postpones(id, until), false })
}

func (p *player) draftMove(g *game) move {
	if g.open != nil && p.one(3) {
		return p.postponeMove(g)
	}
	version := pick(p, 0, g.version, g.version, g.version-1)
	drafts := map[string]json.RawMessage{}
	ids := []string{"none"}
	if g.open != nil {
		ids = g.open.ids
	}
	for range 1 + p.r.IntN(2) {
		drafts[pick(p, ids...)] = pick(p, stage.Raw(fmt.Sprint(p.next())), stage.Raw(fmt.Sprint(p.next())), nil)
	}
	if p.one(10) {
		drafts["none"] = stage.Raw("1")
	}
	by := pick(p, "", "ann", "bob")
	type answer struct {
		All map[string]json.RawMessage
		OK  bool
	}
	return newMove("draft", []any{version, by, drafts}, func(s store.Store) (any, error) {
		all, ok, err := s.Drafts(p.ctx(), g.key, version, by, drafts)
		return answer{all, ok}, err
	}, func(string) (any, bool) {
		all, ok := g.draft(version, by, drafts)
		return answer{all, ok}, false
	})
}

func (p *player) refusedMove(g *game) move {
	ids := []string{"none"}
	if g.open != nil {
		ids = append(ids, g.open.ids...)
	}
	ids = ids[p.r.IntN(len(ids)):]
	return newMove("refused", ids, func(s store.Store) (any, error) { return nil, s.Refused(p.ctx(), g.key, ids) },
		func(string) (any, bool) { g.refuses(ids); return nil, false })
}

func (p *player) titleMove(g *game) move {
	title := fmt.Sprint("title ", p.next())
	return newMove("title", title, func(s store.Store) (any, error) { return s.SetTitle(p.ctx(), g.key, title) },
		func(string) (any, bool) {
			if g.used {
				g.title, g.named = title, true
			}
			return g.used, false
		})
}

func (p *player) journalMove(g *game) move {
	c := p.claim(g)
	lost := false
	return newMove("journal", c, func(s store.Store) (any, error) {
		x, err := s.Journal(p.ctx(), c)
		if lost = errors.Is(err, store.ErrClaimLost); lost || err == nil && x.RunStarted == 0 {
			return nil, nil // what a run finds that has not started is nobody's affair
		}
		return x, err
	}, func(string) (any, bool) {
		r := g.held(c)
		switch {
		case (r == nil) != lost:
			return "the claim is held: " + fmt.Sprint(r != nil), false
		case r == nil || r.runStarted == 0:
			return nil, false
		}
		return g.journal(r), false
	})
}
