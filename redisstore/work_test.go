package redisstore

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/internal/mailbox"
	"github.com/aguiws/aguiws/redisstore/lua"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
	"github.com/alicebob/miniredis/v2"
)

// Threads that stay due, because every claim of them fails, hide no others of
// their partition, however many they are.
func TestDueHidesNothing(t *testing.T) {
	const threads = 40
	server := miniredis.NewMiniRedis()
	t.Cleanup(server.Close)
	for name, open := range map[string]func(t *testing.T, o *Options) (*Store, error){
		"miniredis": func(t *testing.T, o *Options) (*Store, error) {
			o.volatile, o.singly, o.HistoryID = true, true, "miniredis"
			client := miniredisClient(server)
			t.Cleanup(func() { _ = client.Close() })
			return New(context.Background(), client, o)
		},
		"redis": func(t *testing.T, o *Options) (*Store, error) {
			return Open(context.Background(), redistest.Start(t, redistest.Options{}).URL(), o)
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := nodeOptions(stage.Node{Space: "due", ID: "a", Lease: time.Millisecond})
			o.Partitions = 1
			s, err := open(t, o)
			if err != nil {
				t.Fatal(err)
			}
			closing(t, s)
			for i := range threads {
				b := store.Begin{
					Thread: store.ThreadKey{Namespace: "n", Thread: fmt.Sprint(i)}, RunID: "r", Label: "l", Execution: "x",
					Record: []byte(`{}`),
				}
				if i%2 == 0 {
					b.Kind = store.Enqueue{Input: []byte(`{}`), Cancelled: [2][]byte{[]byte("a"), []byte("b")}}
				} else {
					b.Kind = store.Execute{Claimed: claimedAs("r"), Fresh: store.Fresh{Frozen: []byte(`{}`)}}
				}
				if got, err := s.Begin(t.Context(), b); err != nil || got.Status != store.BeginAccepted {
					t.Fatal(got, err)
				}
			}
			const limit = 7
			seen := map[string]bool{}
			for range threads {
				due, err := s.Work(t.Context(), store.WorkQuery{Agents: []string{""}, Limit: limit, Idle: time.Hour})
				if err != nil || len(due) > limit {
					t.Fatal(due, err)
				}
				for _, w := range due {
					seen[w.Thread.Thread] = true
				}
			}
			if len(seen) < threads {
				t.Errorf("%d of %d threads were seen", len(seen), threads)
			}
		})
	}
}

// wanting are threads that want a claim, whoever was given them before.
func wanting(ctx context.Context, s *Store, limit int) ([]store.Work, error) {
	return s.Work(ctx, store.WorkQuery{Agents: []string{""}, Limit: limit, Idle: -1})
}

// onClock opens a store whose clock stands until it is moved.
func onClock(t *testing.T, server *redistest.Server, o Options) (s *Store, move func(time.Duration)) {
	now := time.UnixMilli(1_700_000_000_000)
	o.Partitions, o.Timeout, o.Clock = 1, patience, func() time.Time { return now }
	return open(t, server.URL(), o), func(d time.Duration) { now = now.Add(d) }
}

func given(t *testing.T, s *Store, idle time.Duration, agents ...string) []store.Work {
	t.Helper()
	work, err := s.Work(t.Context(), store.WorkQuery{Agents: agents, Limit: 100, Idle: idle})
	if err != nil {
		t.Fatal(err)
	}
	return work
}

func do(t *testing.T, server *redistest.Server, args ...string) string {
	t.Helper()
	answer, err := server.Do(args...)
	if err != nil {
		t.Fatal(args, err)
	}
	return answer
}

// Streams only deliver. XTRIM takes what was delivered and what was not, and whoever does
// that by hand, or removes a stream, has not lost a run.
func TestWorkSurvivesItsStream(t *testing.T) {
	for name, by := range map[string][]string{
		"trimmed": {"XTRIM", "", "MAXLEN", "0"},
		"removed": {"DEL", ""},
	} {
		for _, delivered := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", delivered ", delivered), func(t *testing.T) {
				server := redistest.Start(t, redistest.Options{})
				s, move := onClock(t, server, Options{})
				begin(t, s, queued(0, "r1"))
				if delivered && len(given(t, s, time.Hour, "")) != 1 {
					t.Fatal("it is not delivered")
				}
				by[1] = s.conn.Keys.Parts[0].Work
				do(t, server, by...)
				if work := given(t, s, -1, ""); len(work) != 0 {
					t.Errorf("given %+v of a stream that is empty", work)
				}
				move(time.Minute)
				work := given(t, s, time.Hour, "")
				if len(work) != 1 || work[0].Entry == "" {
					t.Fatalf("given %+v", work)
				}
				res, err := s.Claim(t.Context(), store.ClaimRequest{Thread: testKey, Token: "t", Entry: work[0].Entry})
				if err != nil || res.Claim.RunID != "r1" {
					t.Errorf("%+v %v", res, err)
				}
			})
		}
	}
}

