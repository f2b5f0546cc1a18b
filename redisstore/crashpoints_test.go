package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// crash is a thread seen through a link that is sound, s, and through one that breaks.
type crash struct {
	*testing.T
	s, far *Store
	server *redistest.Server
	now    time.Time
}

// crashCase is an operation that writes to streams.
type crashCase struct {
	name string
	// prepare brings the thread to where the operation is possible, and returns what only its
	// command contains, and how to send it.
	prepare func(c *crash) (marker string, send func(s *Store) error)
	// What it leaves behind, once, whatever broke: notices, entries by their agents, how many
	// decisions more or fewer, what waits for a target of webhooks and what is dead.
	notices, entries []string
	decisions        int
	hooks            string
	// swallowed says that the call does not tell of what was lost.
	swallowed bool
}

const crashHook = "crm"

// crashState is what there is of a thread in streams, and how much was decided.
type crashState struct {
	Notices, Entries []string
	Decisions        int
	Hooks            string
}

func (c *crash) state(after string) (now crashState) {
	c.Helper()
	for {
		page, err := c.s.Notices(c.Context(), store.NoticeQuery{After: after})
		if err != nil {
			c.Fatal(err)
		}
		for _, n := range page.Notices {
			now.Notices = append(now.Notices, strings.TrimSpace(fmt.Sprint(n.Kind, " ", n.RunID, " ", strings.Join(n.Interrupts, ","))))
		}
		if after = page.Next; len(page.Notices) == 0 {
			break
		}
	}
	of, err := deliverer(c.s.conn.Client, 1)(c.s.opts.Prefix, []string{"", "a", "b"})
	if err != nil {
		c.Fatal(err)
	}
	now.Entries = of[testKey.Thread]
	page, err := c.s.Decisions(c.Context(), store.DecisionQuery{AllTenants: true})
	if err != nil {
		c.Fatal(err)
	}
	now.Decisions = len(page.Decisions)
	counts, err := c.s.CountWebhooks(c.Context(), crashHook)
	if err != nil {
		c.Fatal(err)
	}
	if counts.Waiting+counts.Dead > 0 {
		now.Hooks = fmt.Sprintf("%d wait, %d dead", counts.Waiting, counts.Dead)
	}
	return now
}

func (c *crash) version() int64 {
	c.Helper()
	return view(c.T, c.s, store.ReadQuery{}).Version
}

// runs begins a run at once.
func (c *crash) runs(run string) store.Claim {
	c.Helper()
	return begin(c.T, c.s, ofAgent(inline(c.version(), run)))
}

// waits queues one.
func (c *crash) waits(run string) { c.Helper(); begin(c.T, c.s, ofAgent(queued(c.version(), run))) }

// ofAgent makes a run one of the agent a.
func ofAgent(b store.Begin) store.Begin {
	switch k := b.Kind.(type) {
	case store.Enqueue:
		k.Agent = "a"
		b.Kind = k
	case store.Execute:
		k.Agent = "a"
		b.Kind = k
	}
	return b
}

// asks leaves the thread suspended, for a minute.
func (c *crash) asks() {
	c.Helper()
	b := c.ending(c.runs("r1"), store.EndSuspend)
	commit(c.T, c.s, b)
}

func (c *crash) ending(claim store.Claim, kind store.EndKind) store.Batch {
	c.Helper()
	b := store.Batch{Claim: claim, Number: 2, Expect: view(c.T, c.s, store.ReadQuery{}).Seq, Events: [][]byte{[]byte("end:" + claim.RunID)}, End: &store.End{Kind: kind}}
	if kind == store.EndSuspend {
		b.End.Suspension, b.End.Interrupts, b.End.Deadline = json.RawMessage("{}"), []string{"int"}, c.now.Add(time.Minute).UnixMilli()
	}
	return b
}

// claimed takes what waits.
func (c *crash) claimed() store.Claim {
	c.Helper()
	res, err := c.s.Claim(c.Context(), store.ClaimRequest{Thread: testKey, Token: "t"})
	if err != nil || res.Claim.Token == "" {
		c.Fatal(res, err)
	}
	return res.Claim
}

func (c *crash) activation(claim store.Claim) store.Activation {
	return store.Activation{Claim: claim, Execution: "x", Frozen: json.RawMessage("{}"), Agent: "a", Events: [][]byte{[]byte("start:" + claim.RunID)}}
}

// active is a run that was claimed from the queue and has started.
func (c *crash) active(run string) store.Claim {
	c.Helper()
	c.waits(run)
	claim := c.claimed()
	if res, err := c.s.Activate(c.Context(), c.activation(claim)); err != nil || res.Status != store.CommitOK {
		c.Fatal(res, err)
	}
	return claim
}

