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
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
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

// What is thought of where a log begins is believed by nobody who has not looked.
func TestPoisonedBeginningOfALog(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: 1, Timeout: patience})
	c := logging(t, s, 3000)
	at := s.conn.Keys.Thread(testKey)
	epoch := view(t, s, store.ReadQuery{}).Epoch
	right := knownLog{epoch: epoch, base: 1, end: 3000, bytes: 3000 * 180}
	read := func(first int64) store.RangeResult {
		t.Helper()
		res, err := s.Range(context.Background(), testKey, epoch, first, 100)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	for name, poison := range map[string]func(*knownLog){
		"nothing":             func(*knownLog) {},
		"a later beginning":   func(l *knownLog) { l.base = 100 },
		"an earlier one":      func(l *knownLog) { l.base = -50 },
		"one behind the end":  func(l *knownLog) { l.base = 5000 },
		"another epoch":       func(l *knownLog) { l.epoch = "another" },
		"no bytes":            func(l *knownLog) { l.bytes = 0 },
		"many bytes":          func(l *knownLog) { l.bytes = plainBytes },
		"an end long ago":     func(l *knownLog) { l.end = 1 },
		"an end yet to come":  func(l *knownLog) { l.end = 1 << 40 },
		"an end that is none": func(l *knownLog) { l.end = -1 << 40 },
	} {
		log := right
		poison(&log)
		s.logs.note(at, log)
		for _, first := range []int64{2, 1500, 2990} {
			res := read(first)
			if want := fmt.Sprintf("%0140d", first); res.Status != store.RangeOK || len(res.Events) == 0 || !bytes.Contains(res.Events[0], []byte(want)) {
				t.Errorf("%s: from %d there are %d events: %v", name, first, len(res.Events), res.Status)
			}
		}
	}
	// The log has been trimmed, and has another life, since it was heard of.
	finish := &store.End{Kind: store.EndFinish, Snapshot: &store.SnapshotUpdate{State: json.RawMessage("{}")}}
	commit(t, s, store.Batch{Claim: c, Number: 5, Expect: 3000, Events: [][]byte{delta}, End: finish})
	s.opts.Retain = 10
	b := inline(view(t, s, store.ReadQuery{}).Version, "r2")
	commit(t, s, store.Batch{Claim: begin(t, s, b), Number: 2, Expect: 3002, Events: [][]byte{delta}, End: finish})
	s.logs.note(at, right)
	if res := read(1500); res.Status != store.RangeGone {
		t.Errorf("what was trimmed is %v, %d events", res.Status, len(res.Events))
	}
	if _, err := s.Delete(context.Background(), testKey); err != nil {
		t.Fatal(err)
	}
	s.logs.note(at, right)
	if res := read(2); res.Status != store.RangeEpoch {
		t.Errorf("what was deleted is %v, %d events", res.Status, len(res.Events))
	}
}

// logged logs events of these sizes behind those of a run that goes on, and returns them with
// their thread's epoch.
func logged(t *testing.T, s *Store, sizes ...int) (events [][]byte, epoch string) {
	t.Helper()
	c := begin(t, s, inline(0, "r1"))
	b := store.Batch{Claim: c, Number: 2, Expect: 1}
	for i, size := range sizes {
		b.Events = append(b.Events, fmt.Appendf(nil, `"%0*d"`, size-2, i))
		if len(b.Events) == 64 || i == len(sizes)-1 {
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
		sizes []int
		heard knownLog // epoch apart
		waste int      // bytes that may be sent for nothing
	}{
		"the log has grown since it was heard of": {grown, knownLog{base: 1, end: 10, bytes: 1800}, 0},
		"small events before large ones":          {uneven, knownLog{base: 1, end: 2031, bytes: 2_000_010}, plainBytes},
	} {
		t.Run(name, func(t *testing.T) {
			server := redistest.Start(t, redistest.Options{})
			s := open(t, server.URL(), Options{Partitions: 1, Timeout: patience})
			want, epoch := logged(t, s, c.sizes...)
			c.heard.epoch = epoch
			s.logs.note(s.conn.Keys.Thread(testKey), c.heard)
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
					if most := pageBytes + large; page > most || sent(t, server)-asked > most+waste+64<<10 {
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

// What is kept of a page does not keep the rest of what was read for it.
func TestFilledPages(t *testing.T) {
	event := func(size int) []byte { return bytes.Repeat([]byte("x"), size) }
	for name, c := range map[string]struct {
		events [][]byte
		want   int
		few    bool
	}{
		"none":                {nil, 0, false},
		"one that is large":   {[][]byte{event(3 * pageBytes)}, 1, false},
		"as many as fill one": {slices.Repeat([][]byte{event(pageBytes / 4)}, 4), 4, false},
		"some more":           {slices.Repeat([][]byte{event(pageBytes / 4)}, 7), 4, false},
		"many more":           {slices.Repeat([][]byte{event(pageBytes / 4)}, 9), 4, true},
		"one and many":        {[][]byte{event(1), event(pageBytes), event(2 * pageBytes)}, 2, true},
	} {
		page, few := filled(c.events)
		if len(page) != c.want || few != c.few {
			t.Errorf("%s: %d, %t", name, len(page), few)
		}
		for i, e := range page {
			if !bytes.Equal(e, c.events[i]) || cap(e) != len(e) || few == (&e[0] == &c.events[i][0]) {
				t.Errorf("%s: event %d is not as it was, or where", name, i)
			}
		}
	}
}

func TestLogsThatAreKnownAreBounded(t *testing.T) {
	var k knownLogs
	for i := range 3 * keptLogs {
		k.note(keyspace.Thread{Base: fmt.Sprint(i)}, knownLog{base: int64(i)})
	}
	if last, ok := k.known(keyspace.Thread{Base: fmt.Sprint(3*keptLogs - 1)}); !ok || last.base != 3*keptLogs-1 || len(k.of) != keptLogs {
		t.Errorf("%v, %d are known", last, len(k.of))
	}
}

func TestBulkStrings(t *testing.T) {
	for text, want := range map[string]string{
		"*0\r\n":                        "[]",
		"*2\r\n$1\r\na\r\n$0\r\n\r\n":   "[a ]",
		"*1\r\n$4\r\n\r\n\r\n\r\n":      "[\r\n\r\n]",
		"":                              "",
		"-ERR no\r\n":                   "",
		"*1\r\n":                        "",
		"*1\r\n$-1\r\n":                 "",
		"*-1\r\n":                       "",
		"*1\r\n$2\r\na\r\n":             "",
		"*1\r\n$1\r\na\r\nx":            "",
		"*9999999999\r\n":               "",
		"*2000000000\r\n$1\r\na\r\n":    "",
		"*1\r\n$99999999999999999999\r": "",
		"*1\r":                          "",
	} {
		list, whole := bulkStrings([]byte(text))
		if got := fmt.Sprintf("%s", list); whole != (want != "") || whole && got != want {
			t.Errorf("%q: %q, %t", text, got, whole)
		}
	}
}

func FuzzBulkStrings(f *testing.F) {
	f.Add([]byte("*2\r\n$1\r\na\r\n$0\r\n\r\n"))
	f.Add([]byte("*1\r\n$-1\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, whole := bulkStrings(text)
		if !whole {
			return
		}
		again := fmt.Appendf(nil, "*%d\r\n", len(list))
		for _, e := range list {
			again = fmt.Appendf(again, "$%d\r\n%s\r\n", len(e), e)
		}
		if other, whole := bulkStrings(again); !whole || fmt.Sprint(other) != fmt.Sprint(list) {
			t.Errorf("%q is %q", text, again)
		}
	})
}
