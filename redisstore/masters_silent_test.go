package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// soon is how long a store waits for a master that has been stopped.
const soon = 4 * time.Second

// patientCluster is a Cluster of which no master takes another for dead.
func patientCluster(t *testing.T) *redistest.Masters {
	t.Helper()
	masters := redistest.Cluster(t)
	for _, server := range masters.Servers {
		ordered(t, server, "CONFIG", "SET", "cluster-node-timeout", "600000")
	}
	return masters
}

// masterOf is which of three masters has a key.
func masterOf(key string) int {
	if _, tag, ok := strings.Cut(key, "{"); ok {
		key, _, _ = strings.Cut(tag, "}")
	}
	return int(keyspace.Crc16(key)%keyspace.Slots) * 3 / keyspace.Slots
}

// threadOn is the n-th thread that one of three masters has.
func threadOn(s *Store, master, n int) store.ThreadKey {
	for i := 0; ; i++ {
		key := store.ThreadKey{Namespace: "n", Thread: fmt.Sprint("t", i)}
		if masterOf(s.conn.Keys.Thread(key).Part.Leases) == master {
			if n == 0 {
				return key
			}
			n--
		}
	}
}

func beginOn(t *testing.T, s *Store, key store.ThreadKey) store.Claim {
	t.Helper()
	b := inline(0, "r")
	b.Thread, b.Tenant = key, "tenant"
	return begin(t, s, b)
}

func suspendOn(t *testing.T, s *Store, key store.ThreadKey) {
	t.Helper()
	commit(t, s, store.Batch{Claim: beginOn(t, s, key), Number: 2, Expect: 1, Events: [][]byte{[]byte("end")},
		End: &store.End{Kind: store.EndSuspend, Suspension: json.RawMessage(`{}`), Interrupts: []string{"i"}}})
}

func TestAFrozenMasterHoldsUpNoCommitsOfOthers(t *testing.T) {
	suite.Full(t)
	masters := patientCluster(t)
	s := open(t, masters.URL(), Options{Lease: time.Hour})
	// All partitions of a committer's share, so that any way of sharing would be noticed.
	var sick, healthy []store.Claim
	for n := range 8 {
		sick = append(sick, beginOn(t, s, threadOn(s, 0, n)))
		healthy = append(healthy, beginOn(t, s, threadOn(s, 1, n)), beginOn(t, s, threadOn(s, 2, n)))
	}
	batch := func(c store.Claim, number int64) error {
		res, err := s.Commit(context.Background(), store.Batch{Claim: c, Number: number, Expect: number - 1, Events: [][]byte{[]byte("e")}})
		if err == nil && res.Status != store.CommitOK {
			err = fmt.Errorf("status %d", res.Status)
		}
		return err
	}
	masters.Servers[0].Freeze()
	t.Cleanup(masters.Servers[0].Thaw)
	late := make(chan error, len(sick))
	for _, c := range sick {
		go func() { late <- batch(c, 2) }()
	}
	for number := range int64(10) {
		for _, c := range healthy {
			if err := batch(c, number+2); err != nil {
				t.Error(err)
			}
			if len(late) > 0 {
				t.Fatalf("the commits of two masters have waited for those of a third: %v", <-late)
			}
		}
	}
	masters.Servers[0].Thaw()
	for range sick {
		if err := <-late; err != nil {
			t.Error(err)
		}
	}
}

