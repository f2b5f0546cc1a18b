package redisstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/threadlog"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/redis/go-redis/v9"
)

// scriptTime is for how long scripts have kept the server.
func scriptTime(t *testing.T, server *redistest.Server) (d time.Duration) {
	t.Helper()
	text, err := server.Do("INFO", "commandstats")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`cmdstat_(?:eval(?:sha)?|fcall):calls=\d+,usec=(\d+)`).FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		d += time.Duration(n) * time.Microsecond
	}
	return d
}

// incompressible is text of so many bytes of which deflating leaves most.
func incompressible(bytes int) string {
	var text strings.Builder
	for text.Len() < bytes {
		text.WriteString(rand.Text())
	}
	return text.String()[:bytes]
}

// commandsRun is how many commands of a name the server has carried out.
func commandsRun(t *testing.T, server *redistest.Server, name string) int {
	t.Helper()
	text, err := server.Do("INFO", "commandstats")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`cmdstat_` + name + `:calls=(\d+)`).FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// scriptMemory is what the server's scripts have in memory, with what they have let go of and
// nobody has collected yet.
func scriptMemory(t *testing.T, server *redistest.Server) int {
	t.Helper()
	text, err := server.Do("INFO", "memory")
	found := regexp.MustCompile(`used_memory_lua:(\d+)`).FindStringSubmatch(text)
	if err != nil || found == nil {
		t.Fatal(text, err)
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// longest says of the scripts since the last SLOWLOG RESET how long the longest kept the server, and
// how many keys, arguments and items the one with the most had.
func longest(t *testing.T, client *redis.Client) (took time.Duration, items int) {
	t.Helper()
	const all = 400_000
	entries, err := client.SlowLogGet(context.Background(), all).Result()
	if err != nil || len(entries) == all {
		t.Fatalf("%d entries: %v", len(entries), err)
	}
	for _, e := range entries {
		if name := strings.ToLower(e.Args[0]); name != "fcall" && !strings.HasPrefix(name, "eval") {
			continue
		}
		n, more := len(e.Args), 0
		if _, err := fmt.Sscanf(e.Args[n-1], "... (%d more arguments)", &more); err == nil {
			n += more - 1
		}
		took, items = max(took, e.Duration), max(items, n)
	}
	return took, items
}

// load is a thread that is large in one way, to be written to.
type load struct {
	*testing.T
	s   *Store
	key store.ThreadKey
	run string // what its runs are named after
	n   int    // of them have begun
}

func (l *load) view(q store.ReadQuery) *store.ThreadView {
	l.Helper()
	v, err := l.s.Read(context.Background(), l.key, q)
	if err != nil {
		l.Fatal(err)
	}
	return v
}

// next is a Begin on the thread as it is.
func (l *load) next(change func(*store.Begin)) store.Begin {
	l.Helper()
	l.n++
	b := inline(l.view(store.ReadQuery{Window: 1}).Version, fmt.Sprint(l.run, l.n))
	b.Thread = l.key
	if change != nil {
		change(&b)
	}
	return b
}

// ending is the last batch of a run that has begun.
func (l *load) ending(c store.Claim, u *store.SnapshotUpdate) store.Batch {
	l.Helper()
	return store.Batch{Claim: c, Number: 2, Expect: l.view(store.ReadQuery{Window: 1}).Seq, Events: [][]byte{delta}, End: &store.End{Kind: store.EndFinish, Snapshot: u}}
}

// turnOf lets a run begin and end.
func turnOf(l *load) {
	l.Helper()
	commit(l.T, l.s, l.ending(begin(l.T, l.s, l.next(nil)), nil))
}

// with is an Execute of which something is changed.
func with(b store.Begin, change func(*store.Execute)) store.Begin {
	k := b.Kind.(store.Execute)
	change(&k)
	b.Kind = k
	return b
}

// ids are those that holding gives to messages.
func ids(from, to int) (list []string) {
	for i := from; i < to; i++ {
		list = append(list, fmt.Sprintf("message-%08d", i))
	}
	return list
}

// weighing tells of the calls of a process, of which those that travel together count as one, how many commands the one
// with the most has made of the server, and how many bytes and values the longest answer has.
type weighing struct {
	t                       *testing.T
	server                  *redistest.Server
	commands, bytes, values int
	name                    string // of the call with the most commands
	asked                   int    // how many commands it has taken to find that out
}

func (w *weighing) DialHook(next redis.DialHook) redis.DialHook { return next }

func (w *weighing) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		return w.weigh(func() error { return next(ctx, cmd) }, cmd)
	}
}

