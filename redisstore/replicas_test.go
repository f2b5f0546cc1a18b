package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/redisstore/storetest"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// unknown wants an unknown outcome because of the replicas.
func unknown(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, store.ErrOutcomeUnknown) || !strings.Contains(err.Error(), "replicas") {
		t.Errorf("%s: %v", what, err)
	}
}

// waitsForReplica tries each kind of call while the replica hangs, and again.
func waitsForReplica(t *testing.T, url string, pause, resume func()) {
	ctx := context.Background()
	s := open(t, url, Options{WaitReplicas: 1, WaitTimeout: 100 * time.Millisecond, Timeout: patience})
	other := open(t, url, Options{Node: "other", Timeout: patience})
	// Its connections have written nothing of late that a replica may lack.
	again := open(t, url, Options{Node: "again", WaitReplicas: 1, WaitTimeout: 100 * time.Millisecond, Timeout: patience})
	var claim store.Claim
	retried(t, func() error {
		res, err := s.Begin(ctx, inline(0, "r1"))
		claim = res.Claim
		return err
	})
	batch := store.Batch{Claim: claim, Number: 2, Expect: 1, Events: [][]byte{[]byte("b")}}
	end := store.Batch{Claim: claim, Number: 3, Expect: 2, Events: [][]byte{[]byte("end")}, End: &store.End{Kind: store.EndFinish}}
	second := inline(2, "r2")
	commit := func(b store.Batch) func(*Store) error {
		return func(s *Store) error {
			res, err := s.Commit(ctx, b)
			if err == nil && res.Status != store.CommitOK {
				t.Errorf("batch %d: %+v", b.Number, res)
			}
			return err
		}
	}
	calls := []struct {
		name string
		call func(*Store) error
	}{
		{"commit", commit(batch)},
		{"end", commit(end)},
		{"begin", func(s *Store) error {
			res, err := s.Begin(ctx, second)
			if err == nil && (res.Status != store.BeginAccepted) {
				t.Errorf("begin: %+v", res)
			}
			return err
		}},
		{"stop", func(s *Store) error {
			_, err := s.Stop(ctx, store.Stop{Thread: testKey, Request: "q", Label: "r2", Terminal: []byte("stopped")})
			return err
		}},
	}
	pause()
	for _, c := range calls {
		unknown(t, c.name, c.call(s))
		unknown(t, c.name+" sent again", c.call(s))
		unknown(t, c.name+" sent again elsewhere, where it writes nothing", c.call(again))
	}
	if v := view(t, s, store.ReadQuery{}); v.Seq != 5 {
		t.Errorf("reading does not wait: the log ends at %d", v.Seq)
	}
	if held, err := s.Renew(ctx, claim); held || err != nil {
		t.Errorf("a lease does not wait: %t, %v", held, err)
	}
	if _, err := other.SetTitle(ctx, testKey, "x"); err != nil {
		t.Errorf("a store that does not wait: %v", err)
	}
	resume()
	for _, c := range calls[1:] { // by their ends the runs recognise themselves
		retried(t, func() error { return c.call(s) })
	}
	if v := view(t, s, store.ReadQuery{}); v.Seq != 5 {
		t.Errorf("the log ends at %d", v.Seq)
	}
}

// A store opens when the replicas are there, and is ready while they are.
func TestAStoreWaitsForItsReplicas(t *testing.T) {
	master := redistest.Start(t, redistest.Options{TCP: true, Args: []string{"--repl-diskless-sync-delay", "0"}})
	said := make(chan struct{})
	opened := make(chan error, 1)
	var s *Store
	go func() {
		var err error
		s, err = Open(t.Context(), master.URL(), &Options{WaitReplicas: 1, Logger: whenWaiting(func() { close(said) })})
		opened <- err
	}()
	<-said
	replica := redistest.Replica(t, master)
	if err := <-opened; err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("with its replica: %v", err)
	}
	replica.Kill()
	for s.Ready(t.Context()) == nil { // until the master has noticed
	}
	if err := s.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "there are too few replicas") {
		t.Errorf("without its replica: %v", err)
	}
}

func TestAnAcknowledgementWaitsForTheReplica(t *testing.T) {
	suite.Full(t)
	master := redistest.Start(t, redistest.Options{TCP: true, Args: []string{"--repl-diskless-sync-delay", "0"}})
	replica := redistest.Replica(t, master)
	waitsForReplica(t, master.URL(), replica.Freeze, replica.Thaw)
}

func TestAnAcknowledgementWaitsForTheReplicaOnCluster(t *testing.T) {
	suite.Full(t)
	cluster := redistest.Cluster(t)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := Open(ctx, cluster.URL(), &Options{WaitReplicas: 1}); err == nil {
		t.Error("masters without replicas: no error")
	}
	replicas := cluster.Replicate(t)
	all := func(f func(*redistest.Server)) func() {
		return func() {
			for _, r := range replicas {
				f(r)
			}
		}
	}
	waitsForReplica(t, cluster.URL(), all((*redistest.Server).Freeze), all((*redistest.Server).Thaw))
}

