package redisstore

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/threadlog"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// logging logs so many events of 180 bytes in a run that goes on, and returns its claim.
func logging(t *testing.T, s *Store, events int) store.Claim {
	t.Helper()
	c := begin(t, s, inline(0, "r1"))
	for number, seq := int64(2), int64(1); seq < int64(events); number++ {
		b := store.Batch{Claim: c, Number: number, Expect: seq}
		for range min(1000, int64(events)-seq) {
			seq++
			b.Events = append(b.Events, fmt.Appendf(nil, `{"type":"TEXT_MESSAGE_CONTENT","delta":"%0140d"}`, seq))
		}
		commit(t, s, b)
	}
	return c
}

// replayed reads what follows a position, as a follower does.
func replayed(t *testing.T, s *Store, after store.Position) (events [][]byte) {
	t.Helper()
	v := view(t, s, store.ReadQuery{After: &after, Follower: true, Small: true})
	if !v.Recovered {
		t.Fatal("not recovered")
	}
	for events = v.Missed; after.Seq+int64(len(events)) < v.Seq; {
		res, err := s.Range(context.Background(), testKey, after.Epoch, after.Seq+int64(len(events))+1, 1024)
		if err != nil || res.Status != store.RangeOK || len(res.Events) == 0 {
			t.Fatalf("%d events, %+v, %v", len(events), res.Status, err)
		}
		events = append(events, res.Events...)
	}
	return events
}

// A replay takes Redis two commands and a script's few for a page, and this process little
// memory but its bytes.
func TestReplayCostsItsBytes(t *testing.T) {
	const events = 10_000
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{Partitions: 1, Timeout: patience})
	logging(t, s, events)
	after := store.Position{Epoch: view(t, s, store.ReadQuery{}).Epoch}
	var got [][]byte
	before, scripts, out := commands(t, server), scriptsRun(t, server), sent(t, server)
	got = replayed(t, s, after)
	count, ran, bytes := commands(t, server)-before, scriptsRun(t, server)-scripts, sent(t, server)-out
	t.Logf("%d commands, %d scripts, %d bytes", count, ran, bytes)
	if len(got) != events || !strings.Contains(string(got[events-1]), fmt.Sprint(events)) {
		t.Fatalf("%d events, the last %s", len(got), got[len(got)-1])
	}
	if size := events * (len(got[1]) + 8); count > 130 || ran > 12 || bytes > size+size/20 {
		t.Errorf("a replay of %d takes %d commands, %d scripts and %d bytes", events, count, ran, bytes)
	}
	if raced {
		return
	}
	// One for each is the Redis client's.
	if objects := testing.AllocsPerRun(3, func() { replayed(t, s, after) }); objects > events+events/4 {
		t.Errorf("a replay of %d makes %.0f objects", events, objects)
	}
}

// What a second follower has missed behind a position comes with its attach's own round trip.
func TestReplayFromAKnownPlaceIsOneTrip(t *testing.T) {
	s, wire := onCounted(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: 1, Timeout: patience})
	logging(t, s, 600)
	after := store.Position{Epoch: view(t, s, store.ReadQuery{}).Epoch, Seq: 100}
	want := replayed(t, s, after)
	var got [][]byte
	trips, scripts, others := wire.during(func() { got = replayed(t, s, after) })
	if len(got) != 500 || !slices.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("%d events, and %d before", len(got), len(want))
	}
	if trips != 1 || scripts != 1 || !slices.Equal(others, []string{"lrange"}) {
		t.Errorf("%d round trips, with %d scripts and %q", trips, scripts, others)
	}
}

// An event beside the log that is near a position costs those who go on from there no more than if nothing was known.
func TestReplayBeforeAnEventBesideTheLog(t *testing.T) {
	s, wire := onCounted(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: 1, Timeout: patience, LargeEvent: 1000})
	c, events := logging(t, s, 120), [][]byte(nil)
	for i := range 400 {
		events = append(events, fmt.Appendf(nil, `{"type":"CUSTOM","name":"%0*d"}`, map[bool]int{true: 2000, false: 140}[i == 10], i))
	}
	commit(t, s, store.Batch{Claim: c, Number: 3, Expect: 120, Events: events})
	after, first := store.Position{Epoch: view(t, s, store.ReadQuery{}).Epoch, Seq: 110}, 0
	for i := range 6 {
		trips, _, _ := wire.during(func() {
			if v := view(t, s, store.ReadQuery{After: &after, Follower: true}); !v.Recovered || len(v.Missed) == 0 {
				t.Errorf("a view has %d events", len(v.Missed))
			}
		})
		if i == 0 {
			first = trips
		} else if i > 1 && trips > first {
			t.Errorf("reading %d takes %d round trips, and the first took %d", i, trips, first)
		}
	}
}

