package redisstore

import (
	"context"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// A server that is full takes nothing new, but what makes room and what reads.
func TestAFullServerIsReadAndEmptied(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{})
	ctx := context.Background()
	claim := begin(t, s, inline(0, "r1"))
	commit(t, s, store.Batch{Claim: claim, Number: 2, Expect: 1, Events: [][]byte{[]byte("end")}, End: &store.End{Kind: store.EndFinish}})
	ordered(t, server, "CONFIG", "SET", "maxmemory", "1")
	other := testKey
	other.Thread = "other"
	for name, call := range map[string]func() error{
		"following one that is not there": func() error { _, err := s.Read(ctx, other, store.ReadQuery{Follower: true}); return err },
		"following":                       func() error { _, err := s.Read(ctx, testKey, store.ReadQuery{Follower: true}); return err },
		"following on":                    func() error { _, err := s.Tail(ctx, []store.ThreadKey{testKey, other}); return err },
	} {
		if err := call(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.conn.Client.Set(ctx, "x", "y", 0).Err(); err == nil || !strings.HasPrefix(err.Error(), "OOM") {
		t.Fatalf("it is not full: %v", err)
	}
	if res, err := s.DeleteTree(ctx, testKey, store.DeleteCascade, stage.Deleting("")); err != nil || !res.Deleted {
		t.Errorf("deleting: %+v %v", res, err)
	}
	if res, err := s.DeleteTree(ctx, other, store.DeleteReject, stage.Deleting("")); err != nil || !res.Deleted {
		t.Errorf("deleting another: %+v %v", res, err)
	}
	ordered(t, server, "CONFIG", "SET", "maxmemory", "0")
	if view, err := s.Read(ctx, testKey, store.ReadQuery{}); err != nil || view.Seq != 0 {
		t.Errorf("afterwards: %+v %v", view, err)
	}
}
