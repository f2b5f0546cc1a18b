package folded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

var key = store.ThreadKey{Namespace: "n", Thread: "t"}

// log is a store of one thread, whose event at a position is a message of that number.
type log struct {
	epoch   string
	version int64
	base    int64
	snapat  int64
	seq     int64
	behind  []int // how many events were read, each time; -1: the whole thread
	broken  bool
}

func message(at int64) string {
	return fmt.Sprintf(`{"id":"m%d","role":"user","content":"%d"}`, at, at)
}

func (l *log) Read(_ context.Context, of store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	v := &store.ThreadView{Thread: of, Version: l.version, Epoch: l.epoch, Base: l.base, Seq: l.seq, Snapshot: store.Snapshot{At: l.snapat}, From: l.snapat}
	if h := q.Have; h != nil && h.Epoch == l.epoch && h.Seq >= l.base-1 && h.Seq <= l.seq {
		v.Held, v.From = true, h.Seq
	} else {
		for at := int64(1); at <= l.snapat; at++ {
			text := message(at)
			if l.broken {
				text = "what is this"
			}
			v.Snapshot.Messages = append(v.Snapshot.Messages, json.RawMessage(text))
		}
	}
	for at := v.From + 1; at <= l.seq; at++ {
		text := `{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[` + message(at) + `],"tools":[],"context":[],"state":{},"forwardedProps":{}}}`
		if l.broken {
			text = "what is this"
		}
		v.Log = append(v.Log, []byte(text))
	}
	if l.behind = append(l.behind, len(v.Log)); !v.Held {
		l.behind[len(l.behind)-1] = -1
	}
	return v, nil
}

func ids(f *fold.Fold) string {
	var list []string
	for m := range f.All() {
		list = append(list, m.ID)
	}
	return strings.Join(list, " ")
}

// reads reads the thread, and expects what the log says of it.
func reads(t *testing.T, ts *Threads, l *log, behind ...int) {
	t.Helper()
	l.behind = nil
	view, thread, err := ts.Read(t.Context(), l, key, ts.Held(key), store.ReadQuery{})
	if err != nil {
		t.Fatal(err)
	}
	all := func(n int64) string {
		var list []string
		for at := range n {
			list = append(list, fmt.Sprint("m", at+1))
		}
		return strings.Join(list, " ")
	}
	if got, stored := ids(thread.Fold), ids(thread.Snapshot); got != all(view.Seq) || stored != all(l.snapat) {
		t.Errorf("reads %s, stored %s, expected %s, %s", got, stored, all(view.Seq), all(l.snapat))
	}
	if fmt.Sprint(l.behind) != fmt.Sprint(behind) {
		t.Errorf("read %v, expected %v", l.behind, behind)
	}
	thread.Fold.Apply(&protocol.MessagesSnapshot{}) // it is the reader's own
	thread.Snapshot.Apply(&protocol.MessagesSnapshot{})
}

func TestReads(t *testing.T) {
	l := &log{epoch: "e", version: 1, base: 1, snapat: 2, seq: 4}
	ts := New(1 << 20)
	reads(t, ts, l, -1)
	reads(t, ts, l, 0)
	l.seq, l.version = 7, 2
	reads(t, ts, l, 3)
	l.seq, l.snapat = 9, 8 // another node has ended a run
	reads(t, ts, l, 2)
	l.snapat = 9
	reads(t, ts, l, 0)
	if u := ts.Usage(); u.Hits != 4 || u.Misses != 1 || u.Threads != 1 || u.Bytes == 0 {
		t.Errorf("%+v", u)
	}
	none := New(-1)
	reads(t, none, l, -1)
	reads(t, none, l, -1)
	if u := none.Usage(); u != (Usage{}) {
		t.Errorf("%+v", u)
	}
}