// What is thought of where a log has a position is believed by nobody who has not looked.
func TestPoisonedPlacesOfALog(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: 1, Timeout: patience})
	c := logging(t, s, 3000)
	at := s.conn.Keys.Thread(testKey)
	epoch := view(t, s, store.ReadQuery{}).Epoch
	places := []int64{2, 1500, 2990}
	right := threadlog.KnownLog{Epoch: epoch, Elements: s.conn.Client.LLen(context.Background(), at.Log()).Val(), Events: 3000, Bytes: 3000 * 180}
	heard := func(log threadlog.KnownLog) {
		for _, first := range places {
			s.cache.Logs.Note(at, first, log)
		}
	}
	read := func(first int64) store.RangeResult {
		t.Helper()
		res, err := s.Range(context.Background(), testKey, epoch, first, 100)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	for name, poison := range map[string]func(*threadlog.KnownLog){
		"nothing":                  func(*threadlog.KnownLog) {},
		"a later place":            func(l *threadlog.KnownLog) { l.Place = l.Elements - 1 },
		"one before the list":      func(l *threadlog.KnownLog) { l.Place = -50 },
		"one behind the end":       func(l *threadlog.KnownLog) { l.Place = 5000 },
		"another epoch":            func(l *threadlog.KnownLog) { l.Epoch = "another" },
		"no bytes":                 func(l *threadlog.KnownLog) { l.Bytes = 0 },
		"many bytes":               func(l *threadlog.KnownLog) { l.Bytes = threadlog.PlainBytes },
		"few elements":             func(l *threadlog.KnownLog) { l.Elements = 1 },
		"many elements":            func(l *threadlog.KnownLog) { l.Elements = 1 << 40 },
		"elements that are none":   func(l *threadlog.KnownLog) { l.Elements = -1 << 40 },
		"many events":              func(l *threadlog.KnownLog) { l.Events = 1 << 40 },
		"no events":                func(l *threadlog.KnownLog) { l.Events = 0 },
		"elements and no bytes":    func(l *threadlog.KnownLog) { l.Elements, l.Bytes = 1<<40, 0 },
		"elements and many events": func(l *threadlog.KnownLog) { l.Elements, l.Events = 1<<40, 1<<40 },
	} {
		log := right
		poison(&log)
		for _, first := range places {
			heard(log)
			res := read(first)
			if want := fmt.Sprintf("%0140d", first); res.Status != store.RangeOK || len(res.Events) == 0 || !bytes.Contains(res.Events[0], []byte(want)) {
				t.Errorf("%s: from %d there are %d events: %v", name, first, len(res.Events), res.Status)
			}
			heard(log)
			if v := view(t, s, store.ReadQuery{After: &store.Position{Epoch: epoch, Seq: first - 1}}); !v.Recovered || len(v.Missed) == 0 || !bytes.Equal(v.Missed[0], res.Events[0]) {
				t.Errorf("%s: from %d a view has %d events, recovered: %v", name, first, len(v.Missed), v.Recovered)
			}
		}
	}
	// The log has been trimmed, and has another life, since it was heard of.
	finish := &store.End{Kind: store.EndFinish, Snapshot: &store.SnapshotUpdate{State: json.RawMessage("{}")}}
	commit(t, s, store.Batch{Claim: c, Number: 5, Expect: 3000, Events: [][]byte{delta}, End: finish})
	s.opts.Retain = 10
	b := inline(view(t, s, store.ReadQuery{}).Version, "r2")
	commit(t, s, store.Batch{Claim: begin(t, s, b), Number: 2, Expect: 3002, Events: [][]byte{delta}, End: finish})
	heard(right)
	if res := read(1500); res.Status != store.RangeGone {
		t.Errorf("what was trimmed is %v, %d events", res.Status, len(res.Events))
	}
	heard(right)
	if v := view(t, s, store.ReadQuery{After: &store.Position{Epoch: epoch, Seq: 1499}}); v.Recovered || v.Snapshot.State == nil {
		t.Errorf("a view behind what was trimmed: recovered %v, state %s", v.Recovered, v.Snapshot.State)
	}
	if _, err := s.Delete(context.Background(), testKey, store.Deletion{}); err != nil {
		t.Fatal(err)
	}
	heard(right)
	if res := read(2); res.Status != store.RangeEpoch {
		t.Errorf("what was deleted is %v, %d events", res.Status, len(res.Events))
	}
}