func (w *weighing) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		return w.weigh(func() error { return next(ctx, cmds) }, cmds...)
	}
}

func (w *weighing) weigh(call func() error, cmds ...redis.Cmder) error {
	made, out := commands(w.t, w.server), sent(w.t, w.server)
	err := call()
	bytes := sent(w.t, w.server) - out
	w.asked += 4
	// One of them is each of these commands, and others are those that ask.
	if n := (commands(w.t, w.server) - made) / len(cmds); n > w.commands {
		w.commands, w.name = n, fmt.Sprint(cmds[0].Args()[0], " ", cmds[0].Args()[1])
	}
	w.bytes = max(w.bytes, bytes/len(cmds))
	for _, cmd := range cmds {
		if answer, is := cmd.(*redis.Cmd); is {
			w.values = max(w.values, valuesOf(answer.Val()))
		}
	}
	return err
}

// valuesOf is how many values an answer has.
func valuesOf(answer any) (n int) {
	list, is := answer.([]any)
	if !is {
		return 1
	}
	for _, one := range list {
		n += valuesOf(one)
	}
	return n
}

// A script that writes does what is new, however long the thread is that it writes to, and no more
// than a bounded piece of it, and one that reads reads a piece: these are the largest calls that the limits let through.
// A command called in a script takes about a microsecond, and more where it has 250 messages to it.
func TestScriptsThatWriteDoWhatIsNewAndOthersAPiece(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures, and takes seconds under the race detector")
	}
	const messages, told, waits = 50_000, 10_000, 100 // waits: runner.Options.MaxQueue
	const (
		most         = 1200 // items of one script
		mostCommands = 1200 // that a script calls, about
		mostBytes    = 1200 << 10
		mostValues   = 4200
		events       = 200_000
		runs         = 10_000
	)
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{Partitions: 1, Timeout: patience, Lease: time.Hour})
	ctx := context.Background()
	at, err := redis.ParseURL(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	raw := redis.NewClient(at)
	defer raw.Close()
	for name, value := range map[string]string{"slowlog-log-slower-than": "0", "slowlog-max-len": "200000"} {
		if err := raw.ConfigSet(ctx, name, value).Err(); err != nil {
			t.Fatal(err)
		}
	}
	done := func(l *load, b store.Batch) {
		l.Helper()
		if res, err := l.s.Commit(ctx, b); err != nil || res.Status != store.CommitOK {
			l.Fatalf("%+v %v", res, err)
		}
	}
	// logged is the last batch of a run that has logged 10,000 events or so.
	logged := func(l *load) store.Batch {
		l.Helper()
		c := begin(l.T, l.s, l.next(nil))
		event := fmt.Appendf(nil, "%q", strings.Repeat("x", 400))
		for i := range 156 {
			done(l, store.Batch{Claim: c, Number: int64(i + 2), Expect: int64(1 + 64*i), Events: slices.Repeat([][]byte{event}, 64)})
		}
		b := l.ending(c, &store.SnapshotUpdate{})
		b.Number = 158
		return b
	}
	waiting := func(l *load) store.Claim {
		l.Helper()
		c := begin(l.T, s, l.next(nil))
		for range waits {
			b := l.next(func(b *store.Begin) { b.Kind = queued(0, b.RunID).Kind })
			if res, err := s.Begin(ctx, b); err != nil || res.Status != store.BeginAccepted {
				l.Fatal(res, err)
			}
		}
		return c
	}
	// long gives a thread a log of very many elements. Of a damaged one nothing can be read before its second half.
	long := func(l *load, damaged bool) {
		l.Helper()
		turnOf(l)
		at := s.conn.Keys.Thread(l.key)
		pipe := raw.Pipeline()
		for first := 3; first < events; first += 1000 {
			var elements []any
			for i := range 1000 {
				elements = append(elements, fmt.Sprintf("%d,5:5:event", first+i))
			}
			pipe.RPush(ctx, at.Log(), elements...)
		}
		n := 2 + (events-3+999)/1000*1000
		pipe.HSet(ctx, at.Rec(), "seq", n, "len", 5*n)
		if damaged {
			pipe.LSet(ctx, at.Log(), int64(n/2), "garbage")
		}
		if _, err := pipe.Exec(ctx); err != nil {
			l.Fatal(err)
		}
	}
	// ended gives a thread very many runs that have ended, in two ways.
	ended := func(l *load) {
		l.Helper()
		for range 30 {
			turnOf(l)
		}
		at := s.conn.Keys.Thread(l.key)
		line, err := raw.HGet(ctx, at.Runs(), "m:"+l.run+"1").Result()
		if err != nil {
			l.Fatal(err)
		}
		for first := 0; first < runs; first += 1000 {
			pipe := raw.Pipeline()
			for i := first; i < first+1000; i++ {
				id, state := fmt.Sprintf("run-%d", i), "kx"[i%2:i%2+1]
				pipe.HSet(ctx, at.Runs(), "m:"+id, line[:1]+state+line[2:])
				pipe.ZAdd(ctx, at.Base+"past", redis.Z{Member: fmt.Sprintf("%s%014d%010d%s", state, i, i, id)})
			}
			if _, err := pipe.Exec(ctx); err != nil {
				l.Fatal(err)
			}
		}
	}
	w := &weighing{t: t, server: server}
	s.conn.Client.(*redis.Client).AddHook(w)
	var rewound store.Claim
	for _, c := range []struct {
		name     string
		thread   string // in which what was done before still stands; "": a new one
		scripts  int    // at least
		commands int    // at most, those that ask for these numbers among them
		memory   int    // of scripts, at most, in MiB
		make     func(l *load) (call func())
	}{
		{"a log of 10,000 events is too old", "", 2, 60, 0, func(l *load) func() {
			done(l, logged(l))
			at := time.Now().Add(30 * 24 * time.Hour)
			l.s = open(l.T, server.URL(), Options{Partitions: 1, Timeout: patience, Keep: 365 * 24 * time.Hour, Clock: func() time.Time { return at }})
			return func() {
				for more := true; more; {
					var err error
					if more, err = l.s.Retire(ctx); err != nil {
						l.Fatal(err)
					}
				}
				if v := l.view(store.ReadQuery{}); v.Base != v.Seq+1 {
					l.Fatalf("the log has events from %d to %d", v.Base, v.Seq)
				}
			}
		}},
		{"a run ends, and of its log of 10,000 events none is to be kept", "", 1, 35, 0, func(l *load) func() {
			l.s = open(l.T, server.URL(), Options{Partitions: 1, Timeout: patience, Retain: 1})
			b := logged(l)
			return func() { done(l, b) }
		}},
		{"a batch of as many events as go together", "", 1, 15, 0, func(l *load) func() {
			c := begin(l.T, s, l.next(nil))
			b := store.Batch{Claim: c, Number: 2, Expect: 1, Events: slices.Repeat([][]byte{fmt.Appendf(nil, "%q", strings.Repeat("x", 4000))}, 64)}
			return func() { done(l, b) }
		}},
		{"a run ends that told 10,000 messages", "told", 41, 450, 0, func(l *load) func() {
			u := &store.SnapshotUpdate{Append: ids(0, told), Upsert: map[string]json.RawMessage{}}
			for _, id := range u.Append {
				u.Upsert[id] = json.RawMessage(fmt.Sprintf(`{"id":%q,"role":"user","content":%q}`, id, strings.Repeat("word ", 70)))
			}
			b := l.ending(begin(l.T, s, l.next(nil)), u)
			return func() { done(l, b) }
		}},
		{"a run ends that told them in other words", "told", 41, 520, 0, func(l *load) func() {
			u := &store.SnapshotUpdate{Upsert: map[string]json.RawMessage{}}
			for _, id := range ids(0, told) {
				u.Upsert[id] = json.RawMessage(fmt.Sprintf(`{"id":%q,"role":"user","content":%q}`, id, strings.Repeat("other ", 70)))
			}
			b := l.ending(begin(l.T, s, l.next(nil)), u)
			return func() {
				done(l, b)
				if v := l.view(store.ReadQuery{Window: 1}); !strings.Contains(string(v.Snapshot.Messages[0]), "other") {
					l.Fatalf("%s", v.Snapshot.Messages)
				}
			}
		}},
		{"a thread of 10,000 messages is deleted", "told", 1, 40, 0, func(l *load) func() {
			return func() {
				if deleted, err := s.Delete(ctx, l.key, store.Deletion{}); err != nil || !deleted {
					l.Fatal(deleted, err)
				}
			}
		}},
		{"a run ends behind 50,000 messages", "many", 1, 45, 0, func(l *load) func() {
			holding(l.T, s, l.key.Thread, messages)
			b := l.ending(begin(l.T, s, l.next(nil)), &store.SnapshotUpdate{Append: ids(messages, messages+1), Upsert: map[string]json.RawMessage{ids(messages, messages+1)[0]: json.RawMessage("1")}})
			return func() { done(l, b) }
		}},
		{"all of them are read", "many", 50, 60_000, 0, func(l *load) func() {
			return func() {
				if v := l.view(store.ReadQuery{}); len(v.Snapshot.Messages) != messages+1 {
					l.Fatalf("%d messages are read", len(v.Snapshot.Messages))
				}
			}
		}},
		{"a window and a page of them are read", "many", 2, 2200, 0, func(l *load) func() {
			return func() {
				v := l.view(store.ReadQuery{Window: 1000})
				if page, err := s.Messages(ctx, l.key, store.MessageQuery{Before: v.Snapshot.Before, Limit: 1000}); err != nil || len(page.Messages) != 1000 {
					l.Fatal(len(page.Messages), err)
				}
			}
		}},
		{"a run ends that puts the oldest behind the others", "many", 10, 1500, 0, func(l *load) func() {
			b := l.ending(begin(l.T, s, l.next(nil)), &store.SnapshotUpdate{Drop: messages + 1, Append: append(ids(1, messages+1), ids(0, 1)...)})
			return func() { done(l, b) }
		}},
		{"a run ends that turns half of them around", "many", 10, 1500, 0, func(l *load) func() {
			u := &store.SnapshotUpdate{Drop: messages / 2, Append: append(ids(messages/2+2, messages+1), ids(0, 1)...)}
			slices.Reverse(u.Append)
			b := l.ending(begin(l.T, s, l.next(nil)), u)
			return func() { done(l, b) }
		}},
		{"a log of 200,000 events is read", "", 10, 3000, 0, func(l *load) func() {
			long(l, false)
			return func() {
				v, n := l.view(store.ReadQuery{Window: 1}), int64(0)
				for at := v.Base; at < v.Seq; at += n {
					page, err := s.Range(ctx, l.key, v.Epoch, at, 10_000)
					if n = int64(len(page.Events)); err != nil || n == 0 {
						l.Fatal(page.Status, err)
					}
				}
			}
		}},
		{"a thread behind whose messages stand 200,000 events is read", "", 10, 3000, 0, func(l *load) func() {
			long(l, false)
			return func() {
				if v := l.view(store.ReadQuery{}); len(v.Log) < events-10 {
					l.Fatalf("%d events are read", len(v.Log))
				}
			}
		}},
		{"a run ends, and of its log of 200,000 events 10,000 stay", "", 60, 8000, 0, func(l *load) func() {
			long(l, false)
			l.s = open(l.T, server.URL(), Options{Partitions: 1, Timeout: patience, Retain: 10_000})
			b := l.ending(begin(l.T, s, l.next(nil)), &store.SnapshotUpdate{})
			return func() {
				done(l, b)
				if v := l.view(store.ReadQuery{Window: 1}); v.Seq-v.Base != 9999 {
					l.Fatalf("the log has events from %d to %d", v.Base, v.Seq)
				}
			}
		}},
		{"a damaged log of 200,000 events is repaired", "", 1, 300, 0, func(l *load) func() {
			long(l, true)
			return func() {
				if _, err := s.StopAll(ctx, store.StopAll{Thread: l.key, Request: "q", Terminal: delta, Repair: true}); err != nil {
					l.Fatal(err)
				}
				if v := l.view(store.ReadQuery{Window: 1}); v.Seq < events || v.Base < events/2 {
					l.Fatalf("the log has events from %d to %d", v.Base, v.Seq)
				}
			}
		}},
		{"a thread with a damaged log is erased", "", 1, 80, 0, func(l *load) func() {
			long(l, true)
			return func() {
				if err := s.Erase(ctx, l.key, store.Deletion{}); err != nil {
					l.Fatal(err)
				}
			}
		}},
		{"a run begins that takes back 50,000 messages", "many", 101, 950, 0, func(l *load) func() {
			b := with(l.next(nil), func(k *store.Execute) {
				k.Archive = map[string]json.RawMessage{}
				for _, id := range ids(1, messages+1) {
					k.Archive[id] = json.RawMessage("1")
				}
				k.Branch = &store.Branch{About: json.RawMessage("1"), Messages: json.RawMessage(incompressible(threadlog.BranchBytes))}
			})
			return func() { rewound = begin(l.T, s, b) }
		}},
		{"what became of them is asked", "many", 50, 550, 0, func(l *load) func() {
			return func() {
				if v := l.view(store.ReadQuery{Window: 1, MessageIDs: ids(1, messages+1)}); len(v.Archived) != messages {
					l.Fatalf("%d messages are in the archive", len(v.Archived))
				}
			}
		}},
		{"it ends", "many", 201, 1900, 12, func(l *load) func() {
			taken := ids(1, messages+1)
			b := l.ending(rewound, &store.SnapshotUpdate{Drop: messages, Remove: taken})
			return func() {
				done(l, b)
				left, err := raw.HKeys(ctx, s.conn.Keys.Thread(l.key).Snap()).Result()
				if messages := slices.DeleteFunc(left, func(field string) bool { return field[0] != 'm' }); err != nil || len(messages) != 1 {
					l.Fatalf("the snapshot holds %d messages: %v", len(messages), err)
				}
			}
		}},
		{"all inputs that wait are stopped at once", "", 1, 40, 0, func(l *load) func() {
			c := waiting(l)
			return func() {
				if res, err := s.StopAll(ctx, store.StopAll{Thread: l.key, Request: "q", Active: c.RunID, Terminal: delta}); err != nil || len(res.Superseded) != waits {
					l.Fatal(res, err)
				}
			}
		}},
		{"a journal of 10,000 entries is read", "journal", 2, 70, 0, func(l *load) func() {
			c := begin(l.T, s, l.next(nil))
			done(l, store.Batch{Claim: c, Number: 2, Expect: 1, Entries: []json.RawMessage{json.RawMessage("1")}})
			entries := make([]any, 10_000)
			for i := range entries {
				entries[i] = fmt.Sprintf("%q", incompressible(200))
			}
			if err := raw.RPush(ctx, s.conn.Keys.Thread(l.key).Journal(), entries...).Err(); err != nil {
				l.Fatal(err)
			}
			return func() {
				if x, err := s.Journal(ctx, c); err != nil || len(x.Journal) != 10_001 {
					l.Fatal(err)
				}
			}
		}},
		{"all inputs that wait are listed", "", 1, 125, 0, func(l *load) func() {
			waiting(l)
			return func() {
				if list, err := s.Dispatches(ctx, l.key, store.DispatchQuery{States: []store.DispatchState{store.DispatchQueued}, Limit: 1000}); err != nil || len(list) != waits {
					l.Fatal(len(list), err)
				}
			}
		}},
		{"of 10,000 runs the oldest are listed", "", 4, 620, 0, func(l *load) func() {
			ended(l)
			return func() {
				for offset, id := range map[int]string{runs + 30 - 200: "run-199", 5030: "run-4999"} {
					list, err := s.Dispatches(ctx, l.key, store.DispatchQuery{Limit: 200, Offset: offset})
					if err != nil || len(list) != 200 || list[0].ID != id {
						l.Fatal(offset, len(list), err)
					}
				}
			}
		}},
		{"a run ends before all inputs that wait", "", 1, 45, 0, func(l *load) func() {
			b := l.ending(waiting(l), nil)
			return func() { done(l, b) }
		}},
		{"100 questions are asked", "asked", 1, 35, 0, func(l *load) func() {
			b := l.ending(begin(l.T, s, l.next(nil)), nil)
			b.End.Kind, b.End.Suspension, b.End.Interrupts, b.End.ToolCalls = store.EndSuspend, json.RawMessage("{}"), ids(0, 100), ids(0, 100)
			return func() { done(l, b) }
		}},
		{"they are answered", "asked", 1, 150, 0, func(l *load) func() {
			b := l.next(nil)
			b.Execution = "x100 questions are asked1"
			resume := store.Resume{Claimed: claimedAs(b.RunID), Decisions: json.RawMessage("1"), Answers: map[string]json.RawMessage{}}
			for _, id := range ids(0, 100) {
				resume.Answers[id] = json.RawMessage("1")
				resume.Decided = append(resume.Decided, store.Decided{Interrupt: id, Status: store.DecisionResolved})
			}
			b.Kind = resume
			return func() { begin(l.T, s, b) }
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &load{T: t, s: s, key: store.ThreadKey{Namespace: testKey.Namespace, Thread: cmp.Or(c.thread, c.name)}, run: c.name}
			call := c.make(l)
			if l.s != s {
				l.s.conn.Client.(*redis.Client).AddHook(w)
			}
			*w = weighing{t: t, server: server}
			memory := scriptMemory(t, server)
			scripts, count, took, in := scriptsRun(t, server), commands(t, server), scriptTime(t, server), received(t, server)
			if err := raw.Do(ctx, "slowlog", "reset").Err(); err != nil {
				t.Fatal(err)
			}
			call()
			slowest, items := longest(t, raw)
			took, count = scriptTime(t, server)-took, commands(t, server)-count-w.asked
			scripts, in = scriptsRun(t, server)-scripts, received(t, server)-in
			memory = scriptMemory(t, server) - memory
			t.Logf("%d scripts, %d commands, %d bytes, %v, the longest %v, those with the most of %d items, %d commands, %d bytes and %d values of answer, %d KiB of memory", scripts, count, in, took, slowest, items, w.commands, w.bytes, w.values, memory>>10)
			if w.commands > mostCommands || w.bytes > mostBytes || w.values > mostValues {
				t.Errorf("%s makes %d commands, and an answer has %d bytes or %d values, at most %d, %d and %d are promised", w.name, w.commands, w.bytes, w.values, mostCommands, mostBytes, mostValues)
			}
			if items > most {
				t.Errorf("a script gets %d items, at most %d are promised", items, most)
			}
			if c.memory > 0 && memory > c.memory<<20 {
				t.Errorf("scripts take %d KiB of memory, at most %d MiB are promised", memory>>10, c.memory)
			}
			if scripts < c.scripts || count > c.commands {
				t.Errorf("%d scripts of %d commands, at least %d and at most %d are promised", scripts, count, c.scripts, c.commands)
			}
		})
	}
}

