package redisstore

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// hookTests are what holds of webhooks on every kind of store.
var hookTests = []struct {
	name string
	run  func(h *hooks)
}{
	{"a new target begins with the next notice, or with the oldest", func(h *hooks) {
		h.notice("t1", "kind", "run.started")
		h.want("crm", nil)
		h.notice("t2", "kind", "run.ended", "how", "finish")
		h.want("crm", []string{"t2"})
		late := h.ask("late")
		late.FromStart = true
		h.same("what the late one gets", h.threads(h.take(late)), []string{"t1", "t2"})
	}},
	{"a notice comes back whole", func(h *hooks) {
		h.want("crm", nil)
		id := h.notice("t1", "kind", "interrupt.opened", "tenant", "acme", "owner", "ann", "agent", "script", "run", "r1", "label", "l1",
			"interrupts", string(link.Pack(nil, "i1", "i,2")), "reasons", string(link.Pack(nil, "tool_call")), "deadline", "1700000005000", "by", "bob")
		got := h.take(h.ask("crm"))[0].Notice
		h.same("it", got, store.Notice{ID: id, Kind: store.NoticeOpened, At: got.At, Thread: store.ThreadKey{Namespace: "space", Thread: "t1"},
			Tenant: "acme", Owner: "ann", Agent: "script", RunID: "r1", Label: "l1", Interrupts: []string{"i1", "i,2"}, Reasons: []string{"tool_call"},
			Deadline: time.UnixMilli(1700000005000), By: "bob"})
		if time.Since(got.At).Abs() > time.Hour {
			h.Errorf("it is of %s", got.At)
		}
	}},
	{"a target gets the kinds, the tenant and the agents that it wants", func(h *hooks) {
		t := h.ask("crm")
		t.Kinds, t.Tenant, t.Agents = []store.NoticeKind{store.NoticeOpened, store.NoticeDecided, store.NoticeThreadGone}, "acme", []string{"a", "b"}
		h.take(t)
		ofDefault := t
		ofDefault.Target, ofDefault.Agents = "default", []string{"default"}
		h.take(ofDefault)
		for i, fields := range [][]string{
			{"kind", "interrupt.opened", "tenant", "acme", "agent", "b"}, {"kind", "interrupt.opened", "tenant", "acme", "agent", "ab"},
			{"kind", "interrupt.opened", "agent", "a"}, {"kind", "interrupt", "tenant", "acme", "agent", "a"},
			{"kind", "interrupt.decided", "tenant", "acme"}, {"kind", "run.ended", "tenant", "acme", "agent", "a"},
			{"kind", "thread.deleted", "tenant", "acme"},
		} {
			h.notice(fmt.Sprint("t", i), fields...)
		}
		byThread := func(t store.WebhookTake) []string { return slices.Sorted(slices.Values(h.threads(h.take(t)))) }
		h.same("threads", byThread(t), []string{"t0", "t6"})
		h.same("threads of the default agent", byThread(ofDefault), []string{"t4", "t6"})
		h.same("what waits", h.count("crm"), store.WebhookCounts{Waiting: 2})
	}},
	{"what is held is nobody else's until the hold is over", func(h *hooks) {
		h.want("crm", nil)
		h.notice("t1", "kind", "run.started")
		first := h.take(h.ask("crm"))
		h.same("the second take", len(h.take(h.ask("crm"))), 0)
		h.clock = h.clock.Add(time.Minute)
		second := h.take(h.ask("crm"))
		h.same("after the hold", h.threads(second), []string{"t1"})
		h.settle("crm", first[0], store.WebhookAgain, time.Hour)
		h.same("failed, says who does not hold it", h.count("crm"), store.WebhookCounts{Waiting: 1})
		h.settle("crm", first[0], store.WebhookSent, 0)
		h.same("sent, says who does not hold it", h.count("crm"), store.WebhookCounts{})
		h.settle("crm", second[0], store.WebhookAgain, time.Hour)
		h.same("failed after it was sent", h.count("crm"), store.WebhookCounts{})
	}},
	{"what failed is due again when it is time, with what came of it", func(h *hooks) {
		h.want("crm", nil)
		h.notice("t1", "kind", "run.started")
		w := h.take(h.ask("crm"))[0]
		h.settle("crm", w, store.WebhookAgain, 90*time.Second)
		h.settle("crm", w, store.WebhookAgain, time.Hour) // sent again, it changes nothing
		h.same("counts", h.count("crm"), store.WebhookCounts{Waiting: 1, Failed: 1})
		taken, err := h.TakeWebhooks(h.Context(), h.ask("crm"))
		if err != nil || len(taken.Webhooks) != 0 || taken.Next != 90*time.Second {
			h.Errorf("%+v, %v", taken, err)
		}
		h.clock = h.clock.Add(90 * time.Second)
		again := h.take(h.ask("crm"))[0]
		h.same("tries", again.Tries, store.WebhookTries{Count: 1, First: w.Taken, Last: w.Taken, Error: "500 says\nno"})
		h.same("it", again.Notice, w.Notice)
	}},
	{"what was taken and not tried can be given back", func(h *hooks) {
		h.want("crm", nil)
		h.notice("t1", "kind", "run.started")
		w := h.take(h.ask("crm"))[0]
		if err := h.SettleWebhook(h.Context(), "crm", store.WebhookResult{ID: w.Notice.ID, Hold: w.Hold, Kind: store.WebhookAgain}); err != nil {
			h.Fatal(err)
		}
		h.same("counts", h.count("crm"), store.WebhookCounts{Waiting: 1})
		h.same("tries", h.take(h.ask("crm"))[0].Tries, store.WebhookTries{})
	}},
	{"trimming the notices takes nothing of what a target is owed", func(h *hooks) {
		h.want("crm", nil)
		h.notice("t1", "kind", "run.started")
		h.take(h.ask("crm"))
		for i := range h.conn.Keys.Parts {
			if err := h.conn.Client.XTrimMaxLen(h.Context(), h.conn.Keys.Parts[i].Notices, 0).Err(); err != nil {
				h.Fatal(err)
			}
		}
		h.clock = h.clock.Add(time.Hour)
		h.want("crm", []string{"t1"})
	}},
	{"nothing is pending in the group of a target", func(h *hooks) {
		h.want("crm", nil)
		h.notice("t1", "kind", "run.started")
		h.take(h.ask("crm"))
		for i := range h.conn.Keys.Parts {
			pending, err := h.conn.Client.XPending(h.Context(), h.conn.Keys.Parts[i].Notices, "webhook:crm").Result()
			if err != nil || pending.Count != 0 {
				h.Errorf("%+v, %v", pending, err)
			}
		}
	}},
	{"as many wait as may, and the rest stays among the notices", func(h *hooks) {
		h.want("crm", nil)
		most := h.webhooks.most
		for range most + 3 {
			h.notice("t1", "kind", "run.started")
		}
		t := h.ask("crm")
		t.Limit = most + 10
		held := h.take(t)
		h.same("taken", len(held), most)
		h.same("taken then", len(h.take(t)), 0)
		for _, w := range held {
			h.settle("crm", w, store.WebhookSent, 0)
		}
		h.same("the rest", len(h.take(t)), 3)
	}},
	{"a limit is kept, and nothing is left behind", func(h *hooks) {
		h.want("crm", nil)
		for i := range 20 {
			h.notice(fmt.Sprint("t", i), "kind", "run.started")
		}
		t := h.ask("crm")
		t.Limit = 3
		seen := map[string]bool{}
		for len(seen) < 20 {
			taken, err := h.TakeWebhooks(h.Context(), t)
			if err != nil || len(taken.Webhooks) == 0 || len(taken.Webhooks) > 3 || taken.Next != 0 && len(seen)+len(taken.Webhooks) < 20 {
				h.Fatalf("after %d: %d, next %s, %v", len(seen), len(taken.Webhooks), taken.Next, err)
			}
			for _, w := range taken.Webhooks {
				seen[w.Notice.ID] = true
			}
		}
	}},
	{"dead ones are listed, the latest first, and can be sent again once", func(h *hooks) {
		h.want("crm", nil)
		var want []string
		for i := range 7 {
			h.notice(fmt.Sprint("t", i), "kind", "run.started", "tenant", []string{"acme", "other"}[i/5])
			h.settle("crm", h.take(h.ask("crm"))[0], store.WebhookDead, 0)
			want = append([]string{fmt.Sprint("t", i)}, want...)
			if i%3 == 2 {
				h.clock = h.clock.Add(time.Second)
			}
		}
		h.same("counts", h.count("crm"), store.WebhookCounts{Dead: 7})
		all := h.dead(store.DeadWebhookQuery{Target: "crm", Limit: 2})
		got := []string{}
		for i, d := range all {
			got = append(got, d.Notice.Thread.Thread)
			if i > 0 && d.Died.After(all[i-1].Died) {
				h.Errorf("%s died at %s, behind %s", got[i], d.Died, all[i-1].Died)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		h.same("all of them", got, want)
		h.same("one tenant's", len(h.dead(store.DeadWebhookQuery{Target: "crm", Limit: 2, Tenant: "other"})), 2)
		d := all[0]
		h.same("tries", d.Tries.Error, "500 says\nno")
		for _, again := range []struct {
			target, tenant, id string
			want               bool
		}{{"crm", "acme", d.Notice.ID, false}, {"crm", "", "1-1-0", false}, {"crm", "", "nonsense", false}, {"crm", "", "1-1-9", false}, {"other", "", d.Notice.ID, false},
			{"crm", d.Notice.Tenant, d.Notice.ID, true}, {"crm", "", d.Notice.ID, true}} {
			ok, err := h.ResendWebhook(h.Context(), again.target, again.tenant, again.id)
			if err != nil || ok != again.want {
				h.Errorf("%+v: %t, %v", again, ok, err)
			}
		}
		h.same("counts then", h.count("crm"), store.WebhookCounts{Waiting: 1, Dead: 6})
		w := h.take(h.ask("crm"))[0]
		h.same("sent again", w.Notice, d.Notice)
		h.same("as if it was not tried", w.Tries, store.WebhookTries{})
		h.settle("crm", w, store.WebhookSent, 0)
		ok, err := h.ResendWebhook(h.Context(), "crm", "", d.Notice.ID)
		h.same("after that", []any{ok, err}, []any{false, nil})
		h.clock = h.clock.Add(keepDead)
		h.same("dead ones past their time", len(h.dead(store.DeadWebhookQuery{Target: "crm"})), 0)
		h.same("counts of them", h.count("crm"), store.WebhookCounts{})
		if _, err := h.DeadWebhooks(h.Context(), store.DeadWebhookQuery{Target: "crm", Cursor: "zzz"}); err == nil {
			h.Error("any cursor will do")
		}
	}},
	{"as many dead ones are kept as may be, the latest", func(h *hooks) {
		h.want("crm", nil)
		for i := range h.webhooks.most + 3 {
			h.notice("t", "kind", "run.started", "run", fmt.Sprint("r", i))
			h.settle("crm", h.take(h.ask("crm"))[0], store.WebhookDead, 0)
			h.clock = h.clock.Add(time.Second)
		}
		all := h.dead(store.DeadWebhookQuery{Target: "crm"})
		h.same("kept", len(all), h.webhooks.most)
		h.same("the oldest", all[len(all)-1].Notice.RunID, "r3")
		h.same("counts", h.count("crm").Dead, h.webhooks.most)
	}},
	{"a target that wants no more is known by its configuration, until it is revived", func(h *hooks) {
		at := h.clock
		for range 2 {
			if err := h.TargetGone(h.Context(), "crm", "digest"); err != nil {
				h.Fatal(err)
			}
			h.clock = h.clock.Add(time.Second)
		}
		states, err := h.UseTargets(h.Context(), []string{"crm", "erp"})
		h.same("states", []any{states, err}, []any{map[string]store.TargetState{
			"crm": {Used: h.clock, Gone: "digest", GoneAt: at}, "erp": {Used: h.clock}}, nil})
		if err := h.ReviveTarget(h.Context(), "crm"); err != nil {
			h.Fatal(err)
		}
		h.clock = h.clock.Add(time.Hour)
		states, err = h.UseTargets(h.Context(), nil)
		h.same("states then", []any{states["crm"], err}, []any{store.TargetState{Used: h.clock.Add(-time.Hour), Idle: time.Hour}, nil})
	}},
	{"a target is forgotten with all that it is owed, unless it was used meanwhile", func(h *hooks) {
		h.want("crm", nil)
		states, err := h.UseTargets(h.Context(), []string{"crm"})
		if err != nil {
			h.Fatal(err)
		}
		h.notice("t1", "kind", "run.started")
		h.settle("crm", h.take(h.ask("crm"))[0], store.WebhookDead, 0)
		h.notice("t2", "kind", "run.started")
		h.settle("crm", h.take(h.ask("crm"))[0], store.WebhookAgain, time.Hour)
		was := states["crm"]
		was.Used = was.Used.Add(-time.Second)
		for _, was := range []store.TargetState{was, states["crm"], states["crm"]} {
			if err := h.ForgetTarget(h.Context(), "crm", was); err != nil {
				h.Fatal(err)
			}
			if was != states["crm"] {
				h.same("used meanwhile", h.count("crm"), store.WebhookCounts{Waiting: 1, Failed: 1, Dead: 1})
			}
		}
		h.same("counts", h.count("crm"), store.WebhookCounts{})
		states, err = h.UseTargets(h.Context(), nil)
		h.same("states", []any{states, err}, []any{map[string]store.TargetState{}, nil})
		for i := range h.conn.Keys.Parts {
			groups, err := h.conn.Client.XInfoGroups(h.Context(), h.conn.Keys.Parts[i].Notices).Result()
			if err != nil || len(groups) > 0 {
				h.Errorf("groups are left: %v, %v", groups, err)
			}
		}
		h.notice("t3", "kind", "run.started")
		h.want("crm", nil) // it is a new one
	}},
	{"keys are those that lua/doc.go names", func(h *hooks) {
		h.want("crm", nil)
		for i := range 3 {
			h.notice(fmt.Sprint("t", i), "kind", "run.started")
		}
		for i, w := range h.take(h.ask("crm")) {
			h.settle("crm", w, store.WebhookResultKind(i), time.Second)
		}
		if _, err := h.UseTargets(h.Context(), []string{"crm"}); err != nil {
			h.Fatal(err)
		}
		if err := inspector(h, h.conn.Client)(h.opts.Prefix); err != nil {
			h.Error(err)
		}
	}},
}

// hooks is one store with a clock that stands.
type hooks struct {
	*testing.T
	*Store
	clock time.Time
}

// testWebhooks runs them on stores of eight partitions at most.
func testWebhooks(t *testing.T, open func(*testing.T, *Options) *Store) {
	for i, tt := range hookTests {
		t.Run(tt.name, func(t *testing.T) {
			h := &hooks{T: t, clock: time.UnixMilli(time.Now().UnixMilli())}
			h.Store = open(t, &Options{Prefix: fmt.Sprint("w", i), HistoryID: "h", Partitions: 4, Webhooks: 60, Timeout: patience,
				Clock: func() time.Time { return h.clock }})
			tt.run(h)
		})
	}
}

func TestWebhooksOnMiniredis(t *testing.T) {
	server := miniredis.NewMiniRedis()
	t.Cleanup(server.Close)
	testWebhooks(t, func(t *testing.T, o *Options) *Store {
		client := miniredisClient(server)
		t.Cleanup(func() { _ = client.Close() })
		o.volatile, o.singly = true, true
		s, err := New(context.Background(), client, o)
		if err != nil {
			t.Fatal(err)
		}
		return closing(t, s)
	})
}

func TestWebhooksOnRedis(t *testing.T) {
	url := redistest.Start(t, redistest.Options{}).URL()
	testWebhooks(t, func(t *testing.T, o *Options) *Store { return open(t, url, *o) })
}

func TestWebhooksOnCluster(t *testing.T) {
	suite.Full(t)
	url := redistest.Cluster(t).URL()
	testWebhooks(t, func(t *testing.T, o *Options) *Store { return open(t, url, *o) })
}

// notice writes one as the scripts do, in the partition of its thread, and returns its id.
func (h *hooks) notice(thread string, fields ...string) string {
	h.Helper()
	key := store.ThreadKey{Namespace: "space", Thread: thread}
	p := h.conn.Keys.Thread(key).Part
	values := append([]string{"namespace", "space", "thread", thread}, fields...)
	entry, err := h.conn.Client.XAdd(h.Context(), &redis.XAddArgs{Stream: p.Notices, Values: values}).Result()
	if err != nil {
		h.Fatal(err)
	}
	return noticeID(p.Index, entry)
}

func (h *hooks) ask(target string) store.WebhookTake {
	return store.WebhookTake{Target: target, Limit: 100, Hold: time.Minute}
}

func (h *hooks) take(t store.WebhookTake) []store.Webhook {
	h.Helper()
	taken, err := h.TakeWebhooks(h.Context(), t)
	if err != nil {
		h.Fatal(err)
	}
	return taken.Webhooks
}

func (h *hooks) threads(list []store.Webhook) []string {
	var threads []string
	for _, w := range list {
		threads = append(threads, w.Notice.Thread.Thread)
	}
	slices.Sort(threads)
	return threads
}

// want takes what a target is owed, which is about these threads.
func (h *hooks) want(target string, threads []string) {
	h.Helper()
	h.same(target+" gets", h.threads(h.take(h.ask(target))), threads)
}

func (h *hooks) settle(target string, w store.Webhook, kind store.WebhookResultKind, delay time.Duration) {
	h.Helper()
	r := store.WebhookResult{ID: w.Notice.ID, Hold: w.Hold, Kind: kind, Delay: delay,
		Tries: store.WebhookTries{Count: w.Tries.Count + 1, First: w.Taken, Last: w.Taken, Error: "500 says\nno"}}
	if err := h.SettleWebhook(h.Context(), target, r); err != nil {
		h.Fatal(err)
	}
}

func (h *hooks) count(target string) store.WebhookCounts {
	h.Helper()
	c, err := h.CountWebhooks(h.Context(), target)
	if err != nil || c.Most != 60 {
		h.Fatalf("%+v, %v", c, err)
	}
	c.Most = 0
	return c
}

func (h *hooks) dead(q store.DeadWebhookQuery) (all []store.DeadWebhook) {
	h.Helper()
	for range 100 {
		page, err := h.DeadWebhooks(h.Context(), q)
		if err != nil || q.Limit > 0 && len(page.Dead) > q.Limit {
			h.Fatalf("%d, %v", len(page.Dead), err)
		}
		all = append(all, page.Dead...)
		if q.Cursor = page.Next; q.Cursor == "" {
			return all
		}
	}
	h.Fatal("pages without an end")
	return nil
}

func (h *hooks) same(what string, got, want any) {
	h.Helper()
	if !reflect.DeepEqual(got, want) {
		h.Errorf("%s: %+v, not %+v", what, got, want)
	}
}
