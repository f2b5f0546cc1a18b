package redisstore

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// Whichever key of a partition is of another type: what goes over all partitions has what the
// others hold, the store can be opened, and the log names the key, once.
func TestAWrongKeyOfAPartitionHidesNoOther(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	probe := keyspace.New("p", 8).Parts[0]
	var kinds []string
	for _, key := range []string{probe.Leases, probe.Ready, probe.Ready + ":checks", probe.Work + "a", probe.Counts, probe.Inbox, probe.Lists, probe.Dead,
		probe.Notices, probe.Decisions, probe.Felled(), probe.Made()} {
		kinds = append(kinds, strings.TrimPrefix(key, probe.Base))
	}
	for i, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			ctx := t.Context()
			var told bytes.Buffer
			clock := time.UnixMilli(1_700_000_000_000)
			o := Options{Prefix: fmt.Sprint("wrong", i), Partitions: 8, Lease: time.Minute, Clock: func() time.Time { return clock },
				ThreadTTL: 24 * time.Hour, Logger: slog.New(slog.NewTextHandler(&told, nil))}
			s := open(t, server.URL(), o)
			hurt := &s.conn.Keys.Parts[3]
			var good []store.ThreadKey
			for n := 0; len(good) < 12; n++ {
				if key := (store.ThreadKey{Namespace: "n", Thread: fmt.Sprint("t", n)}); s.conn.Keys.Thread(key).Part != hurt {
					good = append(good, key)
				}
			}
			waits := func(key store.ThreadKey, run string, agent string) {
				b := queued(0, run)
				b.Thread, b.Tenant = key, "tenant"
				k := b.Kind.(store.Enqueue)
				k.Agent = agent
				b.Kind = k
				if res, err := s.Begin(ctx, b); err != nil || res.Status != store.BeginAccepted {
					t.Fatal(res, err)
				}
			}
			for _, key := range good[:4] {
				waits(key, "r", "a")
			}
			for _, key := range good[4:8] {
				suspendOn(t, s, key)
			}
			at, err := s.Notices(ctx, store.NoticeQuery{})
			if err != nil {
				t.Fatal(err)
			}
			s.conn.Client.Del(ctx, hurt.Base+kind)
			if err := s.conn.Client.Set(ctx, hurt.Base+kind, "x", 0).Err(); err != nil {
				t.Fatal(err)
			}
			if err := open(t, server.URL(), o).Ready(ctx); err != nil {
				t.Errorf("another server: %v", err)
			}
			partly := func(what string, err error) {
				t.Helper()
				if err != nil && !errors.Is(err, store.ErrPartial) {
					t.Errorf("%s: %v", what, err)
				}
			}
			for range 2 {
				found := map[store.ThreadKey]bool{}
				for range 20 {
					work, err := s.Work(ctx, store.WorkQuery{Agents: []string{"a"}, Limit: 100, Backlog: true, Idle: -1})
					partly("work", err)
					for _, w := range work {
						found[w.Thread] = true
					}
				}
				for _, key := range good[:4] {
					if !found[key] {
						t.Errorf("%s is not delivered", key.Thread)
					}
				}
			}
			waits(good[8], "late", "a")
			if work, err := s.Await(ctx, store.WorkQuery{Agents: []string{"a"}, Limit: 10}); err != nil || len(work) != 1 || work[0].Thread != good[8] {
				t.Errorf("awaited: %+v %v", work, err)
			}
			stats, err := s.WorkStats(ctx, []string{"a"})
			partly("what waits", err)
			if len(stats) != 1 || stats[0].Waiting != 5 {
				t.Errorf("what waits: %+v", stats)
			}
			for name, q := range map[string]store.InboxQuery{"inbox": {Tenant: "tenant"}, "inbox of all": {AllTenants: true}} {
				page, err := s.Inbox(ctx, q)
				partly(name, err)
				if len(page.Items) != 4 {
					t.Errorf("%s: %d items", name, len(page.Items))
				}
			}
			counts, err := s.CountTenant(ctx, "tenant")
			partly("counts", err)
			if counts[store.DispatchAcked] != 4 || counts[store.DispatchQueued] != 5 {
				t.Errorf("counts: %v", counts)
			}
			threads, err := s.Threads(ctx, store.ThreadQuery{Namespace: "n"})
			partly("threads", err)
			if len(threads.Threads) != 9 {
				t.Errorf("%d threads", len(threads.Threads))
			}
			suspendOn(t, s, good[9])
			page, err := s.Notices(ctx, store.NoticeQuery{After: at.Next})
			partly("notices", err)
			if len(page.Notices) == 0 {
				t.Error("nothing is told")
			}
			_, err = s.Decisions(ctx, store.DecisionQuery{AllTenants: true})
			partly("decisions", err)
			_, err = s.DeadLetters(ctx, store.PageQuery{Tenant: "tenant"})
			partly("dead letters", err)
			_, err = s.FinishDeletes(ctx, stage.Deleting("").Withdraw)
			partly("deletions", err)
			clock = clock.Add(48 * time.Hour)
			for more := true; more; {
				more, err = s.Retire(ctx)
				if err != nil && !errors.Is(err, store.ErrPartial) && !errors.Is(err, store.ErrCorrupted) {
					t.Errorf("retire: %v", err)
				}
			}
			if n := strings.Count(told.String(), hurt.Base+kind); n != 1 {
				t.Errorf("it is told %d times: %s", n, told.String())
			}
		})
	}
}
