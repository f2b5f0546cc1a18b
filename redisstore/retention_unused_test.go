package redisstore

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// Who attaches to threads at random leaves nothing behind for ever.
func TestUnusedThreadsAreForgotten(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: 1})
	ctx := context.Background()
	rec := s.conn.Keys.Thread(testKey).Rec()
	ttl := func() time.Duration {
		t.Helper()
		d, err := s.conn.Client.PTTL(ctx, rec).Result()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	epoch := view(t, s, store.ReadQuery{Follower: true}).Epoch
	if d := ttl(); d <= time.Minute || d > 2*time.Minute {
		t.Errorf("an unused thread that is followed is kept for %v", d)
	}
	n, err := s.conn.Client.MemoryUsage(ctx, rec).Result()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("an unused thread's record takes %d bytes", n)
	// While somebody follows it, it stays as it is.
	for name, look := range map[string]func(){
		"tail": func() {
			if _, err := s.Tail(ctx, []store.ThreadKey{testKey}); err != nil {
				t.Fatal(err)
			}
		},
		"read": func() { view(t, s, store.ReadQuery{Follower: true}) },
		"range": func() {
			if _, err := s.Range(ctx, testKey, epoch, 1, 1); err != nil {
				t.Fatal(err)
			}
		},
	} {
		if err := s.conn.Client.PExpire(ctx, rec, time.Minute).Err(); err != nil {
			t.Fatal(err)
		}
		if look(); ttl() <= time.Minute || ttl() > 2*time.Minute {
			t.Errorf("%s: its record goes in %v", name, ttl())
		}
	}
	claim := begin(t, s, inline(0, "r1"))
	if d := ttl(); d >= 0 || view(t, s, store.ReadQuery{}).Epoch != epoch {
		t.Errorf("a used thread goes in %v", d)
	}
	commit(t, s, store.Batch{Claim: claim, Number: 2, Expect: 1, Events: [][]byte{[]byte("end")}, End: &store.End{Kind: store.EndFinish}})
	if _, err := s.Tail(ctx, []store.ThreadKey{testKey}); err != nil || ttl() >= 0 {
		t.Errorf("a used thread goes in %v (%v)", ttl(), err)
	}
	// What was deleted is remembered for longer, and not for less because it is followed.
	if deleted, err := s.Delete(ctx, testKey, store.Deletion{}); !deleted || err != nil {
		t.Fatal(deleted, err)
	}
	if view(t, s, store.ReadQuery{Follower: true}); ttl() < remember-time.Minute {
		t.Errorf("a deleted thread that is followed is remembered for %v", ttl())
	}
}

// The name of a thread that was made lasts until its first input, though somebody has followed
// the thread, or it was deleted before. Without its name the record goes as others do.
func TestNameOfAMadeThreadIsKept(t *testing.T) {
	ctx, s := t.Context(), open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Follow: time.Minute})
	rec := s.conn.Keys.Thread(testKey).Rec()
	made, runs := 0, 0
	makes := func() {
		t.Helper()
		made++
		if _, err := s.PutNode(ctx, testKey, store.NodeChange{Request: fmt.Sprint(made), Create: true, Version: store.AnyVersion}); err != nil {
			t.Fatal(err)
		}
	}
	names := func(title string) {
		t.Helper()
		if ok, err := s.SetTitle(ctx, testKey, title); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	for when, before := range map[string]func(){
		"of which nothing is known": func() {},
		"that is followed":          func() { view(t, s, store.ReadQuery{Follower: true}) },
		"that was deleted": func() {
			runs++
			claim := begin(t, s, inline(0, fmt.Sprint("r", runs)))
			commit(t, s, store.Batch{Claim: claim, Number: 2, Expect: 1, Events: [][]byte{[]byte("end")}, End: &store.End{Kind: store.EndFinish}})
			if deleted, err := s.Delete(ctx, testKey, store.Deletion{}); !deleted || err != nil {
				t.Fatal(deleted, err)
			}
		},
	} {
		before()
		makes()
		names("Name")
		view(t, s, store.ReadQuery{Follower: true})
		if d := s.conn.Client.PTTL(ctx, rec).Val(); d != -1 {
			t.Errorf("a thread %s: its name goes in %v", when, d)
		}
		names("")
		if d := s.conn.Client.PTTL(ctx, rec).Val(); d == -1 {
			t.Errorf("a thread %s: its record stays for ever without a name", when)
		}
		names("Name")
		if res, err := s.DeleteTree(ctx, testKey, store.DeleteReject, store.Deletion{}); !res.Deleted || err != nil {
			t.Fatal(res, err)
		}
		if d := s.conn.Client.PTTL(ctx, rec).Val(); d == -1 {
			t.Errorf("a thread %s: its record stays for ever when it is deleted", when)
		}
	}
}

// Who comes and goes under ever new names leaves nothing with a thread that others
// follow.
func TestFollowersThatHaveGoneAreStruckOut(t *testing.T) {
	url := redistest.Start(t, redistest.Options{}).URL()
	clock := time.UnixMilli(1_700_000_000_000)
	node := func(name string) *Store {
		return open(t, url, Options{Node: name, Partitions: 1, Follow: time.Minute, Clock: func() time.Time { return clock }})
	}
	stays := node("stays")
	view(t, stays, store.ReadQuery{Follower: true})
	for n := range 20 {
		view(t, node(fmt.Sprint("passes", n)), store.ReadQuery{Follower: true})
		clock = clock.Add(20 * time.Second)
		if _, err := stays.Tail(context.Background(), []store.ThreadKey{testKey}); err != nil {
			t.Fatal(err)
		}
	}
	nodes, err := stays.conn.Client.HGet(context.Background(), stays.conn.Keys.Thread(testKey).Rec(), "nodes").Result()
	if err != nil || len(strings.Fields(nodes)) != 2*4 || !strings.Contains(nodes, "stays ") || !strings.Contains(nodes, "passes17 ") {
		t.Errorf("the thread is followed by %s, %v", nodes, err)
	}
}
