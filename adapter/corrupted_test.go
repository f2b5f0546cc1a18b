package adapter_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// spoilt is a store with two threads, of which one can be damaged.
type spoilt struct {
	t        *testing.T
	db       *redis.Client
	store    *redisstore.Store
	claiming *countsClaims
	runner   *runner.Runner
	bad      store.ThreadKey
	good     store.ThreadKey
	log      *logged
	agent    adapter.Agent
}

// countsClaims counts the claims of threads.
type countsClaims struct {
	store.Store
	mu     sync.Mutex
	claims map[store.ThreadKey]int

	swept chan struct{}
}

func (s *countsClaims) Claim(ctx context.Context, c store.ClaimRequest) (store.ClaimResult, error) {
	s.mu.Lock()
	s.claims[c.Thread]++
	s.mu.Unlock()
	return s.Store.Claim(ctx, c)
}

func (s *countsClaims) Work(ctx context.Context, q store.WorkQuery) ([]store.Work, error) {
	select {
	case s.swept <- struct{}{}:
	default:
	}
	return s.Store.Work(ctx, q)
}

func newSpoilt(t *testing.T, agent adapter.Agent) *spoilt {
	url := redistest.Start(t, redistest.Options{}).URL()
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	db := redis.NewClient(options)
	t.Cleanup(func() { db.Close() })
	st, err := redisstore.Open(context.Background(), url, &redisstore.Options{Partitions: 1, Lease: time.Minute, Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	s := &spoilt{t: t, db: db, store: st, bad: store.ThreadKey{Namespace: "n", Thread: "bad"}, agent: agent,
		good: store.ThreadKey{Namespace: "n", Thread: "good"}, log: new(logged)}
	s.claiming = &countsClaims{Store: st, claims: map[store.ThreadKey]int{}, swept: make(chan struct{})}
	s.start()
	return s
}

func (s *spoilt) start() {
	s.t.Helper()
	r, err := runner.New(s.claiming, &runner.Options{
		Agents: map[string]adapter.Agent{"": s.agent}, Sweep: 5 * time.Millisecond,
		Logger: slog.New(slog.NewTextHandler(s.log, nil)),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.runner = r
	s.t.Cleanup(func() {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		r.Shutdown(ended)
	})
}

func (s *spoilt) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	s.t.Cleanup(cancel)
	return ctx
}

func (s *spoilt) submit(key store.ThreadKey, text string) admission.Admitted {
	s.t.Helper()
	in := user(text)
	in.ThreadID, in.RunID = key.Thread, "run-"+text
	a, err := s.runner.Submit(s.ctx(), admission.Input{Namespace: key.Namespace, Tenant: "t", Run: in})
	if err != nil {
		s.t.Fatalf("submit to %s: %v", key.Thread, err)
	}
	return a
}

// until waits for what is true in the end.
func (s *spoilt) until(what string, f func() bool) {
	s.t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for ctx := s.ctx(); !f(); {
		select {
		case <-tick.C:
		case <-ctx.Done():
			s.t.Fatalf("it never came true that %s", what)
		}
	}
}

// keys are the keys of the bad thread by their last part.
func (s *spoilt) keys() map[string]string {
	s.t.Helper()
	all, err := s.db.Keys(s.ctx(), "*").Result()
	if err != nil {
		s.t.Fatal(err)
	}
	base := ""
	for _, k := range all {
		if strings.HasSuffix(k, ":rec") {
			if id, _ := s.db.HGet(s.ctx(), k, "thread").Result(); strings.HasSuffix(id, "bad") {
				base = strings.TrimSuffix(k, "rec")
			}
		}
	}
	if base == "" {
		s.t.Fatal("the thread has no record")
	}
	found := map[string]string{}
	for _, k := range all {
		if part, own := strings.CutPrefix(k, base); own {
			found[part] = k
		}
	}
	return found
}

// A damage is done to a value that is stored.
var damages = []struct {
	name string
	do   func(string) (string, bool) // the new value; false: it is taken away
}{
	{"no JSON", func(string) (string, bool) { return "{", true }},
	{"other JSON", func(string) (string, bool) { return `"x"`, true }},
	{"cut off", func(v string) (string, bool) { return v[:len(v)/2], true }},
	{"nothing that unfolds", func(string) (string, bool) { return "\x01\xff", true }},
	{"negative", func(string) (string, bool) { return "-1:x", true }},
	{"missing", func(string) (string, bool) { return "", false }},
}

// damage calls each with a way to damage one stored value of the thread, by name.
func (s *spoilt) damage(each func(name string, do func())) {
	for part, key := range s.keys() {
		kind, err := s.db.Type(s.ctx(), key).Result()
		if err != nil {
			s.t.Fatal(err)
		}
		each(part+" is of another type", func() {
			s.db.Del(s.ctx(), key)
			if kind == "string" {
				s.db.RPush(s.ctx(), key, "x")
			} else {
				s.db.Set(s.ctx(), key, "x", 0)
			}
		})
		for _, d := range damages {
			switch kind {
			case "hash":
				fields, _ := s.db.HGetAll(s.ctx(), key).Result()
				for field, value := range fields {
					each(fmt.Sprintf("%s %s: %s", part, kindOf(field), d.name), func() {
						if v, stays := d.do(value); stays {
							s.db.HSet(s.ctx(), key, field, v)
						} else {
							s.db.HDel(s.ctx(), key, field)
						}
					})
				}
			case "list":
				values, _ := s.db.LRange(s.ctx(), key, 0, -1).Result()
				for i, value := range values {
					each(fmt.Sprintf("%s %d: %s", part, i, d.name), func() {
						if v, stays := d.do(value); stays {
							s.db.LSet(s.ctx(), key, int64(i), v)
						} else {
							s.db.LRem(s.ctx(), key, 1, value)
						}
					})
				}
			case "string":
				value, _ := s.db.Get(s.ctx(), key).Result()
				each(part+": "+d.name, func() {
					if v, stays := d.do(value); stays {
						s.db.Set(s.ctx(), key, v, 0)
					} else {
						s.db.Del(s.ctx(), key)
					}
				})
			}
		}
	}
}

// kindOf is a field without the ids in it.
func kindOf(field string) string {
	if name, _, ok := strings.Cut(field, ":"); ok {
		return name
	}
	return field
}

// asksOrWaits suspends on "ask" and goes on for ever on anything else.
func asksOrWaits(ctx context.Context, run *adapter.Run) error {
	messages := run.Input().Messages
	switch text := messages[len(messages)-1].Content.String(); text {
	case "ask":
		if err := run.Say("a question"); err != nil {
			return err
		}
		_, err := run.Ask(ctx, confirmation("go?"))
		return err
	case "wait":
		if _, err := adapter.Step(ctx, run, "s", func(context.Context) (string, error) { return "done", nil }); err != nil {
			return err
		}
		if err := run.Emit(&protocol.TextMessageStart{MessageID: run.NewID(), Role: protocol.RoleAssistant}); err != nil {
			return err
		}
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return run.Say("fine")
}

// states are the shapes that a thread is in when it is damaged.
var states = map[string]func(s *spoilt){
	"at rest": func(s *spoilt) { s.submit(s.bad, "hi"); s.rests(s.bad) },
	"suspended": func(s *spoilt) {
		s.submit(s.bad, "ask")
		s.until("it waits", func() bool {
			thread, err := s.runner.Thread(s.ctx(), s.bad)
			return err == nil && thread.Open != nil
		})
		s.submit(s.good, "ask")
		s.until("the other waits", func() bool {
			thread, err := s.runner.Thread(s.ctx(), s.good)
			return err == nil && thread.Open != nil
		})
	},
	"active, and one waits": func(s *spoilt) {
		s.submit(s.bad, "wait")
		s.until("it is under way", func() bool {
			thread, err := s.runner.Thread(s.ctx(), s.bad)
			return err == nil && len(thread.Messages) == 2
		})
		if a := s.submit(s.bad, "later"); a.Disposition != admission.Queued {
			s.t.Fatal(a)
		}
	},
}

func (s *spoilt) rests(key store.ThreadKey) {
	s.t.Helper()
	s.until("it is at rest", func() bool {
		thread, err := s.runner.Thread(s.ctx(), key)
		return err == nil && thread != nil && thread.Active == ""
	})
}

// Whatever stored value of a thread is damaged, in whatever way: other threads go
// on, whoever asks gets an answer that says so, and all of it can be stopped
// and deleted.
func TestDamagedThread(t *testing.T) {
	if testing.Short() {
		t.Skip("one caller after another: the race detector sees nothing in it")
	}
	for state, prepare := range states {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			s := newSpoilt(t, adapter.AgentFunc(asksOrWaits))
			prepare(s)
			s.damage(func(name string, do func()) {
				saved := s.save()
				do()
				s.check(name)
				s.restore(saved)
				if t.Failed() {
					t.FailNow()
				}
			})
		})
	}
}

// save and restore are what the database holds.
func (s *spoilt) save() map[string]string {
	saved := map[string]string{}
	keys, err := s.db.Keys(s.ctx(), "*").Result()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, k := range keys {
		value, err := s.db.Dump(s.ctx(), k).Result()
		switch {
		case err == nil:
			saved[k] = value
		case errors.Is(err, redis.Nil): // what goes on behind a thread at rest has emptied it
		default:
			s.t.Fatal(err)
		}
	}
	return saved
}

func (s *spoilt) restore(saved map[string]string) {
	s.db.FlushAll(s.ctx())
	for k, v := range saved {
		// Who awaits work makes its streams again at once.
		if err := s.db.RestoreReplace(s.ctx(), k, 0, v).Err(); err != nil {
			s.t.Fatal(err)
		}
	}
}

// allowed is no error, or one that says that it is the data.
func (s *spoilt) allowed(name, what string, err error) {
	s.t.Helper()
	if err != nil && !errors.Is(err, store.ErrCorrupted) {
		s.t.Errorf("%s: %s: %v", name, what, err)
	}
}

func (s *spoilt) check(name string) {
	s.t.Helper()
	ctx := s.ctx()
	_, err := s.runner.Thread(ctx, s.bad)
	s.allowed(name, "thread", err)
	f := s.runner.Follow(s.bad, func() {})
	_, err = f.Attach(ctx, nil)
	s.allowed(name, "attach", err)
	f.Close()
	if _, _, err := s.runner.Inbox(ctx, operate.InboxQuery{InboxQuery: store.InboxQuery{Tenant: "t"}}); err != nil {
		s.t.Errorf("%s: inbox: %v", name, err)
	}
	if _, _, err := s.runner.Threads(ctx, store.ThreadQuery{Namespace: "n"}); err != nil {
		s.t.Errorf("%s: threads: %v", name, err)
	}
	if _, _, err := s.runner.DeadLetters(ctx, store.PageQuery{Tenant: "t"}); err != nil {
		s.t.Errorf("%s: dead letters: %v", name, err)
	}
	_, err = s.runner.Runs(ctx, s.bad, store.DispatchQuery{})
	s.allowed(name, "runs", err)
	if _, err := s.runner.StopAll(ctx, s.bad, "damaged", admission.Actor{}); err != nil {
		s.t.Errorf("%s: interrupt: %v", name, err)
	}
	if deleted, err := s.runner.DeleteThread(ctx, s.bad, "", store.Origin{}); err != nil {
		s.t.Errorf("%s: delete: %v", name, err)
	} else if !deleted {
		// Only what can be read may keep it: a question that can be answered.
		if thread, err := s.runner.Thread(ctx, s.bad); err != nil || thread == nil || thread.Open == nil || thread.Open.Corrupted {
			s.t.Errorf("%s: not deleted: %+v %v", name, thread, err)
		}
	}
	if err := s.store.Erase(ctx, s.bad, store.Deletion{Withdraw: func(store.Withdrawn) ([]store.Decided, bool) { return nil, false }}); err != nil {
		s.t.Errorf("%s: erase: %v", name, err)
	}
	if thread, err := s.runner.Thread(ctx, s.bad); err != nil || thread != nil {
		s.t.Errorf("%s: afterwards %+v %v", name, thread, err)
	}
}

// A run whose journal cannot be read ends at once and says so, however many attempts
// it has left.
func TestRunWithADamagedJournal(t *testing.T) {
	s := newSpoilt(t, adapter.AgentFunc(asksOrWaits))
	s.submit(s.bad, "wait")
	s.until("it has recorded", func() bool {
		n, err := s.db.LLen(s.ctx(), s.keys()["journal"]).Result()
		return err == nil && n == 2
	})
	runs, err := s.runner.Runs(s.ctx(), s.bad, store.DispatchQuery{})
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	s.runner.Shutdown(stopped) // hands back
	s.db.LSet(s.ctx(), s.keys()["journal"], 1, "{")
	s.start()
	s.until("the run has ended", func() bool {
		run, err := s.runner.FindRun(s.ctx(), s.bad, runs[0].ID)
		return err == nil && run.State == store.DispatchDeadLetter && strings.Contains(string(run.Outcome), adapter.CodeStateCorrupted)
	})
	if a := s.submit(s.bad, "hi"); a.Disposition != admission.Started {
		t.Errorf("afterwards: %+v", a.Refusal)
	}
}

// A thread that cannot even be claimed is left alone for a while, and told of once.
func TestSweepLeavesADamagedThreadAlone(t *testing.T) {
	s := newSpoilt(t, adapter.AgentFunc(asksOrWaits))
	states["active, and one waits"](s)
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	s.runner.Shutdown(stopped)
	s.db.Set(s.ctx(), s.keys()["runs"], "x", 0)
	s.start()
	s.until("it is told", func() bool { return s.log.count("cannot be claimed") > 0 })
	for range 20 {
		select {
		case <-s.claiming.swept:
		case <-s.ctx().Done():
			t.Fatal("no sweep")
		}
	}
	s.claiming.mu.Lock()
	n := s.claiming.claims[s.bad]
	s.claiming.mu.Unlock()
	if told := s.log.count("cannot be claimed"); n > 3 || told != 1 {
		t.Errorf("%d claims, told %d times", n, told)
	}
	for range 3 {
		in := user("more")
		in.ThreadID, in.RunID = s.bad.Thread, "more"
		a, err := s.runner.Submit(s.ctx(), admission.Input{Namespace: s.bad.Namespace, Run: in})
		if err != nil || a.Refusal == nil || a.Refusal.Code != adapter.CodeStateCorrupted {
			t.Errorf("an input: %+v %v", a, err)
		}
	}
	if told := s.log.count("cannot be read: interrupt or delete"); told != 1 {
		t.Errorf("of the inputs that were refused it is told %d times", told)
	}
	if a := s.submit(s.good, "hi"); a.Disposition != admission.Started {
		t.Errorf("another thread: %+v", a)
	}
}

// A thread that cannot be read is in its user's own inbox as such, and the others
// are there too.
func TestOpenBesideAThreadThatCannotBeRead(t *testing.T) {
	s := newSpoilt(t, adapter.AgentFunc(asksOrWaits))
	for _, key := range []store.ThreadKey{s.bad, s.good} {
		s.submit(key, "ask")
	}
	keys := []store.ThreadKey{s.bad, s.good}
	s.until("both ask", func() bool {
		open, err := s.runner.Open(s.ctx(), keys)
		return err == nil && len(open) == 2
	})
	s.db.HSet(s.ctx(), s.keys()["rec"], "seq", "x")
	open, err := s.runner.Open(s.ctx(), keys)
	if err != nil || len(open) != 2 || !open[0].Corrupted || open[1].Corrupted {
		t.Errorf("%+v, %v", open, err)
	}
}

// What is no thread among those that are due hides no thread.
func TestDueHoldsWhatIsNoThread(t *testing.T) {
	s := newSpoilt(t, adapter.AgentFunc(asksOrWaits))
	s.submit(s.good, "wait")
	keys, err := s.db.Keys(s.ctx(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if strings.HasSuffix(key, "leases") || strings.HasSuffix(key, "ready") {
			s.db.ZAdd(s.ctx(), key, redis.Z{Score: 1, Member: "x"})
		}
	}
	if due, err := s.store.Work(s.ctx(), store.WorkQuery{Agents: []string{""}, Limit: 100}); err != nil {
		t.Error(due, err)
	}
}

// tornJournal gives journals with something else in the place of their last entry.
func tornJournal(s store.Store, last string) *journals {
	return &journals{s, func(v *store.ExecutionView) {
		if len(v.Journal) > 0 {
			v.Journal[len(v.Journal)-1] = rawJSON(last)
		}
	}}
}

// A record that cannot be meant ends the run at once; one of a kind that a newer
// server wrote is for that one.
func TestJournalRecordOfNoKnownKind(t *testing.T) {
	for _, last := range []string{`{}`, `null`, `{"kind":"none"}`} {
		t.Run(last, func(t *testing.T) {
			stepped := make(chan struct{}, 10)
			agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				if _, err := adapter.Step(ctx, run, "s", func(context.Context) (int, error) { return 1, nil }); err != nil {
					return err
				}
				stepped <- struct{}{}
				<-ctx.Done()
				return context.Cause(ctx)
			})
			l := newLabOn(t, func(s store.Store) store.Store { return tornJournal(s, last) }, agent,
				func(o *runner.Options) { o.Sweep = time.Hour })
			l.beginOn(l.runner, "hi", "run-0")
			await(l, stepped)
			gone, cancel := context.WithCancel(context.Background())
			cancel()
			l.runner.Shutdown(gone) // hands back
			l.replace(agent, func(o *runner.Options) { o.AgentWait = -1 })
			failedWith(t, l.untilEnd(), adapter.CodeStateCorrupted)
		})
	}
}

// Where it is the tree that cannot be read, a thread in which something goes on is kept, and
// the error says why.
func TestADamagedTreeDeletesNothing(t *testing.T) {
	s := newSpoilt(t, adapter.AgentFunc(asksOrWaits))
	if _, err := s.runner.CreateThread(s.ctx(), s.bad, operate.NewThread{}); err != nil {
		t.Fatal(err)
	}
	s.submit(s.bad, "wait")
	active := func() bool {
		thread, err := s.runner.Thread(s.ctx(), s.bad)
		return err == nil && thread != nil && thread.Active != ""
	}
	s.until("it goes on", active)
	trees, err := s.db.Keys(s.ctx(), "*:tree:*").Result()
	if err != nil || len(trees) == 0 {
		t.Fatal(trees, err)
	}
	for _, key := range trees {
		saved := s.save()
		s.db.Set(s.ctx(), key, "x", 0)
		ways := []store.DeleteChildren{store.DeleteReject, store.DeleteDetach}
		if strings.HasSuffix(key, ":nodes") {
			ways = append(ways, store.DeleteCascade)
		}
		for _, how := range ways {
			if res, err := s.runner.DeleteTree(s.ctx(), s.bad, how, "", store.Origin{}); res.Deleted || !strings.HasSuffix(key, ":meta") && err == nil {
				t.Errorf("%s: %s: %+v, %v", key, how, res, err)
			}
		}
		s.restore(saved)
		if !active() {
			t.Errorf("%s: it was deleted", key)
		}
	}
}