// logged logs events of these sizes, so many in a batch, behind those of a run that goes on, and
// returns them with their thread's epoch.
func logged(t *testing.T, s *Store, batch int, sizes ...int) (events [][]byte, epoch string) {
	t.Helper()
	c := begin(t, s, inline(0, "r1"))
	b := store.Batch{Claim: c, Number: 2, Expect: 1}
	for i, size := range sizes {
		b.Events = append(b.Events, fmt.Appendf(nil, `"%0*d"`, size-2, i))
		if len(b.Events) == batch || i == len(sizes)-1 {
			commit(t, s, b)
			events = append(events, b.Events...)
			b.Number, b.Expect, b.Events = b.Number+1, b.Expect+int64(len(b.Events)), nil
		}
	}
	return events, view(t, s, store.ReadQuery{Window: 1}).Epoch
}

// Whatever is thought of a log: a page has no more than 256 KiB and an event, the server sends
// about as much, and is asked for too much of a log once.
func TestPagesAreBoundedInBytes(t *testing.T) {
	const large = 60_000
	grown := append(slices.Repeat([]int{180}, 9), slices.Repeat([]int{large}, 100)...)
	uneven := append(slices.Repeat([]int{100}, 2000), slices.Repeat([]int{large}, 30)...)
	for name, c := range map[string]struct {
		batch int // events
		sizes []int
		heard threadlog.KnownLog // epoch apart
		waste int                // bytes that may be sent for nothing
	}{
		"the log has grown since it was heard of": {64, grown, threadlog.KnownLog{Place: 1, Elements: 2, Events: 10, Bytes: 1800}, 0},
		"small events before large ones":          {64, uneven, threadlog.KnownLog{Place: 1, Elements: 62, Events: 2031, Bytes: 2_000_010}, threadlog.PlainBytes},
		"batches of one event":                    {1, uneven, threadlog.KnownLog{Place: 1, Elements: 2031, Events: 2031, Bytes: 2_000_010}, threadlog.PlainBytes},
	} {
		t.Run(name, func(t *testing.T) {
			server := redistest.Start(t, redistest.Options{})
			s := open(t, server.URL(), Options{Partitions: 1, Timeout: patience})
			want, epoch := logged(t, s, c.batch, c.sizes...)
			c.heard.Epoch = epoch
			s.cache.Logs.Note(s.conn.Keys.Thread(testKey), 2, c.heard)
			for _, waste := range []int{c.waste, 0} {
				before, size := sent(t, server), 0
				for at := 0; at < len(want); {
					asked := sent(t, server)
					res, err := s.Range(context.Background(), testKey, epoch, int64(at+2), 1024)
					if err != nil || res.Status != store.RangeOK || len(res.Events) == 0 {
						t.Fatal(res, err)
					}
					page := 0
					for i, e := range res.Events {
						if !bytes.Equal(e, want[at+i]) {
							t.Fatalf("event %d is %.20q", at+i+2, e)
						}
						page += len(e)
					}
					if most := threadlog.PageBytes + large; page > most || sent(t, server)-asked > most+waste+3*large {
						t.Errorf("a page of %d bytes, for which %d are sent", page, sent(t, server)-asked)
					}
					at, size = at+len(res.Events), size+page
				}
				if n := sent(t, server) - before; n > size+size/5+waste {
					t.Errorf("%d bytes are sent for %d", n, size)
				}
			}
		})
	}
}