func TestWhatAFrozenMasterHasIsMissingAndNothingElse(t *testing.T) {
	suite.Full(t)
	masters := patientCluster(t)
	s := open(t, masters.URL(), Options{Timeout: soon})
	ctx := context.Background()
	var all, there []string
	for n := range 4 {
		for master := range 3 {
			key := threadOn(s, master, n)
			suspendOn(t, s, key)
			all = append(all, key.Thread)
			if master != 0 {
				there = append(there, key.Thread)
			}
		}
	}
	slices.Sort(all)
	slices.Sort(there)
	lost := open(t, masters.URL(), Options{Timeout: soon, Lease: time.Millisecond})
	for _, master := range []int{0, 1, 2} {
		beginOn(t, lost, threadOn(s, master, 10))
	}
	masters.Servers[0].Freeze()

	inbox := func(cursor string) (names []string, next string, err error) {
		page, err := s.Inbox(ctx, store.InboxQuery{Tenant: "tenant", Limit: 5, Cursor: cursor})
		for _, item := range page.Items {
			names = append(names, item.Thread.Thread)
		}
		return names, page.Next, err
	}
	threads := func(cursor string) (names []string, next string, err error) {
		page, err := s.Threads(ctx, store.ThreadQuery{Namespace: "n", Limit: 7, Cursor: cursor})
		for _, item := range page.Threads {
			if slices.Contains(all, item.Thread.Thread) {
				names = append(names, item.Thread.Thread)
			}
		}
		return names, page.Next, err
	}
	// walk goes through the pages until there is no other or none can be had.
	walk := func(list func(string) ([]string, string, error), cursor string) (names []string, at string, err error) {
		for {
			some, next, err := list(cursor)
			if err != nil && !errors.Is(err, store.ErrPartial) || next == "" {
				return append(names, some...), cursor, err
			}
			if len(names) == 0 && err == nil {
				t.Error("a page does not say that it is partial")
			}
			names, cursor = append(names, some...), next
			if len(names) > len(all) {
				t.Fatalf("the walk does not end: %v", names)
			}
		}
	}
	same := func(what string, got, want []string) {
		t.Helper()
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, not %v", what, got, want)
		}
	}
	var group sync.WaitGroup
	thawed := make(chan struct{})
	var frozen sync.WaitGroup
	for what, list := range map[string]func(string) ([]string, string, error){"inbox": inbox, "threads": threads} {
		frozen.Add(1)
		group.Go(func() {
			found, cursor, err := walk(list, "")
			if !errors.Is(err, store.ErrOutcomeUnknown) || errors.Is(err, store.ErrPartial) {
				t.Errorf("%s, when all that answers has been read: %v", what, err)
			}
			same(what+" while a master is frozen", slices.Clone(found), there)
			frozen.Done()
			<-thawed
			rest, err := wholePages(list, cursor)
			if err != nil {
				t.Errorf("%s, afterwards: %v", what, err)
			}
			same(what+", in all", append(found, rest...), all)
		})
	}
	partial := func(what string, err error) {
		if !errors.Is(err, store.ErrPartial) || !errors.Is(err, store.ErrOutcomeUnknown) {
			t.Errorf("%s: %v", what, err)
		}
	}
	frozen.Add(4)
	group.Go(func() {
		defer frozen.Done()
		for range 3 { // whichever partition comes first
			due, err := wanting(ctx, s, 100)
			partial("due", err)
			if len(due) != 2 {
				t.Errorf("due: %v", due)
			}
		}
	})
	group.Go(func() {
		defer frozen.Done()
		ends, err := s.Tail(ctx, []store.ThreadKey{threadOn(s, 0, 0), threadOn(s, 1, 0), threadOn(s, 2, 0)})
		partial("tail", err)
		if len(ends) != 3 || ends[0] != (store.Position{}) || ends[1].Seq != 2 || ends[2].Seq != 2 {
			t.Errorf("tail: %v", ends)
		}
	})
	group.Go(func() {
		defer frozen.Done()
		counts, err := s.CountTenant(ctx, "tenant")
		partial("counts", err)
		if counts[store.DispatchAcked] != 8 || counts[store.DispatchClaimed] != 2 {
			t.Errorf("counts: %v", counts)
		}
	})
	group.Go(func() {
		defer frozen.Done()
		failed := 0
		for more := true; more; {
			var err error
			if more, err = s.Retire(ctx); err != nil {
				failed++
			}
		}
		if failed < 1 || failed > 2 { // of threads, and of notices and decisions, which may be one call
			t.Errorf("retire: a pass has failed %d times", failed)
		}
	})
	frozen.Wait()
	masters.Servers[0].Thaw()
	heardAgain(t, s)
	if due, err := wanting(ctx, s, 100); err != nil || len(due) != 3 {
		t.Errorf("due, afterwards: %v, %v", due, err)
	}
	close(thawed)
	group.Wait()
}

// wholePages goes through all pages from a cursor on.
func wholePages(list func(string) ([]string, string, error), cursor string) (names []string, err error) {
	for {
		some, next, err := list(cursor)
		names = append(names, some...)
		if err != nil || next == "" {
			return names, err
		}
		cursor = next
	}
}

func TestAStoreOpensAndHearsThoughAMasterIsFrozen(t *testing.T) {
	suite.Full(t)
	masters := patientCluster(t)
	frozen := (masterOf(keyspace.MetaKey("aguiws")) + 1) % 3
	other := open(t, masters.URL(), Options{Node: "other"})
	node := ""
	for i := 0; node == "" || masterOf(other.conn.Keys.NodeChannel(node)) != frozen; i++ {
		node = fmt.Sprint("node", i)
	}
	masters.Servers[frozen].Freeze()
	t.Cleanup(masters.Servers[frozen].Thaw)
	s := open(t, masters.URL(), Options{Timeout: soon, Node: node})
	if !slices.ContainsFunc(s.Warnings(), func(w Warning) bool { return strings.HasSuffix(w.Setting, " master") && w.Value == "silent" }) {
		t.Errorf("warnings: %v", s.Warnings())
	}
	heard := make(chan store.Delivery, 10)
	s.Listen(func(d store.Delivery) { heard <- d })
	key := threadOn(s, (frozen+1)%3, 0)
	if _, err := s.Read(context.Background(), key, store.ReadQuery{Follower: true}); err != nil {
		t.Fatal(err)
	}
	beginOn(t, other, key)
	if d := next(t, heard); d.Kind != store.DeliverEvents || d.Thread != key {
		t.Errorf("heard %+v", d)
	}
}