// While a slot moves, a script whose keys have gone is told ASK: what decides goes
// after them as what reads does, and waits for the replicas there.
func TestAnAcknowledgementWaitsWhereTheKeysHaveGone(t *testing.T) {
	suite.Full(t)
	cluster := redistest.Cluster(t)
	replicas := cluster.Replicate(t)
	masters := newMovable(t, cluster)
	ctx := context.Background()
	s := open(t, cluster.URL(), Options{WaitReplicas: 1, WaitTimeout: patience, Timeout: patience, Lease: time.Hour})
	hasty := open(t, cluster.URL(), Options{Node: "hasty", WaitReplicas: 1, WaitTimeout: 100 * time.Millisecond, Timeout: patience})
	var claim store.Claim
	retried(t, func() error {
		res, err := s.Begin(ctx, inline(0, "r1"))
		claim = res.Claim
		return err
	})
	keys := s.conn.Keys.Thread(testKey)
	slot := int(keyspace.Crc16(strings.Trim(keys.Part.Base[len("aguiws:"):], "{}:")) % keyspace.Slots)
	target := (masters.owner(slot) + 1) % len(masters.clients)
	number := int64(1)
	commit := func(s *Store) error {
		res, err := s.Commit(ctx, store.Batch{Claim: claim, Number: number + 1, Expect: number, Events: [][]byte{delta}, Entries: []json.RawMessage{json.RawMessage("1")}})
		if err == nil && res.Status != store.CommitOK {
			t.Errorf("batch %d: %+v", number+1, res)
		}
		return err
	}
	ok := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		number++
	}
	ok("that makes all of its keys", commit(s))
	masters.move(slot, func(remaining func() []string, move func(...string)) {
		ok("before a key has gone", commit(s))
		move(keys.Rec(), keys.Log(), keys.Journal())
		ok("when its keys have gone", commit(s))
		forgets(t, cluster.Servers[target])
		ok("where the script is missed", commit(s))
		if set, err := s.SetTitle(ctx, testKey, "title"); !set || err != nil {
			t.Errorf("title: %t, %v", set, err)
		}
		replicas[target].Freeze()
		unknown(t, "where the replica hangs", commit(hasty))
		replicas[target].Thaw()
		ok("when it goes on", commit(s))
		for list := remaining(); len(list) > 0; list = remaining() {
			move(list...) // nothing is in their way
		}
	})
	ok("when the slot has moved", commit(s))
	if v := view(t, s, store.ReadQuery{}); v.Seq != number || v.Title != "title" {
		t.Errorf("the log ends at %d, not %d; the title is %q", v.Seq, number, v.Title)
	}
}

func TestTheContractHoldsWithAReplica(t *testing.T) {
	suite.Full(t)
	master := redistest.Start(t, redistest.Options{TCP: true, Args: []string{"--repl-diskless-sync-delay", "0"}})
	redistest.Replica(t, master)
	storetest.Run(t, func(t testing.TB, n stage.Node) store.Store {
		o := nodeOptions(n)
		o.WaitReplicas, o.WaitTimeout = 1, patience
		s, err := Open(context.Background(), master.URL(), o)
		if err != nil {
			t.Fatal(err)
		}
		return closing(t, s)
	})
}

// whenWaiting is a logger that calls do when a store begins to wait for replicas.
func whenWaiting(do func()) *slog.Logger {
	once := sync.OnceFunc(do)
	return slog.New(slog.NewTextHandler(writes(func(line string) {
		if strings.Contains(line, "waiting for replicas") {
			once()
		}
	}), nil))
}

type writes func(line string)

func (w writes) Write(line []byte) (int, error) {
	w(string(line))
	return len(line), nil
}

func TestWaitingForReplicasIsRefusedWhereThereAreTooFew(t *testing.T) {
	for what, open := range map[string]func() (*Store, error){
		"a server without replicas": func() (*Store, error) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			return Open(ctx, redistest.Start(t, redistest.Options{}).URL(), &Options{WaitReplicas: 1, Logger: whenWaiting(cancel)})
		},
		"an embedded store": func() (*Store, error) { return Embedded(&Options{WaitReplicas: 1}) },
		"a negative number": func() (*Store, error) {
			return Open(context.Background(), redistest.Start(t, redistest.Options{}).URL(), &Options{WaitReplicas: -1})
		},
	} {
		if s, err := open(); err == nil || !strings.Contains(err.Error(), "WaitReplicas") {
			t.Errorf("%s: %v, %v", what, s, err)
		}
	}
}
