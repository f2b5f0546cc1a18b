package redisstore

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// failoverLimit is how long a promotion may take.
const failoverLimit = 30 * time.Second

func TestAPromotedReplicaGoesOnUnderAnotherEpoch(t *testing.T) {
	if testing.Short() {
		t.Skip("a fail-over takes seconds; -short leaves it out")
	}
	pair := redistest.Sentinel(t)
	s := open(t, pair.URL(), Options{})
	other := open(t, pair.URL(), Options{Node: "other"})
	var lost atomic.Int64
	heard := make(chan string, 100)
	other.Listen(func(d store.Delivery) {
		switch d.Kind {
		case store.DeliverLost:
			lost.Add(1)
		case store.DeliverEvents:
			for _, e := range d.Events {
				heard <- string(e)
			}
		}
	})
	view(t, other, store.ReadQuery{Follower: true})
	claim := begin(t, s, inline(0, "r1"))
	commit(t, s, store.Batch{Claim: claim, Number: 2, Expect: 1, Events: [][]byte{[]byte("b")}})
	renew := func() error {
		kept, err := s.Renew(context.Background(), claim)
		if err == nil && !kept {
			t.Fatal("the claim is lost")
		}
		return err
	}
	if err := renew(); err != nil {
		t.Fatal(err)
	}
	before := view(t, s, store.ReadQuery{})
	enqueue(t, s, "before", "")
	nextOf(t, other)
	await(t, "the replica has it all", func() bool {
		master, err := pair.Master.Do("INFO", "replication")
		replica, errReplica := pair.Replica.Do("INFO", "replication")
		return err == nil && errReplica == nil &&
			link.ParseInfo(master)["master_repl_offset"] == link.ParseInfo(replica)["slave_repl_offset"]
	})
	pair.Master.Kill()

	deadline := time.Now().Add(failoverLimit)
	retry := func(call func() error) {
		t.Helper()
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for err := call(); err != nil; err = call() {
			if !errors.Is(err, store.ErrOutcomeUnknown) || time.Now().After(deadline) {
				t.Fatal(err)
			}
			<-tick.C
		}
	}
	var res store.CommitResult
	retry(func() (err error) {
		res, err = s.Commit(context.Background(), store.Batch{Claim: claim, Number: 3, Expect: 2, Events: [][]byte{[]byte("c")}})
		return err
	})
	if res.Status != store.CommitOK || res.End.Seq != 3 || res.End.Epoch == before.Epoch {
		t.Errorf("commit: %+v, the epoch was %s", res, before.Epoch)
	}
	retry(renew)
	v := view(t, s, store.ReadQuery{After: &store.Position{Epoch: before.Epoch, Seq: 2}})
	if v.Recovered || v.Epoch != res.End.Epoch || len(v.Log) != 3 {
		t.Errorf("recovered %t under %s, %d events", v.Recovered, v.Epoch, len(v.Log))
	}
	await(t, "the other node is told that it may have missed something", func() bool { return lost.Load() > 0 })
	commit(t, s, store.Batch{Claim: claim, Number: 4, Expect: 3, Events: [][]byte{[]byte("d")}})
	for e := ""; e != "d"; {
		select {
		case e = <-heard:
		case <-time.After(failoverLimit):
			t.Fatal("the other node does not hear the new master")
		}
	}
	enqueue(t, s, "after", "")
	if work := nextOf(t, other); work[0].Thread.Thread != "after" {
		t.Errorf("given %+v", work)
	}
}
