package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/internal/threadlog"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// A large thread that moves on while its messages are read, before whichever of the calls, is
// read as of one moment: that of its view, if messages were put behind the others, and a later one if messages took
// the place of some, or have gone with chunks of their order, or the thread is another.
func TestAThreadThatMovesOnIsReadAsOfOneMoment(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	letters := rand.New(rand.NewPCG(1, 2))
	message := func(id string) json.RawMessage {
		text := make([]byte, 1200)
		for i := range text {
			text[i] = 'a' + byte(letters.IntN(26))
		}
		return json.RawMessage(fmt.Sprintf(`{"id":%q,"content":%q}`, id, text))
	}
	first := &store.SnapshotUpdate{Upsert: map[string]json.RawMessage{}}
	for i := range 600 {
		id := fmt.Sprint("m", i)
		first.Append, first.Upsert[id] = append(first.Append, id), message(id)
	}
	for name, change := range map[string]*store.SnapshotUpdate{
		"more":   {Append: []string{"n"}, Upsert: map[string]json.RawMessage{"n": message("n")}},
		"others": {Upsert: map[string]json.RawMessage{"m3": message("m3"), "m590": message("m590")}},
		"fewer":  {Drop: 500, Remove: first.Append[100:]},
		"erased": {Append: first.Append[:100], Upsert: map[string]json.RawMessage{}},
	} {
		for _, id := range change.Append {
			if change.Upsert[id] == nil {
				change.Upsert[id] = message(id)
			}
		}
		t.Run(name, func(t *testing.T) {
			for calls, over := 1, false; !over; calls++ {
				s := open(t, server.URL(), Options{Prefix: fmt.Sprint(name, calls), Partitions: 1})
				turn(t, s, 1, "r1", first)
				if size := view(t, s, store.ReadQuery{Window: 1}).Bytes; size <= link.SmallRead || size > threadlog.PlainSnapshot {
					t.Fatalf("the thread has %d bytes", size)
				}
				far := open(t, server.URL(), Options{Prefix: fmt.Sprint(name, calls), Partitions: 1})
				at := &meddling{dying: dying{left: calls}, before: func() {
					if name == "erased" {
						if err := s.Erase(t.Context(), testKey, store.Deletion{}); err != nil {
							t.Error(err)
						}
					}
					turn(t, s, 3, "r2", change)
				}}
				far.conn.Client.(*redis.Client).AddHook(at)
				before := view(t, s, store.ReadQuery{}).Snapshot
				snap := view(t, far, store.ReadQuery{}).Snapshot
				got := fmt.Sprintf("%s", snap.Messages)
				if over = at.left > 0; over && calls < 6 {
					t.Errorf("%d calls read it", calls-1)
				}
				want := fmt.Sprintf("%s", view(t, s, store.ReadQuery{}).Snapshot.Messages)
				if snap.At == before.At && name == "more" {
					want = fmt.Sprintf("%s", before.Messages)
				}
				if got != want {
					t.Errorf("before call %d it moves, and is read as %d bytes of %d", calls, len(got), len(want))
				}
			}
		})
	}
}

