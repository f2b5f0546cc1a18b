package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
)

func TestEmbeddedStoresAreNotDurableAndShareNothing(t *testing.T) {
	var views []*store.ThreadView
	for range 2 {
		s, err := Embedded(nil)
		if err != nil {
			t.Fatal(err)
		}
		closing(t, s)
		if s.Durable() {
			t.Error("durable")
		}
		views = append(views, view(t, s, store.ReadQuery{Follower: true}))
		begin(t, s, inline(0, "r1"))
	}
	if views[0].Epoch == views[1].Epoch || views[1].Seq != 0 {
		t.Error("two stores share a thread")
	}
}

func TestALeaseEndsByTheClockOfABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Embedded(&Options{Lease: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		claim := begin(t, s, inline(0, "r1"))
		time.Sleep(59 * time.Minute)
		if ok, err := s.Renew(ctx, claim); !ok || err != nil {
			t.Fatal(ok, err)
		}
		time.Sleep(59 * time.Minute)
		if due, err := wanting(ctx, s, 1); len(due) != 0 || err != nil {
			t.Fatal(due, err)
		}
		time.Sleep(2 * time.Minute)
		if due, err := wanting(ctx, s, 1); len(due) != 1 || err != nil {
			t.Fatal(due, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestAQuietNodeChannelIsNotTakenForDead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Embedded(nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Listen(func(d store.Delivery) { t.Errorf("heard %+v", d) })
		time.Sleep(time.Hour)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestLabelsAndAnswersGoAtRestAndNotWhileAnInterruptIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Embedded(&Options{Keep: 10 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		q := store.ReadQuery{Label: "r1", ToolCallIDs: []string{"call"}}
		claim := begin(t, s, inline(0, "r1"))
		commit(t, s, store.Batch{Claim: claim, Number: 2, Expect: 1, Events: [][]byte{[]byte("asks")},
			End: &store.End{Kind: store.EndSuspend, Suspension: []byte("{}"), ToolCalls: []string{"call"}}})
		retires := func() {
			t.Helper()
			for more := true; more; {
				var err error
				if more, err = s.Retire(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		time.Sleep(2 * time.Hour)
		retires()
		if v := view(t, s, q); len(v.Labelled) != 1 || !v.Asked["call"] || v.Suspension == nil {
			t.Errorf("while an interrupt is open: %+v", v)
		}
		claim = begin(t, s, answering(2, "r2", "xr1"))
		commit(t, s, store.Batch{Claim: claim, Number: 2, Expect: 3, Events: [][]byte{[]byte("end")}, End: &store.End{Kind: store.EndFinish}})
		time.Sleep(5 * time.Minute)
		retires()
		if v := view(t, s, q); len(v.Labelled) != 0 || !v.Asked["call"] {
			t.Errorf("in time: %+v", v)
		}
		time.Sleep(10 * time.Minute)
		retires()
		if v := view(t, s, q); len(v.Labelled) != 0 || v.Asked["call"] || v.Seq != 4 {
			t.Errorf("afterwards: %+v", v)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestAnExecutionsKeysGoWithItsEnd(t *testing.T) {
	s, err := Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	closing(t, s)
	kept := func() (names []string) {
		for _, key := range s.conn.Keys.Thread(testKey).All() {
			if n, err := s.conn.Client.Exists(context.Background(), key).Result(); err != nil {
				t.Fatal(err)
			} else if n > 0 {
				names = append(names, key[strings.LastIndexByte(key, ':')+1:])
			}
		}
		return names
	}
	claim := begin(t, s, inline(0, "r1"))
	commit(t, s, store.Batch{Claim: claim, Number: 2, Expect: 1, Entries: []json.RawMessage{json.RawMessage("1")}})
	if got := fmt.Sprint(kept()); got != "[rec log runs journal leases counts lists notices]" {
		t.Errorf("of an active run: %s", got)
	}
	commit(t, s, store.Batch{Claim: claim, Number: 3, Expect: 1, Events: [][]byte{[]byte("end")}, End: &store.End{Kind: store.EndFinish}})
	if got := fmt.Sprint(kept()); got != "[rec log runs counts lists notices]" {
		t.Errorf("of an ended run: %s", got)
	}
	begin(t, s, inline(2, "r2"))
	if _, err := s.Stop(context.Background(), store.Stop{Thread: testKey, Request: "q", Label: "r2", Terminal: []byte("stopped")}); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(kept()); got != "[rec log runs counts lists notices]" {
		t.Errorf("of a stopped run: %s", got)
	}
	if ok, err := s.Delete(context.Background(), testKey, store.Deletion{}); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if got := fmt.Sprint(kept()); got != "[rec notices]" {
		t.Errorf("of a deleted thread: %s", got)
	}
}

func TestCloseLetsBatchesOnTheirWayEndAndRefusesOthers(t *testing.T) {
	s, err := Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	var claims []store.Claim
	for i := range 50 {
		b := inline(0, "r1")
		b.Thread.Thread = fmt.Sprint(i)
		claims = append(claims, begin(t, s, b))
	}
	var group sync.WaitGroup
	started := make(chan struct{}, len(claims))
	for _, c := range claims {
		group.Go(func() {
			started <- struct{}{}
			res, err := s.Commit(ctx, store.Batch{Claim: c, Number: 2, Expect: 1, Events: [][]byte{[]byte("b")}})
			if err != nil && !errors.Is(err, link.ErrClosed) || err == nil && res.Status != store.CommitOK {
				t.Errorf("%+v, %v", res, err)
			}
		})
	}
	<-started
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	group.Wait()
	if _, err := s.Read(ctx, testKey, store.ReadQuery{}); err == nil {
		t.Error("read after close: no error")
	}
	if _, err := s.Commit(ctx, store.Batch{Claim: claims[0], Number: 3, Expect: 2}); !errors.Is(err, link.ErrClosed) {
		t.Errorf("commit after close: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error("closed twice:", err)
	}
}
