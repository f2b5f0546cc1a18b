package redisstore

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// What clients may refer to again expires behind a run's end, however it ends, and neither
// before it nor while the thread waits.
func TestTheMemoExpiresAtRest(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{})
	ctx := context.Background()
	expires := func(when string, want bool) {
		t.Helper()
		left, err := s.conn.Client.PTTL(ctx, s.conn.Keys.Thread(testKey).Base+"memo").Result()
		if err != nil || left > 0 != want {
			t.Errorf("%s: it expires in %v, %v", when, left, err)
		}
	}
	version := func() int64 { return view(t, s, store.ReadQuery{}).Version }
	seq := int64(0)
	ends := func(claim store.Claim, end store.End) {
		t.Helper()
		seq++
		commit(t, s, store.Batch{Claim: claim, Number: 2, Expect: seq, Events: [][]byte{delta}, End: &end})
		seq++
	}
	claim := begin(t, s, inline(0, "r1"))
	expires("of the first run", false)
	ends(claim, store.End{Kind: store.EndFinish})
	expires("after its end", true)

	b := inline(version(), "r2")
	b.Execution = "x"
	claim = begin(t, s, b)
	expires("of another run", false)
	ends(claim, store.End{Kind: store.EndSuspend, Suspension: json.RawMessage("{}"), Interrupts: []string{"int"}})
	expires("while it waits", false)
	claim = begin(t, s, answering(version(), "r3", "x"))
	expires("while it goes on", false)
	ends(claim, store.End{Kind: store.EndFinish})
	expires("after that", true)

	begin(t, s, inline(version(), "r4"))
	if _, err := s.Stop(ctx, store.Stop{Thread: testKey, Request: "q", RunID: "r4", Terminal: []byte("stopped")}); err != nil {
		t.Fatal(err)
	}
	expires("after a stop", true)
}
