package redisstore

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// turn lets a run end that changes the snapshot.
func turn(t *testing.T, s *Store, n int64, run string, u *store.SnapshotUpdate) {
	t.Helper()
	ctx := context.Background()
	v, err := s.Read(ctx, testKey, store.ReadQuery{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Begin(ctx, inline(v.Version, run))
	if err != nil || res.Status != store.BeginAccepted {
		t.Fatal(res, err)
	}
	b := store.Batch{Claim: res.Claim, Number: 2, Expect: res.Position.Seq + 1, Events: [][]byte{[]byte("end")}, End: &store.End{Kind: store.EndFinish, Snapshot: u}}
	if res, err := s.Commit(ctx, b); err != nil || res.Status != store.CommitOK {
		t.Fatal(n, res, err)
	}
}

func updateOf(drop int, ids ...string) *store.SnapshotUpdate {
	u := &store.SnapshotUpdate{Drop: drop, Append: ids, Upsert: map[string]json.RawMessage{}}
	for _, id := range ids {
		u.Upsert[id] = json.RawMessage(fmt.Sprintf("%q", id))
	}
	return u
}

func messagesOf(t *testing.T, s *Store) []string {
	t.Helper()
	v, err := s.Read(context.Background(), testKey, store.ReadQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range v.Snapshot.Messages {
		var id string
		if err := json.Unmarshal(m, &id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

// The order of a thread that format 1 has left is read, and put into chunks by the first
// run that changes it.
func TestTheOrderOfFormat1IsPutIntoChunks(t *testing.T) {
	for name, c := range map[string]struct {
		update *store.SnapshotUpdate
		want   []string
		kept   bool // as it was
	}{
		"adds":           {updateOf(0, "d"), []string{"a", "b", "c", "d"}, false},
		"takes and adds": {updateOf(2, "d"), []string{"a", "d"}, false},
		"takes all":      {updateOf(7, "d"), []string{"d"}, false},
		"tells all":      {&store.SnapshotUpdate{Order: []string{"c", "a"}}, []string{"c", "a"}, false},
		"no change":      {&store.SnapshotUpdate{State: json.RawMessage("{}")}, []string{"a", "b", "c"}, true},
	} {
		for _, chunks := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " chunks ", chunks), func(t *testing.T) {
				server := redistest.Start(t, redistest.Options{})
				s := open(t, server.URL(), Options{})
				turn(t, s, 1, "r1", updateOf(0, "a", "b", "c"))
				snap := s.keys.thread(testKey).snap()
				commands := [][]string{{"HSET", snap, "o", `["a","b","c"]`}}
				if !chunks { // or those of before have stayed
					commands = append(commands, []string{"HDEL", snap, "n", "o0"})
				}
				for _, command := range commands {
					if _, err := server.Do(command...); err != nil {
						t.Fatal(err)
					}
				}
				if got := messagesOf(t, s); !slices.Equal(got, []string{"a", "b", "c"}) {
					t.Fatalf("of format 1: %q", got)
				}
				turn(t, s, 2, "r2", c.update)
				if got := messagesOf(t, s); !slices.Equal(got, c.want) {
					t.Errorf("%q, not %q", got, c.want)
				}
				if kept, err := server.Do("HEXISTS", snap, "o"); err != nil || (kept == ":1") != c.kept {
					t.Errorf("o is there: %s %v", kept, err)
				}
			})
		}
	}
}
