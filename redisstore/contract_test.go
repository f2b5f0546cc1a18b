package redisstore

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/redisstore/storetest"
	"github.com/aguiws/aguiws/redisstore/storetest/model"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// patience is for machines that do much else.
const patience = 30 * time.Second

func nodeOptions(n stage.Node) *Options {
	return &Options{Prefix: n.Space, Node: n.ID, Lease: n.Lease, Retain: n.Retain, RetainBytes: n.Bytes, RetainAge: n.Age,
		LargeEvent: n.Large, Keep: n.Keep, NoticeCount: n.Notices, KeepDecisions: n.Records, ThreadTTL: n.TTL, HistoryID: n.History, Clock: n.Clock,
		Timeout: patience}
}

func closing(t testing.TB, s *Store) *Store {
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func miniredisClient(server *miniredis.Miniredis) *redis.Client {
	return redis.NewClient(&redis.Options{
		Dialer:     func(context.Context, string, string) (net.Conn, error) { return server.Dial() },
		MaxRetries: -1, ContextTimeoutEnabled: true, DisableIdentity: true, ReadTimeout: patience, WriteTimeout: patience,
	})
}

// openOnMiniredis opens a store on a miniredis of its own.
func openOnMiniredis(t *testing.T, o Options) *Store {
	t.Helper()
	server := miniredis.RunT(t)
	client := miniredisClient(server)
	t.Cleanup(func() { _ = client.Close() })
	o.volatile, o.singly, o.HistoryID = true, true, "miniredis"
	s, err := New(t.Context(), client, &o)
	if err != nil {
		t.Fatal(err)
	}
	return closing(t, s)
}

// onMiniredis opens stores on one server in the process, as the embedded store does.
func onMiniredis(server *miniredis.Miniredis) stage.Open {
	return func(t testing.TB, n stage.Node) store.Store {
		client := miniredisClient(server)
		t.Cleanup(func() { _ = client.Close() })
		o := nodeOptions(n)
		o.volatile, o.singly, o.Partitions = true, true, 4
		if o.HistoryID == "" {
			o.HistoryID = "miniredis"
		}
		s, err := New(context.Background(), client, o)
		if err != nil {
			t.Fatal(err)
		}
		return closing(t, s)
	}
}

func onRedis(url string) stage.Open {
	return func(t testing.TB, n stage.Node) store.Store {
		s, err := Open(context.Background(), url, nodeOptions(n))
		if err != nil {
			t.Fatal(err)
		}
		return closing(t, s)
	}
}

func TestContractOnMiniredis(t *testing.T) {
	if raced {
		t.Skip("miniredis interprets Lua, and takes minutes under the race detector; TestContractOnRedis runs the same")
	}
	server := miniredis.NewMiniRedis()
	t.Cleanup(server.Close)
	storetest.Run(t, onMiniredis(server))
}

func TestContractOnRedis(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after another: the race detector has nothing to find, and takes its time")
	}
	storetest.Run(t, onRedis(redistest.Start(t, redistest.Options{}).URL()))
}

func TestContractOnCluster(t *testing.T) {
	suite.Full(t)
	storetest.Run(t, onRedis(redistest.Cluster(t).URL()))
}

const fewPartitions = 6

// inFewPartitions opens stores whose threads lie close together: what looks at
// all partitions is called often in a game. Every other one changes messages in pieces, and two of
// four decide by scripts.
func inFewPartitions(url string) stage.Open {
	opened := 0
	return func(t testing.TB, n stage.Node) store.Store {
		o := nodeOptions(n)
		o.Partitions = fewPartitions
		if opened++; opened%2 == 0 {
			o.piece = 1
		}
		o.scripts = opened%4 >= 2
		s, err := Open(context.Background(), url, o)
		if err != nil {
			t.Fatal(err)
		}
		return closing(t, s)
	}
}

// play is a game of the model, shorter where it would take long.
func play(t *testing.T, operations, partitions int, client redis.UniversalClient) model.Play {
	t.Cleanup(func() { _ = client.Close() })
	if raced || testing.Short() {
		operations /= 20
	}
	return model.Play{Operations: operations, Inspect: inspector(t, client), Delivered: deliverer(client, partitions)}
}

func TestModelOnMiniredis(t *testing.T) {
	server := miniredis.NewMiniRedis()
	t.Cleanup(server.Close)
	model.Model(t, onMiniredis(server), play(t, 300, 4, miniredisClient(server)))
}

func TestModelOnRedis(t *testing.T) {
	url := redistest.Start(t, redistest.Options{}).URL()
	client, err := link.Connect(url, patience)
	if err != nil {
		t.Fatal(err)
	}
	model.Model(t, inFewPartitions(url), play(t, suite.Operations(), fewPartitions, client))
}

func TestModelOnCluster(t *testing.T) {
	suite.Full(t)
	url := redistest.Cluster(t).URL()
	client, err := link.Connect(url, patience)
	if err != nil {
		t.Fatal(err)
	}
	model.Model(t, inFewPartitions(url), play(t, 3_000, fewPartitions, client))
}
