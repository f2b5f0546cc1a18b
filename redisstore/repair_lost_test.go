package redisstore

import (
	"context"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// Where a repair loses the messages, nobody is told to hold them.
func TestRepairThatLosesTheMessagesEndsTheEpoch(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{})
	ctx := context.Background()
	begin(t, s, inline(0, "r1"))
	before := view(t, s, store.ReadQuery{})
	have := store.ReadQuery{Have: &store.Position{Epoch: before.Epoch, Seq: before.Seq}}
	if v := view(t, s, have); !v.Held {
		t.Fatal("not held")
	}
	key := s.conn.Keys.Thread(testKey).Snap()
	s.conn.Client.Del(ctx, key)
	s.conn.Client.Set(ctx, key, "x", 0)
	if _, err := s.StopAll(ctx, store.StopAll{Thread: testKey, Request: "q", Terminal: []byte("e"), Repair: true}); err != nil {
		t.Fatal(err)
	}
	if v := view(t, s, have); v.Held || v.Epoch == before.Epoch {
		t.Errorf("held %t in epoch %q after %q", v.Held, v.Epoch, before.Epoch)
	}
}
