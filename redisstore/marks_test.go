package redisstore

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// telling is a turn whose end tells the messages, of the thread and those that it adds.
type telling struct {
	t        *testing.T
	s        *Store
	runs     int
	messages []string
	log      [][]byte // as it is told
}

const tellHead, tellTail = `{"all":[`, `]}`

func (l *telling) view() *store.ThreadView {
	l.t.Helper()
	v, err := l.s.Read(context.Background(), testKey, store.ReadQuery{})
	if err != nil {
		l.t.Fatal(err)
	}
	return v
}

// turn adds messages; tells: its end says them all.
func (l *telling) turn(tells bool, add int) {
	l.t.Helper()
	ctx := context.Background()
	v := l.view()
	l.runs++
	b := inline(v.Version, fmt.Sprint("r", l.runs))
	res, err := l.s.Begin(ctx, b)
	if err != nil || res.Status != store.BeginAccepted {
		l.t.Fatal(res, err)
	}
	l.log = append(l.log, b.Claimed().Events...)
	u := &store.SnapshotUpdate{Upsert: map[string]json.RawMessage{}}
	for range add {
		id := fmt.Sprint("m", len(l.messages))
		text := fmt.Sprintf(`{"id":%q,"text":%q}`, id, strings.Repeat("x", 300))
		l.messages = append(l.messages, text)
		u.Append, u.Upsert[id] = append(u.Append, id), json.RawMessage(text)
	}
	end := &store.End{Kind: store.EndFinish, Snapshot: u}
	events := [][]byte{[]byte(`{"said":1}`)}
	if tells {
		events = append(events, []byte(tellHead+strings.Join(l.messages, ",")+tellTail))
		end.Tells = &store.SnapshotTold{Head: len(tellHead), Tail: len(tellTail)}
	}
	events = append(events, []byte(`{"over":1}`))
	expect := res.Position.Seq + int64(len(b.Claimed().Events))
	batch := store.Batch{Claim: res.Claim, Number: 2, Expect: expect, Events: events, End: end}
	for range 2 { // the second time it is recognised
		if res, err := l.s.Commit(ctx, batch); err != nil || res.Status != store.CommitOK || res.End.Seq != expect+int64(len(events)) {
			l.t.Fatal(res, err)
		}
	}
	l.log = append(l.log, events...)
}

// reads reads the log from behind a position on, as a follower does. False: it is gone.
func (l *telling) reads(s *Store, after int64) bool {
	l.t.Helper()
	ctx := context.Background()
	epoch := l.view().Epoch
	v, err := s.Read(ctx, testKey, store.ReadQuery{After: &store.Position{Epoch: epoch, Seq: after}})
	if err != nil {
		l.t.Fatal(err)
	}
	got := slices.Clone(v.Missed)
	for at := after + int64(len(got)); at < int64(len(l.log)); at = after + int64(len(got)) {
		r, err := s.Range(ctx, testKey, epoch, at+1, 256)
		if err != nil {
			l.t.Fatal(err)
		}
		if (r.Status == store.RangeOK) != v.Recovered {
			l.t.Fatalf("after %d: recovered %v, and a page that is %v", after, v.Recovered, r.Status)
		}
		if r.Status != store.RangeOK {
			return false
		}
		if len(r.Events) == 0 {
			l.t.Fatalf("nothing at %d", at+1)
		}
		got = append(got, r.Events...)
	}
	if v.Recovered != (after+1 >= v.Base) {
		l.t.Errorf("after %d: recovered %v from %d on", after, v.Recovered, v.Base)
	}
	if !v.Recovered {
		return false
	}
	if want := l.log[after:]; !slices.EqualFunc(got, want, bytes.Equal) {
		l.t.Fatalf("after %d: %d events, not the %d that were logged", after, len(got), len(want))
	}
	return true
}

// A long event that tells the snapshot is no more than a mark in the log, reads as it
// was by whoever reads it, and is gone with the log up to it when the snapshot has moved
// on.
func TestAnEventThatTellsTheSnapshotIsAMark(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	l := &telling{t: t, s: open(t, server.URL(), Options{})}
	fresh := func() *Store { return open(t, server.URL(), Options{}) }
	bytesOf := func() (n int) {
		all, err := l.s.conn.Client.LRange(context.Background(), l.s.conn.Keys.Thread(testKey).Log(), 0, -1).Result()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			n += len(e)
		}
		return n
	}

	l.turn(true, 3) // a short one is kept
	l.turn(false, 0)
	for after := range int64(len(l.log)) {
		if !l.reads(fresh(), after) {
			t.Fatalf("a short event is gone after %d", after)
		}
	}

	l.turn(true, 200)
	if n := bytesOf(); n > 5000 {
		t.Errorf("the log has %d bytes", n)
	}
	if v := l.view(); len(v.Log) > 0 || len(v.Snapshot.Messages) != 203 {
		t.Errorf("%d events behind a snapshot of %d messages", len(v.Log), len(v.Snapshot.Messages))
	}
	marked := int64(len(l.log)) - 1 // its position
	for after := range int64(len(l.log)) {
		for name, s := range map[string]*Store{"who has written it": l.s, "another": fresh()} {
			if !l.reads(s, after) {
				t.Fatalf("%s: gone after %d", name, after)
			}
		}
	}

	// While a run goes on behind it, it is there.
	b := inline(l.view().Version, "r-stopped")
	if _, err := l.s.Begin(context.Background(), b); err != nil {
		t.Fatal(err)
	}
	l.log = append(l.log, b.Claimed().Events...)
	if !l.reads(fresh(), 0) {
		t.Error("gone when a run has begun")
	}
	stopped, err := l.s.Stop(context.Background(), store.Stop{Thread: testKey, Request: "stop", RunID: "r-stopped", Terminal: []byte(`{"stopped":1}`)})
	if err != nil || !stopped.Stopped {
		t.Fatal(stopped, err)
	}
	l.log = append(l.log, []byte(`{"stopped":1}`))
	if !l.reads(fresh(), 0) {
		t.Error("gone when a run was stopped")
	}

	l.turn(false, 1)
	for after := range int64(len(l.log)) {
		for name, s := range map[string]*Store{"who has written it": l.s, "another": fresh()} {
			if got := l.reads(s, after); got != (after >= marked) {
				t.Fatalf("%s: after %d of a mark at %d: %v", name, after, marked, got)
			}
		}
	}
	l.turn(true, 1)
	next := int64(len(l.log)) - 1
	l.turn(true, 1)
	if l.reads(fresh(), next-1) || !l.reads(fresh(), next) {
		t.Error("two marks, one after the other")
	}
}

