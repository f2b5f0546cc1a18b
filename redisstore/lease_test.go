package redisstore

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/redis/go-redis/v9"
)

func TestLeasesAreRenewedWhenAllConnectionsAreTaken(t *testing.T) {
	for name, start := range map[string]func(t *testing.T) *Store{
		"one server": func(t *testing.T) *Store { return open(t, redistest.Start(t, redistest.Options{}).URL(), Options{}) },
		"Sentinel": func(t *testing.T) *Store {
			if testing.Short() {
				t.Skip("Sentinel takes seconds; -short leaves it out")
			}
			return open(t, redistest.Sentinel(t).URL(), Options{})
		},
		"Cluster": func(t *testing.T) *Store {
			if testing.Short() {
				t.Skip("Cluster takes seconds; -short leaves it out")
			}
			return open(t, redistest.Cluster(t).URL(), Options{})
		},
		"inside the process": func(t *testing.T) *Store {
			s, err := Embedded(nil)
			if err != nil {
				t.Fatal(err)
			}
			return closing(t, s)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			claim := begin(t, s, inline(0, "r1"))
			ctx, never := context.Background(), s.conn.Keys.Thread(testKey).Base+"never"
			var taken sync.WaitGroup
			defer taken.Wait()
			for range connections(s.conn.Client) {
				taken.Go(func() { s.conn.Client.BLPop(ctx, patience, never) })
				defer s.renewing.RPush(ctx, never, "now")
			}
			await(t, "all connections are taken", func() bool {
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
				defer cancel()
				_, err := s.Read(ctx, testKey, store.ReadQuery{})
				return err != nil
			})
			if kept, err := s.Renew(context.Background(), claim); !kept || err != nil {
				t.Errorf("renewed %t: %v", kept, err)
			}
		})
	}
}

// connections is how many a client has to a server.
func connections(client redis.UniversalClient) int {
	if c, ok := client.(*redis.ClusterClient); ok {
		return c.Options().PoolSize
	}
	return client.(*redis.Client).Options().PoolSize
}

func TestRenewalsThatWaitGoTogether(t *testing.T) {
	const many = 100
	server := redistest.Start(t, redistest.Options{})
	s, wire := onCounted(t, server.URL(), Options{Partitions: 1, Timeout: patience})
	claim := begin(t, s, inline(0, "r1"))
	stranger := claim
	stranger.Token = "stranger"
	waiting := func(n int) func() bool {
		return func() bool {
			q := &s.renewals[0]
			q.mu.Lock()
			defer q.mu.Unlock()
			return q.flowing && len(q.queue) == n
		}
	}
	trips, scripts, _ := wire.during(func() {
		server.Freeze()
		defer server.Thaw()
		var asked sync.WaitGroup
		renew := func(c store.Claim, want bool) {
			asked.Go(func() {
				if kept, err := s.Renew(context.Background(), c); kept != want || err != nil {
					t.Errorf("renewed %t: %v", kept, err)
				}
			})
		}
		renew(claim, true)
		await(t, "one is on its way", waiting(0))
		for range many {
			renew(claim, true)
			renew(stranger, false)
		}
		await(t, "the others wait", waiting(2*many))
		ctx, cancel := context.WithCancel(context.Background())
		asked.Go(func() {
			if _, err := s.Renew(ctx, claim); !errors.Is(err, store.ErrOutcomeUnknown) {
				t.Error(err)
			}
		})
		await(t, "one more waits", waiting(2*many+1))
		cancel()
		await(t, "it is withdrawn", waiting(2*many))
		server.Thaw()
		asked.Wait()
	})
	if trips != 2 || scripts != 1+2*many {
		t.Errorf("%d round trips with %d scripts", trips, scripts)
	}
}
