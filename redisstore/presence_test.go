package redisstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// awaitTakers asks until the number is right, however often the server goes away.
func awaitTakers(t *testing.T, s *Store, agent string, want int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		n, err := s.Takers(ctx, []string{agent})
		if err == nil && n[0] == want {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%d nodes take runs of %q, want %d: %v", n, agent, want, err)
		case <-tick.C:
		}
	}
}

func twoNodes(t *testing.T, server *redistest.Server) (a, b *Store) {
	t.Helper()
	open := onRedis(server.URL())
	return open(t, stage.Node{Space: "offers", ID: "a"}).(*Store), open(t, stage.Node{Space: "offers", ID: "b"}).(*Store)
}

// What a node has said holds after its subscription was lost.
func TestAnOfferOutlivesItsConnection(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	a, b := twoNodes(t, server)
	back := map[*Store]chan bool{a: make(chan bool, 1), b: make(chan bool, 1)}
	for node, c := range back {
		node.Listen(func(d store.Delivery) {
			if d.Kind == store.DeliverLost {
				c <- true
			}
		})
	}
	again := func() {
		t.Helper()
		if n, err := a.conn.Client.Do(t.Context(), "client", "kill", "type", "pubsub").Int(); err != nil || n != 2 {
			t.Fatalf("%d subscriptions were cut: %v", n, err)
		}
		// The library subscribes anew by itself before it reports the loss, and the
		// store gives that subscription up: only what a node says it has will stay.
		for _, c := range back {
			select {
			case <-c:
			case <-time.After(patience):
				t.Fatal("the loss of the subscription was not noticed")
			}
		}
		awaitSubscriptions(t, a)
	}
	if err := b.Offer(t.Context(), []string{"one"}); err != nil {
		t.Fatal(err)
	}
	again()
	awaitTakers(t, a, "one", 1)
	if err := b.Offer(t.Context(), []string{"two"}); err != nil {
		t.Fatal(err)
	}
	again()
	awaitTakers(t, a, "two", 1)
	awaitTakers(t, a, "one", 0)
	if err := b.Offer(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	again()
	awaitTakers(t, a, "two", 0)
}

// awaitSubscriptions waits until the server knows one subscription of each node.
func awaitSubscriptions(t *testing.T, s *Store) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		n, err := s.conn.Client.PubSubNumSub(t.Context(), s.conn.Keys.Nudges()).Result()
		if err == nil && n[s.conn.Keys.Nudges()] == 2 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the nodes do not come back: %v %v", n, err)
		}
	}
}

// A server that does not answer leaves it open who takes runs; what was to be said
// is said when it does.
func TestAnOfferToAServerThatDoesNotAnswer(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	a, b := twoNodes(t, server)
	if err := a.Offer(t.Context(), []string{"one"}); err != nil {
		t.Fatal(err)
	}
	server.Freeze()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if n, err := a.Takers(ctx, []string{"one"}); !errors.Is(err, store.ErrOutcomeUnknown) {
		t.Errorf("%d nodes take runs: %v", n, err)
	}
	for _, agents := range [][]string{{"one", "two"}, nil, {"two"}} {
		if err := b.Offer(ctx, agents); !errors.Is(err, store.ErrOutcomeUnknown) {
			t.Errorf("offering %q: %v", agents, err)
		}
	}
	server.Thaw()
	awaitTakers(t, a, "two", 1)
	awaitTakers(t, a, "one", 0)
	awaitTakers(t, b, "one", 1)
	if err := b.Offer(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	awaitTakers(t, a, "two", 0)
}
