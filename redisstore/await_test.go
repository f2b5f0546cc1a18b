package redisstore

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/internal/mailbox"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// waiter is an Await that is under way.
type waiter struct {
	cancel context.CancelFunc
	ended  chan waited
}

type waited struct {
	work []store.Work
	err  error
}

// waiting returns when the server holds the call.
func waiting(t *testing.T, server *redistest.Server, s *Store) *waiter {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := &waiter{cancel, make(chan waited, 1)}
	go func() {
		work, err := s.Await(ctx, store.WorkQuery{Agents: []string{""}, Limit: 10})
		w.ended <- waited{work, err}
	}()
	await(t, "a client to be blocked", func() bool { return strings.Contains(do(t, server, "INFO", "clients"), "blocked_clients:1") })
	return w
}

func (w *waiter) given(t *testing.T) store.Work {
	t.Helper()
	got := <-w.ended
	w.cancel()
	if got.err != nil || len(got.work) != 1 {
		t.Fatalf("given %+v, %v", got.work, got.err)
	}
	return got.work[0]
}

// nextOf awaits until there is work, whatever fails before.
func nextOf(t *testing.T, s *Store) (work []store.Work) {
	t.Helper()
	await(t, "work", func() bool {
		work, _ = s.Await(t.Context(), store.WorkQuery{Agents: []string{""}, Limit: 10})
		return len(work) > 0
	})
	return work
}

func TestAwaitEnds(t *testing.T) {
	for name, test := range map[string]func(t *testing.T, server *redistest.Server, s *Store, w *waiter){
		"with what comes": func(t *testing.T, _ *redistest.Server, s *Store, w *waiter) {
			begin(t, s, queued(0, "r1"))
			res, err := s.Claim(t.Context(), store.ClaimRequest{Thread: testKey, Token: "t", Entry: w.given(t).Entry})
			if err != nil || res.Claim.RunID != "r1" {
				t.Errorf("%+v %v", res, err)
			}
		},
		"with its context": func(t *testing.T, server *redistest.Server, s *Store, w *waiter) {
			w.cancel()
			if got := <-w.ended; got.err != nil || got.work != nil {
				t.Errorf("%+v", got)
			}
			begin(t, s, queued(0, "r1"))
			if work := given(t, s, time.Hour, ""); len(work) != 1 {
				t.Errorf("given %+v", work)
			}
		},
		"with its store": func(t *testing.T, _ *redistest.Server, s *Store, w *waiter) {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if got := <-w.ended; got.err != nil || got.work != nil {
				t.Errorf("%+v", got)
			}
			if _, err := s.Await(t.Context(), store.WorkQuery{Agents: []string{""}, Limit: 1}); err == nil {
				t.Error("a store that is closed awaits")
			}
		},
		"with its connection": func(t *testing.T, server *redistest.Server, s *Store, w *waiter) {
			clients := do(t, server, "CLIENT", "LIST")
			do(t, server, "CLIENT", "KILL", "ID", regexp.MustCompile(`(?m)^id=(\d+) .*cmd=xreadgroup`).FindStringSubmatch(clients)[1])
			if got := <-w.ended; !errors.Is(got.err, store.ErrOutcomeUnknown) {
				t.Errorf("%+v", got)
			}
			begin(t, s, queued(0, "r1"))
			nextOf(t, s)
		},
		"with its stream": func(t *testing.T, server *redistest.Server, s *Store, w *waiter) {
			for _, p := range s.conn.Keys.Parts {
				do(t, server, "DEL", p.Work)
			}
			begin(t, s, queued(0, "r1"))
			if got := <-w.ended; len(got.work) == 0 {
				nextOf(t, s)
			}
		},
		"when its server is demoted": func(t *testing.T, server *redistest.Server, s *Store, w *waiter) {
			do(t, server, "REPLICAOF", "127.0.0.1", "1")
			if got := <-w.ended; !errors.Is(got.err, store.ErrOutcomeUnknown) {
				t.Errorf("%+v", got)
			}
			do(t, server, "REPLICAOF", "NO", "ONE")
			begin(t, s, queued(0, "r1"))
			nextOf(t, s)
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := redistest.Start(t, redistest.Options{})
			s := open(t, server.URL(), Options{Partitions: 4, Timeout: patience})
			test(t, server, s, waiting(t, server, s))
		})
	}
}

// A server that is frozen holds up neither who waits no more nor Close.
func TestAwaitOnAFrozenServer(t *testing.T) {
	suite.Full(t)
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{Partitions: 4, Timeout: 3 * time.Second})
	w := waiting(t, server, s)
	server.Freeze()
	w.cancel()
	if got := <-w.ended; len(got.work) > 0 {
		t.Errorf("%+v", got)
	}
	server.Thaw()
	await(t, "the server to answer", func() bool { return s.Ready(t.Context()) == nil })
	begin(t, s, queued(0, "r1"))
	nextOf(t, s)
	waiting(t, server, s)
	server.Freeze()
	defer server.Thaw()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestAwaitWhereItCannot(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{Timeout: patience})
	for name, prepare := range map[string]func(q *store.WorkQuery){
		"too many streams": func(q *store.WorkQuery) {
			for i := range mailbox.MaxAwaited / 64 {
				q.Agents = append(q.Agents, fmt.Sprint(i))
			}
		},
		"keys of several slots are refused": func(*store.WorkQuery) { s.conn.Apart.Store(true) },
	} {
		q := store.WorkQuery{Agents: []string{""}, Limit: 1}
		prepare(&q)
		if work, err := s.Await(t.Context(), q); !errors.Is(err, store.ErrCannotAwait) {
			t.Errorf("%s: %+v %v", name, work, err)
		}
		s.conn.Apart.Store(false)
	}
}