// An entry that is not the thread's own is taken out by whoever wants to claim it, and
// consumers go when they are gone and hold nothing.
func TestEntriesAndConsumersOfNobody(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s, _ := onClock(t, server, Options{Node: "me"})
	begin(t, s, inline(0, "r1")) // it wants nobody
	stream := s.conn.Keys.Parts[0].Work
	do(t, server, "XGROUP", "CREATE", stream, mailbox.Workers, "0", "MKSTREAM")
	do(t, server, "XADD", stream, "*", "thread", s.conn.Keys.Thread(testKey).Member)
	do(t, server, "XADD", stream, "*", "thread", "no thread")
	do(t, server, "XADD", stream, "*", "what", "ever")
	do(t, server, "XGROUP", "CREATECONSUMER", stream, mailbox.Workers, "gone")
	do(t, server, "XREADGROUP", "GROUP", mailbox.Workers, "holds", "COUNT", "1", "STREAMS", stream, ">")
	work := given(t, s, -1, "")
	if len(work) != 1 {
		t.Fatalf("given %+v", work)
	}
	res, err := s.Claim(t.Context(), store.ClaimRequest{Thread: testKey, Token: "t", Entry: work[0].Entry})
	if err != nil || res.Kind != store.ClaimNothing {
		t.Errorf("%+v %v", res, err)
	}
	stats, err := s.WorkStats(t.Context(), []string{""})
	if err != nil || stats[0].Waiting != 0 || stats[0].Pending != 0 {
		t.Errorf("left are %+v, %v", stats, err)
	}

	forget := func(after string) string {
		p := s.conn.Keys.Parts[0]
		_, err := s.conn.Run(t.Context(), link.Call{Script: lua.Due, Keys: []string{p.Leases, p.Ready, p.Work},
			Args: lua.Args{{"limit", 1}, {"turn", 0}, {"idle", 0}, {"check", 0}, {"gone", after}}, Rest: []any{""}})
		if err != nil {
			t.Fatal(err)
		}
		left := ""
		for _, c := range s.conn.Client.XInfoConsumers(t.Context(), stream, mailbox.Workers).Val() {
			left += " " + c.Name
		}
		return left
	}
	do(t, server, "XADD", stream, "*", "thread", "x")
	do(t, server, "XREADGROUP", "GROUP", mailbox.Workers, "holds", "COUNT", "1", "STREAMS", stream, ">")
	if left := forget("3600000"); !strings.Contains(left, "gone") {
		t.Errorf("one that was just there was forgotten: %q", left)
	}
	await(t, "a millisecond to pass", func() bool { return !strings.Contains(forget("1"), "gone") })
	if left := forget("1"); !strings.Contains(left, "holds") {
		t.Errorf("one that holds an entry was forgotten: %q", left)
	}
}

// A queued run whose record has lost its agent is given to whoever claims it, who finds
// the damage; it does not wait unseen.
func TestWorkOfADamagedRun(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s, _ := onClock(t, server, Options{})
	begin(t, s, queued(0, "r1"))
	th := s.conn.Keys.Thread(testKey)
	do(t, server, "HDEL", th.Base+"disp", "g:r1")
	do(t, server, "HDEL", th.Rec(), "work")
	do(t, server, "DEL", th.Part.Work)
	do(t, server, "ZADD", th.Part.Ready, "1", th.Member)
	if work := given(t, s, time.Hour, "theirs"); len(work) != 1 || work[0].Thread != testKey || work[0].Entry != "" {
		t.Errorf("given %+v", work)
	}
}

// enqueue makes a run of an agent wait in a thread of its own.
func enqueue(t *testing.T, s *Store, thread, agent string) {
	t.Helper()
	b := queued(0, "r1")
	b.Thread.Thread = thread
	k := b.Kind.(store.Enqueue)
	k.Agent = agent
	b.Kind = k
	begin(t, s, b)
}