// Who follows on another node hears of a mark that there is more to read.
func TestAMarkIsNotDelivered(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	l := &telling{t: t, s: open(t, server.URL(), Options{})}
	other := open(t, server.URL(), Options{})
	heard := make(chan store.Delivery, 100)
	other.Listen(func(d store.Delivery) {
		if d.Kind == store.DeliverEvents {
			heard <- d
		}
	})
	if _, err := other.Read(context.Background(), testKey, store.ReadQuery{Follower: true}); err != nil {
		t.Fatal(err)
	}
	l.turn(true, 200)
	for d := range heard {
		for _, e := range d.Events {
			if strings.HasPrefix(string(e), "\x01snapshot:") {
				t.Fatalf("delivered: %q", e)
			}
		}
		if d.First > int64(len(l.log)) {
			if d.First != int64(len(l.log))+1 || len(d.Events) != 0 {
				t.Errorf("first %d with %d events, and the log ends at %d", d.First, len(d.Events), len(l.log))
			}
			return
		}
	}
}

// However many come back from before a mark at once, the thread is read once for them.
func TestAMarkIsReadOnceForAllWhoComeBack(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	l := &telling{t: t, s: open(t, server.URL(), Options{})}
	l.turn(true, 200)
	marked, epoch := int64(len(l.log))-1, l.view().Epoch
	other := open(t, server.URL(), Options{})
	reads := func() (n int) {
		stats, err := l.s.conn.Client.Info(context.Background(), "commandstats").Result()
		if err != nil {
			t.Fatal(err)
		}
		_, calls, _ := strings.Cut(stats, "cmdstat_hgetall:calls=")
		fmt.Sscan(calls, &n)
		return n
	}
	before := reads()
	if _, err := other.Read(context.Background(), testKey, store.ReadQuery{}); err != nil {
		t.Fatal(err)
	}
	once := reads() - before
	before += once
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			r, err := other.Range(context.Background(), testKey, epoch, marked, 1)
			if err != nil || len(r.Events) != 1 || !bytes.Equal(r.Events[0], l.log[marked-1]) {
				t.Errorf("%v, %d events: %v", r.Status, len(r.Events), err)
			}
		})
	}
	all.Wait()
	if n := reads() - before; n > 2*once {
		t.Errorf("%d hashes were read whole, and %d are by one reading", n, once)
	}
}

// Whatever a repair makes of the record, the thread can be read and followed behind it
// although its log has marks.
func TestAThreadWithMarksIsRepaired(t *testing.T) {
	for name, damage := range map[string][]any{
		"the snapshot's position":      {"snapat", "x"},
		"the log's beginning":          {"base", "x"},
		"the log's end":                {"seq", "x"},
		"its beginning and its end":    {"base", "x", "seq", "y"},
		"the place of the latest mark": {"told", "x"},
	} {
		t.Run(name, func(t *testing.T) {
			l := &telling{t: t, s: open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Retain: 4})}
			for range 3 {
				l.turn(true, 100)
			}
			ctx := context.Background()
			l.s.conn.Client.HSet(ctx, l.s.conn.Keys.Thread(testKey).Rec(), damage...)
			if _, err := l.s.StopAll(ctx, store.StopAll{Thread: testKey, Request: "q", Terminal: []byte("e"), Repair: true}); err != nil {
				t.Fatal(err)
			}
			v := l.view()
			for _, e := range v.Log {
				if strings.HasPrefix(string(e), "\x01snapshot:") {
					t.Error("a mark is read as an event")
				}
			}
			if len(v.Snapshot.Messages) != 300 {
				t.Errorf("%d messages", len(v.Snapshot.Messages))
			}
			end := store.Position{Epoch: v.Epoch, Seq: v.Seq}
			l.turn(false, 1)
			v, err := l.s.Read(ctx, testKey, store.ReadQuery{After: &end})
			if err != nil || !v.Recovered || len(v.Missed) == 0 || int64(len(v.Missed)) != v.Seq-end.Seq {
				t.Errorf("behind the repair: recovered %v, %d events of %d: %v", v.Recovered, len(v.Missed), v.Seq-end.Seq, err)
			}
			if r, err := l.s.Range(ctx, testKey, end.Epoch, end.Seq+1, 10); err != nil || r.Status != store.RangeOK || len(r.Events) == 0 {
				t.Errorf("a page behind the repair is %v: %v", r.Status, err)
			}
		})
	}
}
