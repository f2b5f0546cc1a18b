package redisstore

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/index"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// garbage is a store in whose streams somebody else writes.
type garbage struct {
	*testing.T
	*Store
	now time.Time
	log strings.Builder
}

// add writes an entry as nobody of ours does.
func (g *garbage) add(stream string, fields ...any) {
	g.Helper()
	if err := g.conn.Client.XAdd(g.Context(), &redis.XAddArgs{Stream: stream, Values: fields}).Err(); err != nil {
		g.Fatal(err)
	}
}

// told are the runs of all notices behind a cursor.
func (g *garbage) told(after string) (runs []string) {
	g.Helper()
	for {
		page, err := g.Notices(g.Context(), store.NoticeQuery{After: after, Limit: 8})
		if err != nil {
			g.Fatal(err)
		}
		for _, n := range page.Notices {
			runs = append(runs, string(n.Kind)+" "+n.RunID)
			if len(n.Summaries) > 0 {
				g.Errorf("half of what is damaged is shown: %+v", n)
			}
		}
		if len(page.Notices) == 0 {
			return runs
		}
		after = page.Next
	}
}

func (g *garbage) wants(what string, got, want any) {
	g.Helper()
	if a, b := fmt.Sprint(got), fmt.Sprint(want); a != b {
		g.Errorf("%s: %s, want %s", what, a, b)
	}
}