// A long journal is read whole, and is what it was at one moment, or the reading says what has become of the thread:
// whatever takes its entries out, or adds to them, before whichever of the calls.
func TestALongJournalIsReadAsOfOneMoment(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	const entries = 3000
	for _, waits := range []bool{false, true} {
		// journals logs a run that waits, or goes on, and has as many entries.
		journals := func(t *testing.T, s *Store, run string) (c store.Claim, list []json.RawMessage) {
			c = begin(t, s, inline(view(t, s, store.ReadQuery{}).Version, run))
			for range entries {
				list = append(list, json.RawMessage(fmt.Sprintf("%q", incompressible(150))))
			}
			b := store.Batch{Claim: c, Number: 2, Expect: view(t, s, store.ReadQuery{}).Seq, Entries: list}
			if waits {
				b.Events, b.End = [][]byte{delta}, &store.End{Kind: store.EndSuspend, Suspension: json.RawMessage("{}"), Interrupts: []string{"int"}}
			}
			commit(t, s, b)
			return c, list
		}
		var others []json.RawMessage
		for name, change := range map[string]func(t *testing.T, s *Store, c store.Claim){
			"goes on": func(t *testing.T, s *Store, c store.Claim) {
				if waits {
					begin(t, s, answering(2, "r2", "xr1"))
					return
				}
				commit(t, s, store.Batch{Claim: c, Number: 3, Expect: 1, Entries: []json.RawMessage{json.RawMessage(`"more"`)}})
			},
			"is over": func(t *testing.T, s *Store, c store.Claim) {
				at := store.Batch{Claim: c, Number: 3}
				if waits {
					at = store.Batch{Claim: begin(t, s, answering(2, "r2", "xr1")), Number: 2}
				}
				at.Expect, at.Events, at.End = view(t, s, store.ReadQuery{}).Seq, [][]byte{delta}, &store.End{Kind: store.EndFinish}
				commit(t, s, at)
				_, others = journals(t, s, "r3")
			},
			"is another": func(t *testing.T, s *Store, c store.Claim) {
				if err := s.Erase(t.Context(), testKey, store.Deletion{Withdraw: func(store.Withdrawn) ([]store.Decided, bool) { return nil, false }}); err != nil {
					t.Error(err)
				}
				_, others = journals(t, s, "r3")
			},
		} {
			for calls, over := 1, false; !over; calls++ {
				t.Run(fmt.Sprint(name, waits, calls), func(t *testing.T) {
					o := Options{Prefix: strings.ReplaceAll(t.Name(), "/", ""), Partitions: 1}
					s, far := open(t, server.URL(), o), open(t, server.URL(), o)
					c, list := journals(t, s, "r1")
					at := &meddling{dying: dying{left: calls}, before: func() { change(t, s, c) }}
					far.conn.Client.(*redis.Client).AddHook(at)
					var x *store.ExecutionView
					var err error
					if waits {
						x = view(t, far, store.ReadQuery{Window: 1, Journal: true}).Execution
					} else {
						x, err = far.Journal(t.Context(), c)
					}
					if over = at.left > 0; over && calls < 5 {
						t.Errorf("%d calls read it", calls-1)
					}
					switch {
					case over || name == "goes on" && x != nil:
					case waits && name != "goes on":
						if x != nil && x.ID == "xr3" {
							list = others
						}
					default: // which the reading says
						if x != nil || !waits && !errors.Is(err, store.ErrClaimLost) {
							t.Error(x != nil, err)
						}
						return
					}
					if err != nil || x == nil || len(x.Journal) < entries || !reflect.DeepEqual(x.Journal[:entries], list) {
						t.Error(x != nil, err)
					}
				})
			}
		}
	}
}

// beforeMessage does something before each command that asks for a message.
type beforeMessage struct {
	dying
	field  string
	do     func()
	times  int
	pieces int // of messages
}

func (m *beforeMessage) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		m.look(cmd)
		return next(ctx, cmd)
	}
}

func (m *beforeMessage) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		m.look(cmds...)
		return next(ctx, cmds)
	}
}

// named reports whether the name of a field that is read begins so.
func named(arg any, name string) bool {
	field, is := arg.(*string)
	return is && strings.HasPrefix(*field, name)
}

func (m *beforeMessage) look(cmds ...redis.Cmder) {
	for _, cmd := range cmds {
		if !strings.EqualFold(cmd.Name(), "hmget") || !named(cmd.Args()[2], "mm") {
			continue
		}
		m.pieces++
		if slices.ContainsFunc(cmd.Args(), func(arg any) bool { return named(arg, m.field) }) {
			m.times++
			m.do()
		}
	}
}

