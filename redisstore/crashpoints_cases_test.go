package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// crashCases are all operations that write to streams.
var crashCases = []crashCase{
	{name: "begin", prepare: func(c *crash) (string, func(*Store) error) { return begins(ofAgent(inline(0, "r1"))) },
		notices: []string{"run.started r1"}},
	{name: "begin in the queue", prepare: func(c *crash) (string, func(*Store) error) { return begins(ofAgent(queued(0, "r1"))) },
		entries: []string{"a"}},
	{name: "activate", prepare: func(c *crash) (string, func(*Store) error) {
		c.waits("r1")
		a := c.activation(c.claimed())
		return "start:r1", func(s *Store) error { _, err := s.Activate(context.Background(), a); return err }
	}, notices: []string{"run.started r1"}},
	{name: "suspend", prepare: func(c *crash) (string, func(*Store) error) {
		return commits(c.ending(c.runs("r1"), store.EndSuspend))
	}, notices: []string{"run.ended r1", "interrupt.opened r1 int"}},
	{name: "end, and the next one waits", prepare: func(c *crash) (string, func(*Store) error) {
		claim := c.runs("r1")
		c.waits("r2")
		return commits(c.ending(claim, store.EndFinish))
	}, notices: []string{"run.ended r1"}, entries: []string{"a"}},
	{name: "end, and give the decision back", prepare: func(c *crash) (string, func(*Store) error) {
		b := c.ending(c.answered(), store.EndFail)
		b.End.GiveBack = true
		return commits(b)
	}, notices: []string{"run.ended r2", "interrupt.reopened r2 int"}},
	{name: "end, and give the decision back over a start", prepare: func(c *crash) (string, func(*Store) error) {
		claim := c.answered()
		at := c.ending(claim, store.EndFail)
		commit(c.T, c.s, store.Batch{Claim: claim, Number: at.Number, Expect: at.Expect, Entries: []json.RawMessage{json.RawMessage(`"start"`)}})
		at.Number++
		at.End.GiveBack, at.End.Over = true, 1
		return commits(at)
	}, notices: []string{"run.ended r2", "interrupt.reopened r2 int"}},
	{name: "decide", prepare: func(c *crash) (string, func(*Store) error) {
		c.asks()
		return begins(answering(c.version(), "r2", "xr1"))
	}, notices: []string{"interrupt.decided r2 int", "run.started r2"}, decisions: 1},
	{name: "expire", prepare: func(c *crash) (string, func(*Store) error) {
		c.asks()
		b := answering(c.version(), "r2", "xr1")
		b.Kind.(store.Resume).Decided[0].Status = store.DecisionExpired
		return begins(b)
	}, notices: []string{"interrupt.expired r2 int", "run.started r2"}, decisions: 1},
	{name: "steer", prepare: func(c *crash) (string, func(*Store) error) {
		c.asks()
		b := inline(c.version(), "r2")
		of := answering(0, "r2", "").Kind.(store.Resume)
		b.Kind = store.Steer{Claimed: of.Claimed, Answers: of.Answers, Decided: of.Decided, Fresh: store.Fresh{Frozen: json.RawMessage("{}")}}
		return begins(b)
	}, notices: []string{"interrupt.cancelled r2 int", "run.started r2"}, decisions: 1},
	{name: "draft", prepare: func(c *crash) (string, func(*Store) error) {
		c.asks()
		return `"drafted"`, func(s *Store) error {
			_, ok, err := s.Drafts(context.Background(), testKey, 0, "ann", map[string]json.RawMessage{"int": json.RawMessage(`"drafted"`)})
			if err == nil && !ok {
				err = errors.New("it is refused")
			}
			return err
		}
	}, notices: []string{"interrupt.drafted r1 int"}},
	{name: "cancel", prepare: func(c *crash) (string, func(*Store) error) {
		c.runs("r1")
		c.waits("r2")
		return "stopped:r1", func(s *Store) error {
			_, err := s.Stop(context.Background(), store.Stop{Thread: testKey, Request: "q", RunID: "r1", Terminal: []byte("stopped:r1")})
			return err
		}
	}, notices: []string{"run.ended r1"}, entries: []string{"a"}},
	{name: "cancel in the queue", prepare: func(c *crash) (string, func(*Store) error) {
		c.waits("r1")
		return "stopped:r1", func(s *Store) error {
			_, err := s.Stop(context.Background(), store.Stop{Thread: testKey, Request: "q", RunID: "r1", Terminal: []byte("stopped:r1")})
			return err
		}
	}, notices: []string{"run.ended r1"}},
	{name: "stop all", prepare: func(c *crash) (string, func(*Store) error) {
		c.runs("r1")
		c.waits("r2")
		return "stopped:r1", func(s *Store) error {
			_, err := s.StopAll(context.Background(), store.StopAll{Thread: testKey, Request: "q", Active: "r1", Terminal: []byte("stopped:r1")})
			return err
		}
	}, notices: []string{"run.ended r1", "run.ended r2"}},
	{name: "claim", prepare: func(c *crash) (string, func(*Store) error) {
		c.waits("r1")
		work := given(c.T, c.s, time.Hour, "a")
		return "token-crash", func(s *Store) error {
			res, err := s.Claim(context.Background(), store.ClaimRequest{Thread: testKey, Token: "token-crash", Entry: work[0].Entry})
			if err == nil && res.Claim.RunID != "r1" {
				err = fmt.Errorf("%+v", res)
			}
			return err
		}
	}},
	{name: "give back to be tried again", prepare: func(c *crash) (string, func(*Store) error) {
		return "stopped:r1", nacked(store.Nack{Claim: c.active("r1"), Terminal: []byte("stopped:r1")}, false)
	}, entries: []string{"a"}},
	{name: "hand back", prepare: func(c *crash) (string, func(*Store) error) {
		claim := c.active("r1")
		return testKey.Thread, func(s *Store) error { return s.HandBack(context.Background(), claim) }
	}, entries: []string{"a"}},
	{name: "dead dispatch", prepare: func(c *crash) (string, func(*Store) error) {
		claim := c.active("r1")
		c.waits("r2")
		return "stopped:r1", nacked(store.Nack{Claim: claim, Terminal: []byte("stopped:r1")}, true)
	}, notices: []string{"run.ended r1", "dispatch.dead r1"}, entries: []string{"a"}},
	{name: "dead dispatch, and give the decision back", prepare: func(c *crash) (string, func(*Store) error) {
		return "stopped:r2", nacked(store.Nack{Claim: c.answered(), Terminal: []byte("stopped:r2"), GiveBack: true}, true)
	}, notices: []string{"run.ended r2", "dispatch.dead r2", "interrupt.reopened r2 int"}},
	{name: "offer what has come to its deadline", prepare: func(c *crash) (string, func(*Store) error) {
		c.asks()
		c.now = c.now.Add(time.Hour)
		return c.s.conn.Keys.Thread(testKey).Member, func(s *Store) error {
			_, err := s.Work(context.Background(), store.WorkQuery{Agents: []string{"a"}, Limit: 9, Idle: time.Hour})
			return err
		}
	}, entries: []string{"a"}, swallowed: true},
	{name: "renew what was offered", prepare: func(c *crash) (string, func(*Store) error) {
		claim := c.runs("r1")
		c.now = c.now.Add(time.Hour)
		if work := given(c.T, c.s, time.Hour, "a"); len(work) != 1 {
			c.Fatal(work)
		}
		return claim.Token, func(s *Store) error {
			ok, err := s.Renew(context.Background(), claim)
			if err == nil && !ok {
				err = errors.New("it is lost")
			}
			return err
		}
	}},
	{name: "delete", prepare: func(c *crash) (string, func(*Store) error) {
		commit(c.T, c.s, c.ending(c.runs("r1"), store.EndFinish))
		return c.s.conn.Keys.Thread(testKey).Member, func(s *Store) error {
			ok, err := s.Delete(context.Background(), testKey, stage.Deleting(""))
			if err == nil && !ok {
				err = errors.New("it is refused")
			}
			return err
		}
	}, notices: []string{"thread.deleted"}},
	{name: "delete what asks", prepare: func(c *crash) (string, func(*Store) error) {
		c.asks()
		return `"asked":`, func(s *Store) error {
			ok, err := s.Delete(context.Background(), testKey, stage.Deleting(""))
			if err == nil && !ok {
				err = errors.New("it is refused")
			}
			return err
		}
	}, notices: []string{"interrupt.cancelled r1 int", "thread.deleted"}, decisions: 1},
	{name: "erase", prepare: func(c *crash) (string, func(*Store) error) {
		c.asks()
		c.now = c.now.Add(time.Hour)
		given(c.T, c.s, time.Hour, "a")
		return `"asked":`, func(s *Store) error { return s.Erase(context.Background(), testKey, stage.Deleting("")) }
	}, notices: []string{"interrupt.cancelled r1 int", "thread.deleted"}, decisions: 1},
	{name: "retire", prepare: func(c *crash) (string, func(*Store) error) {
		commit(c.T, c.s, c.ending(c.runs("r1"), store.EndFinish))
		c.now = c.now.Add(48 * time.Hour)
		return c.s.conn.Keys.Thread(testKey).Member, func(s *Store) error { _, err := s.Retire(context.Background()); return err }
	}, notices: []string{"thread.deleted"}, swallowed: true},
	{name: "owe a notice to a target", prepare: func(c *crash) (string, func(*Store) error) {
		take := store.WebhookTake{Target: crashHook, FromStart: true, Kinds: []store.NoticeKind{store.NoticeThreadGone}, Limit: 9, Hold: time.Minute}
		c.forgets()
		return groupOf(crashHook), func(s *Store) error { _, err := s.TakeWebhooks(context.Background(), take); return err }
	}, hooks: "1 wait, 0 dead"},
	{name: "a webhook was sent", prepare: func(c *crash) (string, func(*Store) error) {
		w := c.owes()
		return w.Hold, c.settled(w, store.WebhookSent)
	}},
	{name: "a webhook is dead", prepare: func(c *crash) (string, func(*Store) error) {
		w := c.owes()
		return w.Hold, c.settled(w, store.WebhookDead)
	}, hooks: "0 wait, 1 dead"},
	{name: "send a dead webhook again", prepare: func(c *crash) (string, func(*Store) error) {
		w := c.owes()
		if err := c.settled(w, store.WebhookDead)(c.s); err != nil {
			c.Fatal(err)
		}
		return "evalsha", func(s *Store) error {
			ok, err := s.ResendWebhook(context.Background(), crashHook, "", w.Notice.ID)
			if err == nil && !ok {
				err = errors.New("it is refused")
			}
			return err
		}
	}, hooks: "1 wait, 0 dead"},
}
