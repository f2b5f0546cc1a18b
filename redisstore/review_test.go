package redisstore

import (
	"testing"
	"time"

	"github.com/aguiws/aguiws/redisstore/redistest"
)

// The name of a user who looks at a question leaves the server by itself: nobody has to take it
// away when the user is erased.
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
