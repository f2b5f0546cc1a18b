package redisstore

import (
	"context"
	"net"
	"slices"
	"sync"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/alicebob/miniredis/v2"
	"github.com/anishathalye/porcupine"
)

// recorded is one call of a history written by hand: from and to are its instants.
type recorded struct {
	from, to int64
	q        request
	a        answer
}

// What no store may answer is seen, and what one may answer instead is not
// taken for it.
func TestTheCheckerTellsSoundHistoriesFromBroken(t *testing.T) {
	read := func(version, seq int64, run, queue string) (request, answer) {
		return request{kind: "read"}, answer{version: version, seq: seq, run: run, queue: queue}
	}
	at := func(from, to int64, q request, a answer) recorded { return recorded{from, to, q, a} }
	begin := request{kind: "begin", how: "new", run: "r1", token: "t1", execution: "x1"}
	other := request{kind: "begin", how: "new", run: "r2", token: "t2", execution: "x2"}
	started := answer{verdict: "accepted", claimed: true}
	queue1 := request{kind: "begin", how: "queue", run: "q1", execution: "y1"}
	queue2 := request{kind: "begin", how: "queue", version: 1, run: "q2", execution: "y2"}
	queued := answer{verdict: "accepted"}
	claimA, claimB := request{kind: "claim", token: "a"}, request{kind: "claim", token: "b"}
	won := func(run string) answer { return answer{verdict: "queued", run: run, attempts: 1} }
	suspend := request{kind: "end", how: "suspend", run: "r1", token: "t1", number: 2, expect: 1}
	answer1 := request{kind: "begin", how: "resume", version: 2, run: "r3", token: "t3", execution: "x1"}
	answer2 := request{kind: "begin", how: "resume", version: 2, run: "r4", token: "t4", execution: "x1"}
	resumed := answer{verdict: "accepted", seq: 2, claimed: true}
	later := claimB
	later.early, later.late = 0, 1
	q0, a0 := read(0, 0, "", "")
	q1, a1 := read(1, 1, "r1", "")

	cases := []struct {
		name          string
		sound, broken []recorded
	}{
		{"one of two beginnings on one version is accepted",
			[]recorded{at(1, 4, begin, started), at(2, 5, other, answer{verdict: "stale"})},
			[]recorded{at(1, 4, begin, started), at(2, 5, other, started)}},
		{"what was acknowledged is read",
			[]recorded{at(1, 3, begin, started), at(2, 5, q0, a0)},
			[]recorded{at(1, 3, begin, started), at(4, 5, q0, a0)}},
		{"what was read is not forgotten",
			[]recorded{at(1, 9, begin, answer{unknown: true}), at(2, 3, q0, a0), at(4, 5, q1, a1)},
			[]recorded{at(1, 9, begin, answer{unknown: true}), at(2, 3, q1, a1), at(4, 5, q0, a0)}},
		{"a beginning sent again is accepted once",
			[]recorded{at(1, 2, begin, answer{unknown: true}), at(3, 4, begin, started), at(5, 6, q1, a1)},
			[]recorded{at(1, 2, begin, started), at(3, 4, begin, answer{verdict: "stale"})}},
		{"one of two claims wins a run",
			[]recorded{at(1, 2, queue1, queued), at(3, 6, claimA, won("q1")), at(4, 7, claimB, answer{verdict: "nothing"})},
			[]recorded{at(1, 2, queue1, queued), at(3, 6, claimA, won("q1")), at(4, 7, claimB, won("q1"))}},
		{"the first in the queue is claimed first",
			[]recorded{at(1, 2, queue1, queued), at(3, 4, queue2, queued), at(5, 6, claimA, won("q1"))},
			[]recorded{at(1, 2, queue1, queued), at(3, 4, queue2, queued), at(5, 6, claimA, won("q2"))}},
		{"a claim sent again is the same claim",
			[]recorded{at(1, 2, queue1, queued), at(3, 4, claimA, answer{unknown: true}), at(5, 6, claimA, won("q1"))},
			[]recorded{at(1, 2, queue1, queued), at(3, 4, claimA, won("q1")), at(5, 6, claimA, answer{verdict: "nothing"})}},
		{"a lease is not taken over before it has ended",
			[]recorded{at(1, 2, queue1, queued), at(3, 4, claimA, won("q1")), at(5, 6, later, answer{verdict: "queued", run: "q1", attempts: 2})},
			[]recorded{at(1, 2, queue1, queued), at(3, 4, claimA, won("q1")), at(5, 6, claimB, answer{verdict: "queued", run: "q1", attempts: 2})}},
		{"one of two answers to an interrupt is accepted",
			[]recorded{at(1, 2, begin, started), at(3, 4, suspend, answer{verdict: "ok", seq: 2}), at(5, 9, answer1, resumed), at(6, 8, answer2, answer{verdict: "stale"})},
			[]recorded{at(1, 2, begin, started), at(3, 4, suspend, answer{verdict: "ok", seq: 2}), at(5, 9, answer1, resumed), at(6, 8, answer2, resumed)}},
		{"an answer comes after the question",
			[]recorded{at(1, 2, begin, started), at(3, 8, suspend, answer{verdict: "ok", seq: 2}), at(5, 9, answer1, resumed)},
			[]recorded{at(1, 2, begin, started), at(6, 8, suspend, answer{verdict: "ok", seq: 2}), at(3, 5, answer1, resumed)}},
	}
	for _, c := range cases {
		if !porcupine.CheckOperations(linear(), operations(c.sound)) {
			t.Errorf("%s: a sound history is called broken", c.name)
		}
		if porcupine.CheckOperations(linear(), operations(c.broken)) {
			t.Errorf("%s: a broken history is called sound", c.name)
		}
	}
}