// owes lets a notice be owed to a target, which it takes.
func (c *crash) owes() store.Webhook {
	c.Helper()
	take := store.WebhookTake{Target: crashHook, Kinds: []store.NoticeKind{store.NoticeThreadGone}, Limit: 9, Hold: time.Minute}
	if _, err := c.s.TakeWebhooks(c.Context(), take); err != nil {
		c.Fatal(err)
	}
	c.forgets()
	taken, err := c.s.TakeWebhooks(c.Context(), take)
	if err != nil || len(taken.Webhooks) != 1 {
		c.Fatal(taken, err)
	}
	return taken.Webhooks[0]
}

// forgets uses the thread, and deletes it.
func (c *crash) forgets() {
	c.Helper()
	commit(c.T, c.s, c.ending(c.runs("r0"), store.EndFinish))
	if ok, err := c.s.Delete(c.Context(), testKey, store.Deletion{}); err != nil || !ok {
		c.Fatal(ok, err)
	}
}

func (c *crash) settled(w store.Webhook, kind store.WebhookResultKind) func(s *Store) error {
	return func(s *Store) error {
		return s.SettleWebhook(context.Background(), crashHook, store.WebhookResult{ID: w.Notice.ID, Hold: w.Hold, Kind: kind,
			Tries: store.WebhookTries{Count: 1, First: w.Taken, Last: w.Taken, Error: "no"}})
	}
}

// begins sends a Begin.
func begins(b store.Begin) (string, func(s *Store) error) {
	return "start:" + b.RunID, func(s *Store) error {
		res, err := s.Begin(context.Background(), b)
		if err == nil && res.Status != store.BeginAccepted {
			err = fmt.Errorf("%+v", res)
		}
		return err
	}
}

func commits(b store.Batch) (string, func(s *Store) error) {
	return "end:" + b.Claim.RunID, func(s *Store) error {
		res, err := s.Commit(context.Background(), b)
		if err == nil && res.Status != store.CommitOK {
			err = fmt.Errorf("%+v", res)
		}
		return err
	}
}

// answered is a run that goes on with a decision.
func (c *crash) answered() store.Claim {
	c.Helper()
	c.asks()
	return begin(c.T, c.s, answering(c.version(), "r2", "xr1"))
}

func nacked(n store.Nack, bury bool) func(s *Store) error {
	return func(s *Store) (err error) {
		if bury {
			_, err = s.Bury(context.Background(), n)
		} else {
			_, err = s.Nack(context.Background(), n)
		}
		return err
	}
}

// Whatever breaks before the script or behind it, a call that is sent again leaves one notice
// of each fact, one record of each decision, and one entry where a worker is wanted.
func TestCrashPointsOfStreams(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	proxy := redistest.StartProxy(t, server)
	for i, tt := range crashCases {
		for name, lose := range map[string]func(marker string){"whole": nil, "before it": proxy.LoseCommand, "behind it": proxy.LoseReplyTo} {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				c := &crash{T: t, server: server, now: time.UnixMilli(1_700_000_000_000)}
				o := Options{Prefix: strings.ReplaceAll(fmt.Sprint("crash ", i, " ", name), " ", "-"), Partitions: 1, ThreadTTL: 24 * time.Hour, Clock: func() time.Time { return c.now }}
				c.s, c.far = open(t, server.URL(), o), open(t, proxy.URL(), o)
				page, err := c.s.Notices(t.Context(), store.NoticeQuery{})
				if err != nil {
					t.Fatal(err)
				}
				marker, send := tt.prepare(c)
				after := c.skip(page.Next)
				before := c.state(after)
				want := crashState{Notices: tt.notices, Entries: tt.entries, Decisions: before.Decisions + tt.decisions, Hooks: tt.hooks}
				if lose != nil {
					lost := proxy.Lost()
					lose(marker)
					if err := send(c.far); !tt.swallowed && !errors.Is(err, store.ErrOutcomeUnknown) {
						t.Fatal(err)
					}
					if proxy.Lost() != lost+1 {
						t.Fatalf("%d were lost", proxy.Lost()-lost)
					}
					expected := want
					if name == "before it" {
						expected = before
					}
					c.is("when it broke", c.state(after), expected)
				}
				retried(t, func() error { return send(c.far) })
				c.is("in the end", c.state(after), want)
				retried(t, func() error { return send(c.far) })
				c.is("sent once more", c.state(after), want)
			})
		}
	}
}

// skip is behind all notices that there are.
func (c *crash) skip(after string) string {
	c.Helper()
	for {
		page, err := c.s.Notices(c.Context(), store.NoticeQuery{After: after})
		if err != nil {
			c.Fatal(err)
		}
		if after = page.Next; len(page.Notices) == 0 {
			return after
		}
	}
}

func (c *crash) is(when string, got, want crashState) {
	c.Helper()
	if !slices.Equal(got.Notices, want.Notices) || !slices.Equal(got.Entries, want.Entries) || got.Decisions != want.Decisions || got.Hooks != want.Hooks {
		c.Errorf("%s there is %+v, want %+v", when, got, want)
	}
}
