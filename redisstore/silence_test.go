package redisstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// processed is how many commands a server has carried out.
func processed(t *testing.T, server *redistest.Server) int {
	t.Helper()
	text, err := server.Do("INFO", "stats")
	if err != nil {
		t.Fatal(err)
	}
	_, count, _ := strings.Cut(text, "total_commands_processed:")
	count, _, _ = strings.Cut(count, "\r\n")
	n, err := strconv.Atoi(count)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// anySilent reports whether a master is taken for silent.
func anySilent(s *Store) bool {
	return slices.ContainsFunc(s.conn.Keys.Parts, func(p keyspace.Partition) bool { return s.conn.Silent(p.Leases) })
}

// heardAgain waits until no master is silent.
func heardAgain(t *testing.T, s *Store) {
	t.Helper()
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for anySilent(s) {
		select {
		case <-poll.C:
		case <-t.Context().Done():
			t.Fatal("a master that answers is still taken for silent")
		}
	}
}

// What an input asks for its owners, and lists, sweeps and webhooks ask of all partitions,
// goes to a silent master a few times and not each time.
func TestASilentMasterIsAskedNothingThatOthersWaitFor(t *testing.T) {
	suite.Full(t)
	for frozen := range 3 {
		t.Run(fmt.Sprint(frozen), func(t *testing.T) {
			masters := patientCluster(t)
			s := open(t, masters.URL(), Options{Timeout: 300 * time.Millisecond, Lease: time.Hour})
			ctx := context.Background()
			owner := ""
			for i := 0; owner == "" || masterOf(s.conn.Keys.Owner(keyspace.OwnerID(store.Owner{Name: owner})).Runs) != frozen; i++ {
				owner = fmt.Sprint("user", i)
			}
			suspendOn(t, s, threadOn(s, (frozen+1)%3, 0))
			asks := []func() error{
				func() error {
					_, err := s.Take(ctx, store.Take{User: store.Owner{Name: owner}, RunID: "r", Runs: 9, Threads: 9, Inputs: 9})
					return err
				},
				func() error {
					_, err := s.Inbox(ctx, store.InboxQuery{Tenant: "tenant"})
					return err
				},
				func() error {
					_, err := wanting(ctx, s, 10)
					return err
				},
				func() error {
					_, err := s.TakeWebhooks(ctx, store.WebhookTake{Target: "t", Limit: 10, Hold: time.Second})
					return err
				},
				func() error { return s.Ready(ctx) },
				func() error {
					_, err := s.Servers(ctx)
					return err
				},
			}
			before := processed(t, masters.Servers[frozen])
			for _, ask := range asks {
				if err := ask(); err != nil {
					t.Fatal(err)
				}
			}
			each := processed(t, masters.Servers[frozen]) - before
			masters.Servers[frozen].Freeze()
			t.Cleanup(masters.Servers[frozen].Thaw)
			for tries := 0; !anySilent(s); tries++ {
				if tries == 10 {
					t.Fatal("calls that were not answered do not show that a master is silent")
				}
				_ = asks[0]()
			}
			const rounds = 20
			for range rounds {
				for i, ask := range asks {
					if err := ask(); !errors.Is(err, store.ErrOutcomeUnknown) {
						t.Fatalf("call %d, while a master is frozen: %v", i, err)
					}
				}
			}
			masters.Servers[frozen].Thaw()
			heardAgain(t, s)
			// Of the first tries, the pings, the subscription and the library there is some.
			if n := processed(t, masters.Servers[frozen]) - before - each; n >= rounds*each/4 {
				t.Errorf("the silent master got %d commands of %d rounds, each of which has %d", n, rounds, each)
			}
			for i, ask := range asks {
				if err := ask(); err != nil {
					t.Errorf("call %d, afterwards: %v", i, err)
				}
			}
		})
	}
}