// What is no entry of ours keeps no reader from those that are.
var garbageTests = []struct {
	name string
	run  func(g *garbage)
}{
	{"notices", func(g *garbage) {
		page, err := g.Notices(g.Context(), store.NoticeQuery{})
		if err != nil {
			g.Fatal(err)
		}
		take := store.WebhookTake{Target: "crm", Limit: 100, Hold: time.Minute}
		if _, err := g.TakeWebhooks(g.Context(), take); err != nil {
			g.Fatal(err)
		}
		at := g.conn.Keys.Parts[0].Notices
		begin(g.T, g.Store, inline(0, "r1"))
		for range 20 { // more than a page has
			g.add(at, "what", "ever")
			g.add(at, "kind", "")
			g.add(at, "kind", "run.started", "run", "bad", "interrupts", "9:x")
			g.add(at, "kind", "run.started", "run", "bad", "reasons", ":::")
		}
		g.add(at, "kind", "run.ended", "run", "odd", "at", "soon", "deadline", "1e9", "summaries", `[{"interruptId":"i"},{"message":4}]`, "", "", "kind2", "\x00")
		if _, err := g.Stop(g.Context(), store.Stop{Thread: testKey, Request: "q", RunID: "r1", Terminal: []byte("end")}); err != nil {
			g.Fatal(err)
		}
		g.wants("notices", g.told(page.Next), "[run.started r1 run.ended odd run.ended r1]")
		var sent []string
		for range 4 {
			taken, err := g.TakeWebhooks(g.Context(), take)
			if err != nil {
				g.Fatal(err)
			}
			for _, w := range taken.Webhooks {
				sent = append(sent, w.Notice.RunID)
				if err := g.SettleWebhook(g.Context(), "crm", store.WebhookResult{ID: w.Notice.ID, Hold: w.Hold}); err != nil {
					g.Fatal(err)
				}
			}
		}
		slices.Sort(sent) // what is due at the same time comes in any order
		g.wants("webhooks", sent, "[odd r1 r1]")
		counts, err := g.CountWebhooks(g.Context(), "crm")
		g.wants("counts", fmt.Sprint(counts.Waiting, counts.Dead, err), fmt.Sprint(0, 40, nil))
	}},
	{"webhooks", func(g *garbage) {
		take := store.WebhookTake{Target: "crm", Limit: 100, Hold: time.Minute, FromStart: true}
		begin(g.T, g.Store, inline(0, "r1"))
		h := g.conn.Keys.Parts[0].Target("crm")
		for i, item := range []string{"garbage", "", "9:x", string(link.Pack(nil, "kind", "run.started", "tenant", "acme", "interrupts", "x"))} {
			id := fmt.Sprintf("%d-0", i+1)
			g.conn.Client.ZAdd(g.Context(), h.Due, redis.Z{Member: id})
			g.conn.Client.HSet(g.Context(), h.Items, id, item)
		}
		g.conn.Client.ZAdd(g.Context(), h.Due, redis.Z{Member: "an id"})
		g.conn.Client.HSet(g.Context(), h.Items, "an id", string(link.Pack(nil, "kind", "run.started")))
		for _, id := range []string{"77-7", "no id"} { // due, and there is nothing to be sent
			g.conn.Client.ZAdd(g.Context(), h.Due, redis.Z{Member: id})
		}
		taken, err := g.TakeWebhooks(g.Context(), take)
		if err != nil || len(taken.Webhooks) != 1 || taken.Webhooks[0].Notice.RunID != "r1" {
			g.Fatal(taken, err)
		}
		// What came of its tries is lost, and so it has none.
		g.conn.Client.HSet(g.Context(), h.Tries, strings.TrimSuffix(taken.Webhooks[0].Notice.ID, "-0"), "garbage")
		g.now = g.now.Add(time.Hour)
		taken, err = g.TakeWebhooks(g.Context(), take)
		if err != nil || len(taken.Webhooks) != 1 || taken.Webhooks[0].Tries.Count != 0 {
			g.Fatal(taken, err)
		}
		counts, err := g.CountWebhooks(g.Context(), "crm")
		g.wants("counts", fmt.Sprint(counts.Waiting, counts.Dead, err), fmt.Sprint(1, 5, nil))
		page, err := g.DeadWebhooks(g.Context(), store.DeadWebhookQuery{Target: "crm"})
		if err != nil || len(page.Dead) != 4 { // of the empty one there is nothing to be shown
			g.Fatal(page, err)
		}
		for _, d := range page.Dead {
			if d.Notice.ID == "" || d.Tries.Count != 1 || d.Tries.Error == "" {
				g.Errorf("%+v", d)
			}
			ok, err := g.ResendWebhook(g.Context(), "crm", "", d.Notice.ID)
			g.wants("sent again", fmt.Sprint(ok, err), "false <nil>")
		}
		page, err = g.DeadWebhooks(g.Context(), store.DeadWebhookQuery{Target: "crm", Tenant: "acme"})
		g.wants("of a tenant", fmt.Sprint(len(page.Dead), err), "1 <nil>")
	}},
	{"decisions", func(g *garbage) {
		p := &g.conn.Keys.Parts[0]
		hash := g.conn.Keys.Thread(testKey).Hash()
		junk := func() {
			for _, at := range []string{"", "inf", "-1", "nan", "1e300", "0x", "1.5"} {
				g.add(p.Decisions, "interrupt", "bad", "key", hash, "at", at, "refused", "many", "asked", "inf", "body", "\x00\x01")
				g.add(p.Decisions, "at", at)
			}
			g.add(p.Decisions, "what", "ever")
			found, err := g.conn.Client.XRange(g.Context(), p.Decisions, "-", "+").Result()
			if err != nil {
				g.Fatal(err)
			}
			stamp := strings.Repeat("\x01", index.StampSize)
			for _, of := range []string{"a", "h" + hash, "t" + index.Digest("")} {
				for _, m := range []string{"", "x", "\x00", stamp, stamp + hash, stamp + hash + "no id", stamp + hash + found[0].ID} {
					g.conn.Client.ZAdd(g.Context(), p.Lists, redis.Z{Member: of + m})
				}
				for i, f := range found {
					g.conn.Client.ZAdd(g.Context(), p.Lists, redis.Z{Member: of + index.StampAt(int64(i)) + hash + f.ID})
				}
			}
		}
		junk()
		claim := begin(g.T, g.Store, inline(0, "r1"))
		commit(g.T, g.Store, store.Batch{Claim: claim, Number: 2, Expect: 1, Events: [][]byte{[]byte("asks")},
			End: &store.End{Kind: store.EndSuspend, Suspension: []byte("{}"), Interrupts: []string{"int"}}})
		begin(g.T, g.Store, answering(view(g.T, g.Store, store.ReadQuery{}).Version, "r2", "xr1"))
		for name, q := range map[string]store.DecisionQuery{"all": {AllTenants: true}, "tenant": {}, "thread": {Thread: &testKey}} {
			var good []string
			for pages := 0; ; pages++ {
				q.Limit = 3
				page, err := g.Decisions(g.Context(), q)
				if err != nil || pages > 100 {
					g.Fatal(name, pages, err)
				}
				for _, d := range page.Decisions {
					if d.Interrupt == "int" {
						good = append(good, d.RunID)
					}
				}
				if q.Cursor = page.Next; q.Cursor == "" {
					break
				}
			}
			g.wants(name, good, "[r2]")
		}
		if err := g.ForgetDecisions(g.Context(), testKey); err != nil {
			g.Fatal(err)
		}
		junk()
		g.now = g.now.Add(10000 * 24 * time.Hour)
		for more := true; more; {
			var err error
			if more, err = g.Retire(g.Context()); err != nil {
				g.Fatal(err)
			}
		}
		left, err := g.conn.Client.XLen(g.Context(), p.Decisions).Result()
		g.wants("left of the record", fmt.Sprint(left, err), "0 <nil>")
	}},
	{"deliveries", func(g *garbage) {
		p := &g.conn.Keys.Parts[0]
		begin(g.T, g.Store, queued(0, "r1"))
		other := store.ThreadKey{Namespace: "n", Thread: "0"}
		for i := 1; g.conn.Keys.Thread(other).Part == p; i++ {
			other.Thread = fmt.Sprint(i)
		}
		mine := g.conn.Keys.Thread(testKey).Part
		for range 5 {
			g.add(mine.Work, "what", "ever")
			g.add(mine.Work, "thread", "")
			g.add(mine.Work, "thread", "999:x")
			g.add(p.Work, "thread", keyspace.MemberOf(other))
		}
		var got []string
		for range 20 {
			work, err := g.Work(g.Context(), store.WorkQuery{Agents: []string{""}, Limit: 3, Idle: -1})
			if err != nil {
				g.Fatal(err)
			}
			for _, w := range work {
				if w.Thread != testKey {
					g.Errorf("given %+v", w)
				}
				got = append(got, w.Entry)
			}
		}
		if len(got) == 0 {
			g.Fatal("what is to be delivered is not")
		}
		stats, err := g.WorkStats(g.Context(), []string{""})
		g.wants("what waits", fmt.Sprint(stats[0].Waiting, err), "1 <nil>")
	}},
	{"payloads", func(g *garbage) {
		p := &g.conn.Keys.Parts[0]
		put := func(id, digest string) store.ThreadKey {
			key := testKey
			key.Thread = id
			b := inline(0, "r-"+id)
			b.Thread = key
			claim := begin(g.T, g.Store, b)
			if err := g.PutPayloadPiece(g.Context(), key, "u", 0, []byte("value")); err != nil {
				g.Fatal(err)
			}
			if _, err := g.KeepPayload(g.Context(), key, "u", store.NewPayload{Digest: digest, Size: 5, Type: "text/plain"}); err != nil {
				g.Fatal(err)
			}
			if _, err := g.Stop(g.Context(), store.Stop{Thread: key, Request: "s", RunID: claim.RunID, Terminal: []byte("end")}); err != nil {
				g.Fatal(err)
			}
			return key
		}
		digestOf := func(i int) string { return fmt.Sprintf("%064d", i) }
		for _, m := range []string{"", ":", "x", "x:", ":y", "hash:digest", "{x}:\x00"} {
			g.conn.Client.ZAdd(g.Context(), p.PayloadsDue(), redis.Z{Member: m})
		}
		var broken []store.ThreadKey
		for i, harm := range []func(t keyspace.Thread, digest string){
			func(t keyspace.Thread, _ string) { g.conn.Client.Set(g.Context(), t.Payloads(), "x", 0) },
			func(t keyspace.Thread, digest string) { g.conn.Client.HSet(g.Context(), t.Payloads(), "d"+digest, "x") },
			func(t keyspace.Thread, _ string) {
				g.conn.Client.HSet(g.Context(), t.Payloads(), "n", "x", "bytes", "y")
			},
			func(t keyspace.Thread, digest string) {
				g.conn.Client.HSet(g.Context(), t.Payloads(), "d"+digest, strings.Repeat("9", 400)+" 1 1 0 ", "n", "x")
			},
			func(t keyspace.Thread, _ string) { g.conn.Client.HDel(g.Context(), t.Rec(), "thread") },
			func(t keyspace.Thread, _ string) {
				g.conn.Client.HSet(g.Context(), t.Part.PayloadBytes(), testKey.Namespace, "x")
			},
			func(t keyspace.Thread, _ string) {
				g.conn.Client.Del(g.Context(), t.Rec())
				g.conn.Client.Set(g.Context(), t.Rec(), "x", 0)
			},
		} {
			key := put(fmt.Sprint("broken", i), digestOf(i))
			harm(g.conn.Keys.Thread(key), digestOf(i))
			broken = append(broken, key)
		}
		g.conn.Client.HDel(g.Context(), p.PayloadBytes(), testKey.Namespace)
		good := put("good", digestOf(99))
		g.conn.Client.HSet(g.Context(), p.PayloadBytes(), testKey.Namespace, "x")
		g.now = g.now.Add(store.PayloadGrace)
		found := false
		for range 3 {
			due, _, err := g.DuePayloads(g.Context())
			if err != nil {
				g.Fatal(err)
			}
			for _, d := range due {
				found = found || d.Thread == good
			}
		}
		g.wants("what is whole comes due", found, true)
		for _, key := range append(broken, good) {
			for range 2 {
				if err := g.Erase(g.Context(), key, stage.Deleting("")); err != nil {
					g.Errorf("%s cannot be deleted: %v", key.Thread, err)
				}
			}
		}
	}},
	{"trees", func(g *garbage) {
		ns := testKey.Namespace
		plant := func(id, parent string) {
			c := store.NodeChange{Request: "put " + id, Create: true, Version: store.AnyVersion, Parent: &parent}
			if _, err := g.PutNode(g.Context(), treeKey(id), c); err != nil {
				g.Fatal(id, err)
			}
		}
		plant("a", "")
		plant("b", "a")
		plant("c", "b")
		plant("z", "")
		keys := g.conn.Keys.Tree(ns)
		for i, text := range []string{"", "x", "9:x", string(link.Pack(nil, "", "bad", "deep")), string(link.Pack(nil, "a", "a", "1", "x", "y", "z", "", "all", "", ""))} {
			id := fmt.Sprint("bad", i)
			g.conn.Client.HSet(g.Context(), keys[0], id, text)
			for _, place := range []string{"i", "r" + index.Digest("a") + "\x00\x00\x00\x00\x00\x00", "c" + index.Digest("a") + "\x00\x00\x00\x00\x00\x00", "d\xff"} {
				g.conn.Client.ZAdd(g.Context(), keys[1], redis.Z{Member: place + id})
			}
		}
		for _, place := range []string{"", "c", "c" + index.Digest("a"), "d", "i", "r", "x"} {
			g.conn.Client.ZAdd(g.Context(), keys[1], redis.Z{Member: place})
		}
		g.conn.Client.SAdd(g.Context(), keys[2], "nobody", ns)
		for name, q := range map[string]store.TreeQuery{"all": {}, "of a root": {Root: "a"}} {
			q.Namespace = ns
			nodes, _, err := g.TreePage(g.Context(), q)
			if err != nil {
				g.Fatal(name, err)
			}
			var ids []string
			for _, n := range nodes {
				ids = append(ids, n.Thread)
			}
			g.wants(name+" there are", len(ids), map[string]int{"all": 4, "of a root": 3}[name])
		}
		if below, err := g.TreeBelow(g.Context(), treeKey("a")); err != nil || len(below) != 2 {
			g.Errorf("below: %q, %v", below, err)
		}
		if nodes, next, err := g.TreeWalk(g.Context(), store.TreeWalk{Thread: treeKey("a")}); err != nil || next != "" || len(nodes) != 3 {
			g.Errorf("a walk: %d, %q, %v", len(nodes), next, err)
		}
		if res, err := g.DeleteTree(g.Context(), treeKey("a"), store.DeleteCascade, stage.Deleting("")); err != nil || res.Begun != 3 {
			g.Errorf("%+v, %v", res, err)
		}
		if _, err := g.FinishDeletes(g.Context(), stage.Deleting("").Withdraw); err != nil {
			g.Error(err)
		}
		if res, err := g.DeleteTree(g.Context(), treeKey("bad2"), store.DeleteReject, stage.Deleting("")); err != nil || !res.Deleted {
			g.Errorf("%+v, %v", res, err)
		}
	}},
}