// Whatever is delivered again and again, a node with one place is given the rest as well.
func TestNothingStarvesWork(t *testing.T) {
	const calls = 200
	damaged := store.ThreadKey{Namespace: "n", Thread: "damaged"}
	for name, test := range map[string]struct {
		idle    time.Duration
		prepare func(t *testing.T, server *redistest.Server, s *Store)
		rare    string // a thread
		least   int    // calls that deliver others
	}{
		"a thread that cannot be read": {-1, func(t *testing.T, server *redistest.Server, s *Store) {
			enqueue(t, s, "sound", "a")
			th := s.conn.Keys.Thread(damaged)
			do(t, server, "SET", th.Rec(), "garbage")
			do(t, server, "ZADD", th.Part.Ready, "1", th.Member)
		}, "damaged", calls / 2},
		"another agent's stream": {time.Hour, func(t *testing.T, _ *redistest.Server, s *Store) {
			for i := range calls {
				enqueue(t, s, fmt.Sprint(i), "a")
			}
			enqueue(t, s, "other", "b")
		}, "other", 1},
		"what nobody has had": {-1, func(t *testing.T, _ *redistest.Server, s *Store) {
			enqueue(t, s, "late", "a")
			given(t, s, time.Hour, "a")
			for i := range calls {
				enqueue(t, s, fmt.Sprint(i), "a")
			}
		}, "late", 1},
	} {
		t.Run(name, func(t *testing.T) {
			server := redistest.Start(t, redistest.Options{})
			s, _ := onClock(t, server, Options{})
			test.prepare(t, server, s)
			rare, others := 0, 0
			for range calls {
				work, err := s.Work(t.Context(), store.WorkQuery{Agents: []string{"a", "b"}, Limit: 1, Idle: test.idle})
				if err != nil || len(work) > 1 {
					t.Fatal(work, err)
				}
				for _, w := range work {
					if w.Thread.Thread == test.rare {
						rare++
					} else {
						others++
					}
				}
			}
			if rare == 0 || others < test.least {
				t.Errorf("in %d calls %s was delivered %d times, others %d times", calls, test.rare, rare, others)
			}
		})
	}
}

// What is late is found behind whatever many entries that are not.
func TestLateWorkBehindOthers(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s, _ := onClock(t, server, Options{})
	for i := range 50 {
		enqueue(t, s, fmt.Sprint(i), "")
	}
	work := given(t, s, time.Hour, "")
	if len(work) != 50 {
		t.Fatalf("given %d", len(work))
	}
	last := work[49]
	if err := s.Return(t.Context(), []store.Work{last}); err != nil {
		t.Fatal(err)
	}
	again, err := s.Work(t.Context(), store.WorkQuery{Agents: []string{""}, Limit: 1, Idle: time.Hour})
	if err != nil || len(again) != 1 || again[0] != last {
		t.Errorf("given %+v %v, want %+v", again, err, last)
	}
}

// What is due does not wait until it was looked whether a long queue is still there.
func TestChecksOfEntriesHideNothingDue(t *testing.T) {
	const long = 2 * mailbox.MaxDue
	server := redistest.Start(t, redistest.Options{})
	s, move := onClock(t, server, Options{})
	for i := range long {
		enqueue(t, s, fmt.Sprint(i), "")
	}
	for got := 0; got < long; {
		got += len(due(t, s, long))
	}
	later := queued(0, "r1")
	k := later.Kind.(store.Enqueue)
	k.Available = s.opts.Clock().Add(61 * time.Second)
	later.Kind = k
	begin(t, s, later)
	move(2 * time.Minute)
	if work := due(t, s, 2*long); len(work) != 1 || work[0].Thread != testKey {
		t.Errorf("given %+v", work)
	}
}

func due(t *testing.T, s *Store, limit int) []store.Work {
	t.Helper()
	work, err := s.Work(t.Context(), store.WorkQuery{Agents: []string{""}, Limit: limit, Idle: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return work
}

// Servers before had what is to be looked at among what is due, and know of no other place.
func TestChecksBesideServersBefore(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s, move := onClock(t, server, Options{})
	begin(t, s, queued(0, "r1"))
	p := s.conn.Keys.Parts[0]
	member := s.conn.Keys.Thread(testKey).Member
	places := func() string {
		return fmt.Sprint(do(t, server, "ZCARD", p.Ready), " due, ", do(t, server, "ZCARD", p.Ready+":checks"), " to look at")
	}
	do(t, server, "ZREM", p.Ready+":checks", member)
	do(t, server, "ZADD", p.Ready, "1", member)
	if work := given(t, s, time.Hour, ""); len(work) != 1 {
		t.Fatalf("given %+v", work)
	}
	if got := places(); got != ":0 due, :1 to look at" {
		t.Errorf("one that they have offered: %s", got)
	}
	if res, err := s.Stop(t.Context(), store.Stop{Thread: testKey, Request: "q", Label: "label", Terminal: []byte("stopped")}); err != nil {
		t.Fatal(res, err)
	}
	do(t, server, "ZADD", p.Ready+":checks", "1", member)
	do(t, server, "HDEL", s.conn.Keys.Thread(testKey).Rec(), "work")
	do(t, server, "DEL", s.conn.Keys.Thread(testKey).Base+"queue")
	move(2 * time.Minute)
	if work := given(t, s, -1, ""); len(work) > 1 {
		t.Fatalf("given %+v", work)
	}
	if got := places(); got != ":0 due, :0 to look at" {
		t.Errorf("one that they have taken back: %s", got)
	}
}