// Messages that a run replaces are not read, where they are large.
func TestLargeMessagesThatGoAreNotRead(t *testing.T) {
	const messages = 250
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{Partitions: 1, Timeout: patience})
	ctx, at := context.Background(), s.conn.Keys.Thread(testKey)
	u := &store.SnapshotUpdate{Append: ids(0, messages), Upsert: map[string]json.RawMessage{}}
	large := map[string]any{}
	for _, id := range u.Append {
		u.Upsert[id] = json.RawMessage("1")
		large["m"+id] = strings.Repeat("x", 256<<10)
	}
	turn(t, s, 1, "r1", u)
	if err := s.conn.Client.HSet(ctx, at.Snap(), large).Err(); err != nil {
		t.Fatal(err)
	}
	if err := s.conn.Client.HSet(ctx, at.Rec(), "held", "").Err(); err != nil {
		t.Fatal(err)
	}
	if bytes := view(t, s, store.ReadQuery{Window: 1}).Bytes; bytes < messages*256<<10 {
		t.Fatalf("%d messages are taken for %d bytes", messages, bytes)
	}
	l := &load{T: t, s: s, key: testKey, run: "then"}
	lengths := func() int {
		b := l.ending(begin(t, s, l.next(nil)), &store.SnapshotUpdate{Upsert: u.Upsert})
		before := commandsRun(t, server, "hstrlen")
		commit(t, s, b)
		return commandsRun(t, server, "hstrlen") - before
	}
	if n := lengths(); n < messages {
		t.Errorf("%d lengths are asked for", n)
	}
	if bytes := view(t, s, store.ReadQuery{Window: 1}).Bytes; bytes > 1<<20 { // what there was is guessed
		t.Errorf("%d messages of a byte are taken for %d bytes", messages, bytes)
	}
	if err := s.conn.Client.HSet(ctx, at.Rec(), "held", "").Err(); err != nil {
		t.Fatal(err)
	}
	if n := lengths(); n >= messages {
		t.Errorf("%d lengths are asked for of small ones", n)
	}
}