// A large thread whose messages change in each try but the last, or that is to be read by scripts after all, takes room
// once for what is held at a time. One whose messages change in all of them is not read, and the error says so. A piece that comes after a change is the last of its try.
func TestAThreadThatMovesOnTakesItsRoomOnce(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	message := func(id string) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"id":%q,"content":%q}`, id, incompressible(1200)))
	}
	first := &store.SnapshotUpdate{Upsert: map[string]json.RawMessage{}}
	for i := range 2000 {
		id := fmt.Sprint("m", i)
		first.Append, first.Upsert[id] = append(first.Append, id), message(id)
	}
	moves := func(times int64) func(s *Store) func() {
		return func(s *Store) func() {
			n := int64(2)
			return func() {
				if n++; n <= times+2 {
					turn(t, s, n, fmt.Sprint("r", n), &store.SnapshotUpdate{Upsert: map[string]json.RawMessage{"m7": message("m7")}})
				}
			}
		}
	}
	for name, tt := range map[string]struct {
		field string // of a message in the last piece, or the first
		do    func(s *Store) func()
		times int
		most  int64 // of room, beside what the thread is said to take
	}{
		"at the end":       {"mm1999", moves(7), 8, 3 << 20},
		"at the beginning": {"mm0", moves(7), 8, 3 << 20},
		"and on":           {"mm1999", moves(100), 8, 0},
		"by scripts": {"mm1999", func(s *Store) func() {
			return func() { s.conn.Client.HSet(t.Context(), s.conn.Keys.Thread(testKey).Snap(), "x", "something") }
		}, 1, 3 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			prefix := Options{Prefix: strings.ReplaceAll(name, " ", ""), Partitions: 1}
			s := open(t, server.URL(), prefix)
			turn(t, s, 1, "r1", first)
			far := open(t, server.URL(), prefix)
			at := &beforeMessage{field: tt.field, do: tt.do(s)}
			far.conn.Client.(*redis.Client).AddHook(at)
			took := int64(0)
			v, err := far.Read(store.WithRoom(t.Context(), func(bytes int64) error { took += bytes; return nil }), testKey, store.ReadQuery{})
			if tt.most == 0 {
				if at.times != tt.times || !errors.Is(err, store.ErrMoved) || !errors.Is(err, store.ErrOutcomeUnknown) {
					t.Errorf("it moved %d times, %d are wanted: %v", at.times, tt.times, err)
				}
				return
			}
			if err != nil || len(v.Snapshot.Messages) != len(first.Append) {
				t.Fatal(v, err)
			}
			if at.times != tt.times || took-v.Bytes > tt.most {
				t.Errorf("it moved %d times, %d are wanted, and %d bytes took room for %d", at.times, tt.times, v.Bytes, took)
			}
			if tt.field == "mm0" && at.pieces != tt.times+3 { // the last try has all four
				t.Errorf("%d pieces were read of %d tries", at.pieces, tt.times)
			}
		})
	}
}

// growing puts a message behind the others before each of a process's calls.
type growing struct {
	meddling
	calls int
}

func (g *growing) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		g.calls++
		g.before()
		return next(ctx, cmd)
	}
}

func (g *growing) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		g.calls++
		g.before()
		return next(ctx, cmds)
	}
}

// A large thread to which messages come before each call that reads it is read at once, as of its view, and so is
// which of very many messages were taken out of it.
func TestAThreadThatGrowsWithoutEndIsRead(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	first, asked := &store.SnapshotUpdate{Upsert: map[string]json.RawMessage{}}, []string(nil)
	for i := range 700 {
		id := fmt.Sprint("m", i)
		first.Append, first.Upsert[id] = append(first.Append, id), json.RawMessage(fmt.Sprintf(`{"id":%q,"content":%q}`, id, incompressible(1200)))
	}
	for i := range 2500 {
		asked = append(asked, fmt.Sprint("m", i))
	}
	for _, scripts := range []bool{false, true} {
		t.Run(fmt.Sprint("by scripts: ", scripts), func(t *testing.T) {
			o := Options{Prefix: fmt.Sprint(scripts), Partitions: 1}
			s := open(t, server.URL(), o)
			turn(t, s, 1, "r1", first)
			if scripts {
				s.conn.Client.HSet(t.Context(), s.conn.Keys.Thread(testKey).Snap(), "x", "something")
			}
			calls, turns := [2]int{}, int64(1)
			for i := range calls {
				far := open(t, server.URL(), o)
				at := &growing{meddling: meddling{before: func() {}}}
				if i == 1 {
					at.before = func() {
						turns++
						id := fmt.Sprint("n", turns)
						turn(t, s, turns, "r-"+id, &store.SnapshotUpdate{Append: []string{id}, Upsert: map[string]json.RawMessage{id: json.RawMessage(`1`)}})
					}
				}
				far.conn.Client.(*redis.Client).AddHook(at)
				v := view(t, far, store.ReadQuery{MessageIDs: asked})
				calls[i] = at.calls
				if want := 700 + v.Snapshot.At/2 - 1; int64(len(v.Snapshot.Messages)) != want || v.Seq != v.Snapshot.At {
					t.Errorf("%d messages were read of a view at %d, which has %d", len(v.Snapshot.Messages), v.Snapshot.At, want)
				}
			}
			if calls[0] != calls[1] || calls[0] < 6 || int64(calls[1]) != turns-1 {
				t.Errorf("%d calls read it, and %d while it grew by %d turns", calls[0], calls[1], turns-1)
			}
		})
	}
}

// A server that does not answer is asked for a piece once.
func TestASilentServerIsAskedForAPieceOnce(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{Partitions: 1, Timeout: 300 * time.Millisecond})
	u := &store.SnapshotUpdate{Upsert: map[string]json.RawMessage{}}
	for i := range 600 {
		id := fmt.Sprint("m", i)
		u.Append, u.Upsert[id] = append(u.Append, id), json.RawMessage(fmt.Sprintf(`{"id":%q,"content":%q}`, id, incompressible(1200)))
	}
	turn(t, s, 1, "r1", u)
	pauses, err := redis.ParseURL(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	other := redis.NewClient(pauses)
	defer other.Close()
	at := &beforeMessage{field: "mm", do: func() { other.Do(t.Context(), "client", "pause", 1000, "all") }}
	s.conn.Client.(*redis.Client).AddHook(at)
	if _, err := s.Read(t.Context(), testKey, store.ReadQuery{}); err == nil || at.pieces != 1 {
		t.Errorf("it was asked %d times: %v", at.pieces, err)
	}
}

// A reader that tells messages gets them in the text that it tells, of a small thread as of a large one.
func TestMessagesAreReadInTheTextThatTellsThem(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	for _, messages := range []int{0, 1, 3, 600} {
		s := open(t, server.URL(), Options{Prefix: fmt.Sprint(messages), Partitions: 1})
		u := &store.SnapshotUpdate{Order: []string{}, Upsert: map[string]json.RawMessage{}}
		for i := range messages {
			id := fmt.Sprint("m", i)
			u.Order, u.Upsert[id] = append(u.Order, id), json.RawMessage(fmt.Sprintf(`{"id":%q,"content":%q}`, id, incompressible(1+i*1200/600*2)))
		}
		turn(t, s, 1, "r1", u)
		plain := view(t, s, store.ReadQuery{}).Snapshot
		told := view(t, s, store.ReadQuery{Head: "{[", Tail: "]}"}).Snapshot
		want, got := "{[", "{["
		for i, m := range plain.Messages {
			if i > 0 {
				want, got = want+",", got+","
			}
			want, got = want+string(m), got+string(told.Messages[i])
		}
		if len(told.Messages) != messages || got != want || string(told.Text) != want+"]}" || plain.Text != nil {
			t.Errorf("%d messages of %d, in a text of %d bytes, not %d", len(told.Messages), messages, len(told.Text), len(want)+2)
		}
	}
}

// The messages of a thread that is not very large cost a command for a piece, and none for
// a message.
func TestMessagesAreReadByThePiece(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{Partitions: 1})
	u := &store.SnapshotUpdate{Upsert: map[string]json.RawMessage{}}
	const messages = 4 * threadlog.PieceMessages
	for i := range messages {
		id := fmt.Sprintf("message-%08d", i)
		u.Append, u.Upsert[id] = append(u.Append, id), json.RawMessage(fmt.Sprintf(`{"id":%q,"content":%q}`, id, strings.Repeat("x", 100)))
	}
	turn(t, s, 1, "r1", u)
	before := commands(t, server)
	v := view(t, s, store.ReadQuery{})
	took := commands(t, server) - before
	if len(v.Snapshot.Messages) != messages || took > 100 {
		t.Errorf("%d messages of %d bytes took %d commands", len(v.Snapshot.Messages), v.Bytes, took)
	}
	for i, m := range v.Snapshot.Messages {
		if !strings.HasPrefix(string(m), fmt.Sprintf(`{"id":"message-%08d"`, i)) {
			t.Fatalf("message %d is %s", i, m)
		}
	}
}