func operations(calls []recorded) []porcupine.Operation {
	var list []porcupine.Operation
	for _, c := range calls {
		list = append(list, porcupine.Operation{Input: &c.q, Call: c.from, Output: c.a, Return: c.to})
	}
	return list
}

// Stores that break the contract are caught by the same clients that find
// nothing wrong with the real one.
func TestBrokenStoresAreFoundOut(t *testing.T) {
	suite.Full(t)
	mutants := map[string]func(store.Store) store.Store{
		"reads what was once":               func(s store.Store) store.Store { return &remembering{Store: s} },
		"begins on whatever version":        func(s store.Store) store.Store { return careless{s} },
		"claims anew when asked again":      func(s store.Store) store.Store { return &renaming{Store: s} },
		"acknowledges what it did not keep": func(s store.Store) store.Store { return &hollow{Store: s} },
	}
	for name, mutate := range mutants {
		t.Run(name, func(t *testing.T) {
			server := miniredis.NewMiniRedis()
			t.Cleanup(server.Close)
			l := newLinearity(t)
			dial := func(context.Context, string, string) (net.Conn, error) { return server.Dial() }
			for _, node := range []string{"a", "b"} {
				l.stores = append(l.stores, mutate(l.open(dial, nil, nil, node)))
			}
			l.storm(8)
			l.want(l.history(), porcupine.Illegal)
		})
	}
}

// remembering answers every third reading with the one before.
type remembering struct {
	store.Store
	mu    sync.Mutex
	views map[store.ThreadKey][]*store.ThreadView
}

func (s *remembering) Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	v, err := s.Store.Read(ctx, key, q)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.views == nil {
		s.views = map[store.ThreadKey][]*store.ThreadView{}
	}
	s.views[key] = append(s.views[key], v)
	if n := len(s.views[key]); n%3 == 0 {
		return s.views[key][n-2], nil
	}
	return v, nil
}

// careless does not compare versions.
type careless struct{ store.Store }

func (s careless) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	v, err := s.Store.Read(ctx, b.Thread, store.ReadQuery{})
	if err != nil {
		return store.BeginResult{}, err
	}
	b.Version = v.Version
	return s.Store.Begin(ctx, b)
}

// renaming does not know a token again.
type renaming struct {
	store.Store
	mu   sync.Mutex
	seen []string
}

func (s *renaming) Claim(ctx context.Context, c store.ClaimRequest) (store.ClaimResult, error) {
	s.mu.Lock()
	token := c.Token
	for slices.Contains(s.seen, c.Token) {
		c.Token += "'"
	}
	s.seen = append(s.seen, c.Token)
	s.mu.Unlock()
	res, err := s.Store.Claim(ctx, c)
	res.Claim.Token = token
	return res, err
}

// hollow acknowledges every tenth end without asking the store.
type hollow struct {
	store.Store
	mu sync.Mutex
	n  int
}

func (s *hollow) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	s.mu.Lock()
	s.n++
	skip := s.n%10 == 0
	s.mu.Unlock()
	if skip {
		return store.CommitResult{End: store.Position{Seq: b.Expect + 1}}, nil
	}
	return s.Store.Commit(ctx, b)
}