// However much a run logs: when it has ended the log is within its bounds.
func TestLogsKeepToTheirBounds(t *testing.T) {
	const most, logged = 1 << 20, 4 << 20
	server := redistest.Start(t, redistest.Options{})
	for _, size := range []int{1 << 10, 16 << 10, 128 << 10} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			s := open(t, server.URL(), Options{Partitions: 1, Timeout: patience, Lease: time.Hour, RetainBytes: most})
			l := &load{T: t, s: s, key: store.ThreadKey{Namespace: testKey.Namespace, Thread: fmt.Sprint("events of ", size)}, run: fmt.Sprint(size, "-")}
			event := fmt.Appendf(nil, "%q", strings.Repeat("x", size))
			for range 3 {
				b := store.Batch{Claim: begin(t, s, l.next(nil)), Number: 2, Expect: l.view(store.ReadQuery{Window: 1}).Seq}
				together := min(64, (256<<10)/size)
				for range logged / size / together {
					b.Events = slices.Repeat([][]byte{event}, together)
					if res, err := s.Commit(context.Background(), b); err != nil || res.Status != store.CommitOK {
						t.Fatalf("%+v %v", res, err)
					}
					b.Number, b.Expect = b.Number+1, b.Expect+int64(together)
				}
				end := l.ending(b.Claim, &store.SnapshotUpdate{State: json.RawMessage("{}")})
				end.Number = b.Number
				if res, err := s.Commit(context.Background(), end); err != nil || res.Status != store.CommitOK {
					t.Fatalf("%+v %v", res, err)
				}
				if v := l.view(store.ReadQuery{Window: 1}); v.Bytes > most+1<<10 {
					t.Fatalf("it has %d events, and the thread %d bytes", v.Seq-v.Base+1, v.Bytes)
				}
			}
		})
	}
}
