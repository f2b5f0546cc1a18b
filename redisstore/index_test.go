package redisstore

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/index"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/redis/go-redis/v9"
)

// asks ends the claimed run with an interrupt of two reasons.
func asks(claim store.Claim, expect int64) store.Batch {
	return store.Batch{Claim: claim, Number: 2, Expect: expect, Events: [][]byte{[]byte("asks")},
		End: &store.End{Kind: store.EndSuspend, Suspension: json.RawMessage(`{}`), Interrupts: []string{"int"},
			Reasons: []string{"tool_call", "confirmation", "tool_call"}}}
}

func TestTheIndexesLetGoOfWhatIsGone(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: 1})
	ctx := context.Background()
	holds := func(when string, inbox, threads, dead int64) {
		t.Helper()
		p := s.conn.Keys.Parts[0]
		for key, want := range map[string]int64{p.Inbox: inbox, p.Lists: threads, p.Dead: dead} {
			from, to := "-", "+"
			if key == p.Lists { // without the decision record
				from, to = "["+index.ThreadList, "("+index.Beyond(index.ThreadList)
			}
			if n, err := s.conn.Client.ZLexCount(ctx, key, from, to).Result(); n != want || err != nil {
				t.Errorf("%s: %s holds %d, want %d (%v)", when, key, n, want, err)
			}
		}
	}
	b := inline(0, "r1")
	b.Tenant = "acme"
	commit(t, s, asks(begin(t, s, b), 1))
	holds("suspended, of the tenant and of everybody for any reason and for two, and of the namespace", 7, 1, 0)

	answer := func(run string) store.Claim {
		return begin(t, s, answering(view(t, s, store.ReadQuery{}).Version, run, "xr1"))
	}
	claim := answer("r2")
	holds("answered", 0, 1, 0)
	commit(t, s, store.Batch{Claim: claim, Number: 2, Expect: 3, Events: [][]byte{[]byte("failed")}, End: &store.End{Kind: store.EndFail, GiveBack: true}})
	holds("given back", 7, 1, 0)
	claim = answer("r3")
	if _, err := s.Bury(ctx, store.Nack{Claim: claim, Error: "e", Terminal: []byte("buried")}); err != nil {
		t.Fatal(err)
	}
	holds("buried", 0, 1, 1)
	b = inline(view(t, s, store.ReadQuery{}).Version, "r4")
	b.Kind = store.Execute{Claimed: claimedAs("r4"), Fresh: store.Fresh{Frozen: json.RawMessage("{}")}, Letter: "r3"}
	claim = begin(t, s, b)
	holds("requeued", 0, 1, 0)
	if _, err := s.Bury(ctx, store.Nack{Claim: claim, Error: "e", Terminal: []byte("buried")}); err != nil {
		t.Fatal(err)
	}
	holds("buried again", 0, 1, 1)
	if ok, err := s.Delete(ctx, testKey, store.Deletion{}); !ok || err != nil {
		t.Fatal(ok, err)
	}
	holds("deleted", 0, 0, 0)
}

// A digest may be met by what it does not stand for. Members that lead to
// somebody else's thread show what that would be like.
func TestAMemberOfAnIndexProvesNothing(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: 1})
	ctx := context.Background()
	b := inline(0, "r1")
	b.Tenant = "acme"
	commit(t, s, asks(begin(t, s, b), 1))
	other := store.ThreadKey{Namespace: "m", Thread: "dead"}
	b.Thread = other
	if _, err := s.Bury(ctx, store.Nack{Claim: begin(t, s, b), Error: "e", Terminal: []byte("buried")}); err != nil {
		t.Fatal(err)
	}
	p := s.conn.Keys.Parts[0]
	move := func(key, from, to string) {
		for _, m := range s.conn.Client.ZRange(ctx, key, 0, -1).Val() {
			if rest, ok := strings.CutPrefix(m, from); ok {
				s.conn.Client.ZAdd(ctx, key, redis.Z{Member: to + rest})
			}
		}
	}
	move(p.Inbox, index.Digest("acme"), index.Digest("mallory"))
	move(p.Dead, index.Digest("acme"), index.Digest("mallory"))
	move(p.Lists, index.ThreadList+index.Digest("n"), index.ThreadList+index.Digest("mallory"))
	for tenant, want := range map[string]string{"acme": "1 1", "mallory": "0 0"} {
		inbox, err := s.Inbox(ctx, store.InboxQuery{Tenant: tenant})
		letters, errLetters := s.DeadLetters(ctx, store.PageQuery{Tenant: tenant})
		if got := fmt.Sprint(len(inbox.Items), " ", len(letters.Letters)); got != want || err != nil || errLetters != nil {
			t.Errorf("%s: %s, want %s (%v, %v)", tenant, got, want, err, errLetters)
		}
	}
	for namespace, want := range map[string]int{"n": 1, "mallory": 0} {
		if page, err := s.Threads(ctx, store.ThreadQuery{Namespace: namespace}); len(page.Threads) != want || err != nil {
			t.Errorf("%s: %+v, %v", namespace, page, err)
		}
	}
	// What is listed and gone is left out too, and the page is filled with others.
	for i := range 30 {
		member := index.ThreadList + index.Digest("n") + fmt.Sprintf("%06d%022d", i, i)
		if err := s.conn.Client.ZAdd(ctx, p.Lists, redis.Z{Member: member}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	page, err := s.Threads(ctx, store.ThreadQuery{Namespace: "n", Limit: 1})
	if len(page.Threads) != 1 || page.Next != "" || err != nil {
		t.Errorf("behind what is gone: %+v, %v", page, err)
	}
}

func TestLargeEventsGoWithTheirPositions(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{LargeEvent: 10, Retain: 1})
	ctx := context.Background()
	holds := func(want int64) {
		t.Helper()
		th := s.conn.Keys.Thread(testKey)
		list, errList := s.conn.Client.LRange(ctx, th.Log(), 0, -1).Result()
		marks := int64(0)
		for _, e := range list {
			if strings.HasSuffix(e, ":"+link.LargeMark) {
				marks++
			}
		}
		if n, err := s.conn.Client.HLen(ctx, th.Big()).Result(); n != want || marks != want || err != nil || errList != nil {
			t.Errorf("%d large events and %d marks, want %d of each (%v, %v)", n, marks, want, err, errList)
		}
	}
	claim := begin(t, s, inline(0, "r1"))
	commit(t, s, store.Batch{Claim: claim, Number: 2, Expect: 1, Events: [][]byte{[]byte("eleven byte"), []byte("ten bytes."), delta}})
	holds(2)
	end := &store.End{Kind: store.EndFinish, Snapshot: &store.SnapshotUpdate{State: json.RawMessage("{}")}}
	commit(t, s, store.Batch{Claim: claim, Number: 3, Expect: 4, Events: [][]byte{delta}, End: end})
	holds(1)
	claim = begin(t, s, inline(2, "r2"))
	commit(t, s, store.Batch{Claim: claim, Number: 2, Expect: 6, Events: [][]byte{[]byte("end")}, End: end})
	holds(0)
}
