package redisstore

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// What a release wrote that does not count a thread's bytes is counted when it is
// looked at, of many messages from some; and so is what such a release has written
// beside one that counts.
func TestBytesOfAThreadAreFoundOut(t *testing.T) {
	const messages, size = 1000, 50
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: 1})
	ctx := context.Background()
	end := store.Batch{Claim: begin(t, s, inline(0, "r1")), Number: 2, Expect: 1, Events: [][]byte{[]byte("end")},
		End: &store.End{Kind: store.EndFinish, Snapshot: &store.SnapshotUpdate{Upsert: map[string]json.RawMessage{}}}}
	for i := range messages {
		id := fmt.Sprintf("%04d", i)
		end.End.Snapshot.Order = append(end.End.Snapshot.Order, id)
		end.End.Snapshot.Upsert[id] = json.RawMessage(`"` + strings.Repeat("x", size-2) + `"`)
	}
	commit(t, s, end)
	counted := view(t, s, store.ReadQuery{}).Bytes
	if counted < messages*size {
		t.Fatalf("%d bytes are counted", counted)
	}
	rec := s.conn.Keys.Thread(testKey).Rec()
	for _, stale := range []string{"", "7 1", "no number"} {
		if err := s.conn.Client.HSet(ctx, rec, "held", stale).Err(); err != nil {
			t.Fatal(err)
		}
		if found := view(t, s, store.ReadQuery{}).Bytes; found < counted-counted/50 || found > counted+counted/50 {
			t.Errorf("with %q noted: %d bytes, not about %d", stale, found, counted)
		}
	}
}