// TestPoison puts what is not so where threads are held, and expects that nobody is told.
func TestPoison(t *testing.T) {
	wrong := func() Thread {
		f := fold.New(protocol.Messages{{ID: "wrong", Role: protocol.RoleUser, Content: protocol.Text("x")}}, nil)
		return Thread{f, f}
	}
	for name, poison := range map[string]struct {
		at              store.Position
		version, snapat int64
		reads           []int
	}{
		"another epoch":                {store.Position{Epoch: "old", Seq: 8}, 1, 8, []int{-1}},
		"a position beyond the log":    {store.Position{Epoch: "e", Seq: 11}, 1, 11, []int{-1}},
		"a position that is trimmed":   {store.Position{Epoch: "e", Seq: 2}, 1, 2, []int{-1}},
		"a version that is to come":    {store.Position{Epoch: "e", Seq: 9}, 6, 6, []int{1, -1}},
		"a snapshot that is not there": {store.Position{Epoch: "e", Seq: 9}, 5, 5, []int{1, -1}},
	} {
		t.Run(name, func(t *testing.T) {
			l := &log{epoch: "e", version: 5, base: 5, snapat: 6, seq: 10}
			ts := New(1 << 20)
			ts.Keep(key, poison.at, poison.version, poison.snapat, wrong())
			reads(t, ts, l, poison.reads...)
			reads(t, ts, l, 0)
		})
	}
	t.Run("what cannot be read", func(t *testing.T) {
		l := &log{epoch: "e", version: 5, base: 1, snapat: 6, seq: 8}
		ts := New(1 << 20)
		reads(t, ts, l, -1)
		l.seq, l.broken = 9, true
		if _, _, err := ts.Read(t.Context(), l, key, ts.Held(key), store.ReadQuery{}); err == nil || ts.Held(key) != nil {
			t.Errorf("%v, and something is held: %v", err, ts.Held(key))
		}
		l.broken = false
		reads(t, ts, l, -1)
	})
	t.Run("what was held before", func(t *testing.T) {
		l := &log{epoch: "e", version: 5, base: 1, snapat: 6, seq: 8}
		ts := New(1 << 20)
		reads(t, ts, l, -1)
		ts.Keep(key, store.Position{Epoch: "e", Seq: 7}, 5, 6, wrong()) // by one who was slow
		reads(t, ts, l, 0)
	})
}