func testGarbage(t *testing.T, open func(o *Options) (*Store, error)) {
	for i, tt := range garbageTests {
		t.Run(tt.name, func(t *testing.T) {
			g := &garbage{T: t, now: time.UnixMilli(time.Now().UnixMilli())}
			var err error
			g.Store, err = open(&Options{Prefix: fmt.Sprint("g", i), HistoryID: "h", Partitions: 1 + i/3, Timeout: patience,
				Clock: func() time.Time { return g.now }, Logger: slog.New(slog.NewTextHandler(&g.log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			closing(t, g.Store)
			tt.run(g)
			if g.log.Len() == 0 && tt.name != "decisions" && tt.name != "payloads" && tt.name != "trees" {
				t.Error("nobody is told")
			}
		})
	}
}

func TestGarbageStopsNoReaderOnRedis(t *testing.T) {
	url := redistest.Start(t, redistest.Options{}).URL()
	testGarbage(t, func(o *Options) (*Store, error) { return Open(context.Background(), url, o) })
}

func TestGarbageStopsNoReaderOnMiniredis(t *testing.T) {
	server := miniredis.NewMiniRedis()
	t.Cleanup(server.Close)
	testGarbage(t, func(o *Options) (*Store, error) {
		client := miniredisClient(server)
		t.Cleanup(func() { _ = client.Close() })
		o.volatile, o.singly = true, true
		return New(context.Background(), client, o)
	})
}
