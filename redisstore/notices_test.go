package redisstore

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/redis/go-redis/v9"
)

// What becomes true at once is one entry, and has a notice each.
func TestNoticesOfOneDecisionShareAnEntry(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: 1, Timeout: patience})
	ctx := context.Background()
	take := store.WebhookTake{Target: "crm", Limit: 10, Hold: time.Minute}
	owed := func(want int) []store.Webhook {
		t.Helper()
		taken, err := s.TakeWebhooks(ctx, take)
		if err != nil || len(taken.Webhooks) != want {
			t.Fatalf("%d are owed, %v, want %d", len(taken.Webhooks), err, want)
		}
		return taken.Webhooks
	}
	owed(0)
	now, err := s.Notices(ctx, store.NoticeQuery{})
	if err != nil {
		t.Fatal(err)
	}
	b := inline(0, "r1")
	b.Tenant, b.User, b.Label = "acme", "ann", "label"
	commit(t, s, store.Batch{Claim: begin(t, s, b), Number: 2, Expect: 1, Events: [][]byte{delta},
		End: &store.End{Kind: store.EndSuspend, Suspension: json.RawMessage("{}"), Interrupts: []string{"int"}, Reasons: []string{"tool_call"}}})
	if n := s.conn.Client.XLen(ctx, s.conn.Keys.Parts[0].Notices).Val(); n != 2 {
		t.Errorf("a beginning and an end are %d entries", n)
	}

	var list []store.Notice
	for after, missed := now.Next, false; ; {
		page, err := s.Notices(ctx, store.NoticeQuery{After: after, Limit: 1})
		if missed = missed || page.Missed; err != nil || missed || len(page.Notices) > 1 {
			t.Fatalf("%+v, %v", page, err)
		}
		if after = page.Next; len(page.Notices) == 0 {
			break
		}
		list = append(list, page.Notices...)
	}
	told := ""
	for _, n := range list {
		told += fmt.Sprintln(n.Kind, n.Thread, n.Tenant, n.Owner, n.RunID, n.Label, n.By, n.Interrupts, n.Reasons)
	}
	if want := `run.started {n t} acme ann r1 label ann [] []
run.ended {n t} acme ann r1 label  [] []
interrupt.opened {n t} acme ann r1 label  [int] [tool_call]
`; told != want {
		t.Fatalf("told is\n%swant\n%s", told, want)
	}
	for i, w := range owed(3) {
		if fmt.Sprint(w.Notice) != fmt.Sprint(list[i]) || i > 0 && w.Notice.ID == list[i-1].ID {
			t.Errorf("owed is %+v, want %+v", w.Notice, list[i])
		}
		if err := s.SettleWebhook(ctx, "crm", store.WebhookResult{ID: w.Notice.ID, Hold: w.Hold, Kind: store.WebhookSent}); err != nil {
			t.Fatal(err)
		}
	}
	if c, err := s.CountWebhooks(ctx, "crm"); err != nil || c.Waiting > 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

// What becomes true at once is in several entries if it is very much, and each of them says whose it is.
func TestVeryManyNoticesAreInSeveralEntries(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: 1, Timeout: patience})
	ctx := context.Background()
	const inputs = 120
	for i := range inputs {
		b := queued(view(t, s, store.ReadQuery{}).Version, fmt.Sprint("r", i))
		b.Tenant, b.User = "acme", "ann"
		k := b.Kind.(store.Enqueue)
		k.Agent = "script"
		b.Kind = k
		begin(t, s, b)
	}
	now, err := s.Notices(ctx, store.NoticeQuery{})
	if err != nil {
		t.Fatal(err)
	}
	entries := s.conn.Client.XLen(ctx, s.conn.Keys.Parts[0].Notices).Val()
	if _, err := s.StopAll(ctx, store.StopAll{Thread: testKey, Request: "all", By: "ann"}); err != nil {
		t.Fatal(err)
	}
	if entries = s.conn.Client.XLen(ctx, s.conn.Keys.Parts[0].Notices).Val() - entries; entries < 3 {
		t.Errorf("they are %d entries", entries)
	}
	page, err := s.Notices(ctx, store.NoticeQuery{After: now.Next, Limit: 2 * inputs})
	if err != nil || len(page.Notices) != inputs {
		t.Fatalf("%d notices, %v", len(page.Notices), err)
	}
	for i, n := range page.Notices {
		if n.Kind != "run.ended" || n.RunID != fmt.Sprint("r", i) || n.Thread != testKey || n.Tenant != "acme" || n.Owner != "ann" {
			t.Errorf("%+v", n)
		}
	}
}

// However many notices the entries have, one look takes in few of them, and those that wait are
// hardly more than may.
func TestAFewNoticesAreTakenInAtOnce(t *testing.T) {
	const entries, each = 20, 60
	url := redistest.Start(t, redistest.Options{}).URL()
	for most, want := range map[int]int{64 << 10: 350, 120: 120 + each - 1, 1: each} {
		s := open(t, url, Options{Prefix: fmt.Sprint("p", most), Partitions: 1, Webhooks: most, Timeout: patience})
		ctx, seen := context.Background(), map[string]bool{}
		take := store.WebhookTake{Target: "crm", FromStart: true, Limit: 1000, Hold: time.Minute}
		for range entries {
			values := []string{"namespace", "n", "thread", "t"}
			for i := range each {
				values = append(values, "kind", "run.ended", "run", fmt.Sprint("r", i))
			}
			if err := s.conn.Client.XAdd(ctx, &redis.XAddArgs{Stream: s.conn.Keys.Parts[0].Notices, Values: values}).Err(); err != nil {
				t.Fatal(err)
			}
		}
		for len(seen) < entries*each {
			taken, err := s.TakeWebhooks(ctx, take)
			if n := len(taken.Webhooks); err != nil || n == 0 || n > want || taken.Next != 0 && len(seen)+n < entries*each {
				t.Fatalf("%d may wait: after %d it takes in %d, %v, and has more in %v", most, len(seen), n, err, taken.Next)
			}
			for _, w := range taken.Webhooks {
				seen[w.Notice.ID] = true
				if err := s.SettleWebhook(ctx, "crm", store.WebhookResult{ID: w.Notice.ID, Hold: w.Hold, Kind: store.WebhookSent}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// How many notices of an entry were given is a number that each machine has.
func TestCursorsOfTooManyNoticesAreRefused(t *testing.T) {
	for given, want := range map[uint64]bool{math.MaxInt32: true, math.MaxInt32 + 1: false} {
		places := &noticePlaces{[]noticePlace{{streamID: streamID{1, 1}, entry: true, given: given}}}
		if _, err := readPlaces(places.String(), 1); (err == nil) != want {
			t.Errorf("%d: %v", given, err)
		}
	}
}
