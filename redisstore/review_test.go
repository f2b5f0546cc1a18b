package redisstore

import (
	"slices"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// The name of a user who looks at a question leaves the server by itself.
func TestReviewersExpire(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: 2})
	begin := inline(0, "7c61d2aa-93b1-4b0e-a7f4-3c1d9a0e5b21")
	suspendOne(t, s, begin)
	key := s.conn.Keys.Thread(begin.Thread).Reviewers()
	for _, user := range []string{"ann", "bob"} {
		if _, there, err := s.Review(t.Context(), begin.Thread, user, time.Minute); err != nil || !there {
			t.Fatal(there, err)
		}
		if left, err := s.conn.Client.PTTL(t.Context(), key).Result(); err != nil || left <= 0 || left > time.Minute {
			t.Errorf("it stays for %v, %v", left, err)
		}
	}
	for _, user := range []string{"ann", "bob"} {
		if _, _, err := s.Review(t.Context(), begin.Thread, user, 0); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.conn.Client.Exists(t.Context(), key).Result(); err != nil || n != 0 {
		t.Errorf("nobody looks, and the key is there: %d, %v", n, err)
	}
}

// Whoever looks at a thread's questions, or has them assigned, goes with the thread.
func TestReviewersGoWithTheThread(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: 2})
	begin := inline(0, "7c61d2aa-93b1-4b0e-a7f4-3c1d9a0e5b21")
	suspendOne(t, s, begin)
	if there, err := s.Assign(t.Context(), begin.Thread, "ann", time.Hour); err != nil || !there {
		t.Fatal(there, err)
	}
	key := s.conn.Keys.Thread(begin.Thread).Reviewers()
	if keys, err := s.Keys(t.Context(), begin.Thread); err != nil || !slices.Contains(keys, key) {
		t.Errorf("the thread has %q, %v", keys, err)
	}
	if gone, err := s.Delete(t.Context(), begin.Thread, store.Deletion{Withdraw: func(store.Withdrawn) ([]store.Decided, bool) { return nil, false }}); err != nil || !gone {
		t.Fatal(gone, err)
	}
	if n, err := s.conn.Client.Exists(t.Context(), key).Result(); err != nil || n != 0 {
		t.Errorf("the thread is gone, and the key is there: %d, %v", n, err)
	}
}
