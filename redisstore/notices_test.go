package redisstore

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
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
