package redisstore

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// Renewals that share a round trip go over the same few connections as others.
func TestConnectionsOfRenewals(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{})
	ctx := t.Context()
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			for end := time.Now().Add(200 * time.Millisecond); time.Now().Before(end); {
				_, _ = s.Renew(context.Background(), store.Claim{Thread: store.ThreadKey{Thread: fmt.Sprint(i)}, RunID: "r", Token: "t"})
			}
		})
	}
	all.Wait()
	clients, err := s.conn.Client.ClientList(ctx).Result()
	if err != nil {
		t.Fatal(err)
	}
	// One more has sent what the store asked at its start.
	if n := strings.Count(clients, "cmd=evalsha") + strings.Count(clients, "cmd=fcall"); n > 5 {
		t.Errorf("%d connections", n)
	}
}