// tells tells the thread to somebody, and expects what the log says of it.
func tells(t *testing.T, ts *Threads, l *log, behind ...int) {
	t.Helper()
	l.behind = nil
	_, told, err := ts.Tell(t.Context(), l, key, store.ReadQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for at := range l.seq {
		all = append(all, message(at+1))
	}
	if want := `{"type":"MESSAGES_SNAPSHOT","messages":[` + strings.Join(all, ",") + `]}`; string(told.Messages) != want || string(told.State) != "{}" {
		t.Errorf("told %s, %s, expected %s", told.Messages, told.State, want)
	}
	if fmt.Sprint(l.behind) != fmt.Sprint(behind) {
		t.Errorf("read %v, expected %v", l.behind, behind)
	}
}

// A thread at rest is told without being folded. An input that comes then folds what was
// told, and the next one who attaches is told what is folded.
func TestTells(t *testing.T) {
	l := &log{epoch: "e", version: 1, base: 1, snapat: 4, seq: 4}
	ts := New(1 << 20)
	tells(t, ts, l, -1)
	if ts.held[key].Value.(*Held).Fold != nil {
		t.Error("a thread at rest is folded")
	}
	size := ts.Usage().Bytes
	if least := int64(4 * len(message(1))); size < least || size > 2*least {
		t.Errorf("the messages have %d bytes, and weigh %d", least, size)
	}
	tells(t, ts, l, 0)
	reads(t, ts, l, 0)
	tells(t, ts, l, 0)
	l.epoch = "f" // the store has lost some
	tells(t, ts, l, -1)
	l.seq = 6
	tells(t, ts, l, 2)
	tells(t, ts, l, 0)
	l.snapat = 6
	reads(t, ts, l, 0)
	l.epoch, l.version = "g", 0
	tells(t, ts, l, -1)
	l.version = 3
	l.seq, l.snapat = 8, 7
	reads(t, ts, l, 2)
	if u := ts.Usage(); u.Hits != 7 || u.Misses != 3 || u.Threads != 1 {
		t.Errorf("%+v", u)
	}
	l.seq, l.version = 7, 2 // it has gone back to before what was seen
	tells(t, ts, l, -1)
	tells(t, New(-1), l, -1)
	l.epoch, l.broken = "h", true
	if _, _, err := ts.Tell(t.Context(), l, key, store.ReadQuery{}); !errors.Is(err, store.ErrCorrupted) || ts.Held(key) != nil {
		t.Errorf("%v, and something is held: %v", err, ts.Held(key))
	}
}

func TestBudget(t *testing.T) {
	long := make(protocol.Messages, 10)
	for i := range long {
		long[i] = protocol.Message{ID: fmt.Sprint(i), Role: protocol.RoleUser, Content: protocol.Text(strings.Repeat("x", 1000))}
	}
	f := fold.New(long, nil)
	weight := int64(f.Weight())
	ts := New(3*weight + weight/2)
	put := func(thread string) {
		ts.Keep(store.ThreadKey{Thread: thread}, store.Position{Epoch: "e", Seq: 1}, 1, 1, Thread{f, f})
	}
	holds := func(want string) {
		t.Helper()
		got := ""
		for _, thread := range []string{"a", "b", "c", "d"} {
			if _, ok := ts.held[store.ThreadKey{Thread: thread}]; ok {
				got += thread
			}
		}
		if u := ts.Usage(); got != want || u.Bytes != int64(len(want))*weight || u.Threads != int64(len(want)) {
			t.Errorf("holds %s, %+v, expected %s of %d bytes each", got, u, want, weight)
		}
	}
	for _, thread := range []string{"a", "b", "c", "a"} {
		put(thread)
	}
	holds("abc")
	ts.Held(store.ThreadKey{Thread: "b"})
	put("d")
	holds("abd")
	f = fold.New(append(long, protocol.Message{ID: "large", Role: protocol.RoleUser, Content: protocol.Text(strings.Repeat("x", int(4*weight)))}), nil)
	put("c")
	holds("abd")
	whole := f
	f = fold.New(nil, nil)
	ts.Keep(store.ThreadKey{Thread: "c"}, store.Position{Epoch: "e", Seq: 1}, 1, 1, Thread{f, whole}) // its log has taken all of it out
	holds("abd")
	f = whole
	put("a") // it has become too large
	if ts.Held(store.ThreadKey{Thread: "a"}) != nil {
		t.Error("it is held")
	}
}

// A message is read once when a node meets its thread: what checks it first, and then has it
// read, would do so twice.
func TestMessagesAreReadOnce(t *testing.T) {
	const n = 1000
	view := &store.ThreadView{}
	for at := range int64(n) {
		view.Snapshot.Messages = append(view.Snapshot.Messages, json.RawMessage(message(at)))
	}
	each := testing.AllocsPerRun(100, func() {
		if err := new(protocol.Message).UnmarshalJSON(view.Snapshot.Messages[500]); err != nil {
			t.Fatal(err)
		}
	})
	all := testing.AllocsPerRun(5, func() {
		if _, err := stored.Fold(view, -1); err != nil {
			t.Fatal(err)
		}
	})
	if all > n*(each+1) {
		t.Errorf("%.0f objects are made of %d messages, and %.0f of one", all, n, each)
	}
	view.Snapshot.Messages[500] = json.RawMessage(`{"id":"m"`)
	if _, err := stored.Fold(view, -1); !errors.Is(err, store.ErrCorrupted) {
		t.Errorf("of a message that is cut off: %v", err)
	}
}
