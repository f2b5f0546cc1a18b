package redisstore

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/internal/threadlog"
	"github.com/aguiws/aguiws/redisstore/lua"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// snapshotFields are the fields of the thread's snapshot that hold messages, or pieces of a change. It has no chunks but
// those of its order, or pieces beside it.
func snapshotFields(t *testing.T, s *Store) (fields []string) {
	t.Helper()
	at := s.conn.Keys.Thread(testKey)
	n, chunks := s.conn.Client.HGet(t.Context(), at.Snap(), "n").Val(), 0
	for _, name := range s.conn.Client.HKeys(t.Context(), at.Snap()).Val() {
		if slices.Contains([]byte("mxyzwq"), name[0]) {
			fields = append(fields, name)
		} else if name[0] == 'o' {
			chunks++
		}
	}
	slices.Sort(fields)
	if slices.Contains(fields, "x") {
		return fields
	}
	if want, _, _ := strings.Cut(strings.TrimPrefix(n, "-"), " "); fmt.Sprint(chunks) != want {
		t.Errorf("there are %d chunks of an order of %s", chunks, want)
	}
	for _, chunk := range s.conn.Client.HKeys(t.Context(), at.Producers()).Val() {
		if strings.HasPrefix(chunk, "-") != strings.HasPrefix(n, "-") {
			t.Errorf("the producers of chunk %s are there still, of an order of %s", chunk, n)
		}
	}
	return fields
}

// shown is what readers see of the thread's messages, in each way that there is to read them.
func shown(t *testing.T, s *Store) string {
	t.Helper()
	all, window := view(t, s, store.ReadQuery{}), view(t, s, store.ReadQuery{Window: 9})
	page, err := s.Messages(t.Context(), testKey, store.MessageQuery{})
	if err != nil {
		t.Fatal(err)
	}
	sees := fmt.Sprintf("%s", all.Snapshot.Messages)
	if w, p := fmt.Sprintf("%s", window.Snapshot.Messages), fmt.Sprintf("%s", page.Messages); w != sees || p != sees || all.Bytes != window.Bytes {
		t.Errorf("of %d bytes is seen: %s, in a window of %d: %s, on a page: %s", all.Bytes, sees, window.Bytes, w, p)
	}
	return fmt.Sprint(sees, all.Bytes, page.Producers)
}

// A change of messages in pieces is seen whole or not at all, wherever the process dies that makes it, and
// whether or not the call it died at took effect. Who sends it again finishes it. Whoever takes the run over
// makes another change in its place, and Retire what rests: nothing is left of what did not come to pass.
func TestCrashPointsOfPieces(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	for _, pad := range []string{"", strings.Repeat("-", 4100)} {
		crashPointsOfPieces(t, server, pad)
	}
}

// crashPointsOfPieces has ids that end with pad. Of those with a long one each is a chunk of the order, which comes in
// pieces then too.
func crashPointsOfPieces(t *testing.T, server *redistest.Server, pad string) {
	message := func(id string) json.RawMessage { return json.RawMessage(fmt.Sprintf(`{"id":%q}`, id)) }
	upserts := func(ids ...string) map[string]json.RawMessage {
		all := map[string]json.RawMessage{}
		for _, id := range ids {
			all[id] = message(id)
		}
		return all
	}
	change := &store.SnapshotUpdate{Drop: 3, Append: []string{"e" + pad, "f" + pad}, Remove: []string{"b" + pad, "c" + pad, "d" + pad},
		Upsert: map[string]json.RawMessage{"a" + pad: json.RawMessage(`"edited"`), "e" + pad: message("e" + pad), "f" + pad: message("f" + pad)}, Producers: map[string]store.Producer{"e" + pad: {RunID: "r2"}}}
	// ending is the batch that makes the change, and what readers see before it.
	ending := func(t *testing.T, s *Store) (b store.Batch, before string) {
		turn(t, s, 1, "r1", &store.SnapshotUpdate{Append: []string{"a" + pad, "b" + pad, "c" + pad, "d" + pad}, Upsert: upserts("a"+pad, "b"+pad, "c"+pad, "d"+pad)})
		claim := begin(t, s, inline(view(t, s, store.ReadQuery{}).Version, "r2"))
		return store.Batch{Claim: claim, Number: 2, Expect: 3, Events: [][]byte{[]byte("end")}, End: &store.End{Kind: store.EndFinish, Snapshot: change}}, shown(t, s)
	}
	whole := open(t, server.URL(), Options{Prefix: "whole" + pad[:min(len(pad), 1)], Partitions: 1})
	b, _ := ending(t, whole)
	commit(t, whole, b)
	after := shown(t, whole)
	for _, then := range []string{"again", "another", "rest"} {
		for _, behind := range []bool{false, true} {
			decided, points := 0, 0
			for finished := false; !finished; {
				points++
				t.Run(fmt.Sprint(then, " behind ", behind, " call ", points, " ids of ", len(pad)+1), func(t *testing.T) {
					now := time.UnixMilli(1_700_000_000_000)
					o := Options{Prefix: fmt.Sprint("pieces", then, behind, points, len(pad)), Partitions: 1, Clock: func() time.Time { return now }}
					s := open(t, server.URL(), o)
					o.piece = 1
					far := open(t, server.URL(), o)
					b, want := ending(t, s)
					at := &dying{left: points, behind: behind}
					far.conn.Client.(*redis.Client).AddHook(at)
					_, err := far.Commit(t.Context(), b)
					finished = !at.died
					ended := view(t, s, store.ReadQuery{}).Active == nil
					if err == nil && !ended {
						t.Error("the change is said to have been made")
					}
					if ended {
						want = after
					}
					pieces := strings.Contains(s.conn.Client.HGet(t.Context(), s.conn.Keys.Thread(testKey).Rec(), "has").Val(), "p")
					hashes := commandsRun(t, server, "hgetall")
					seen := shown(t, s)
					if pieces && commandsRun(t, server, "hgetall") != hashes {
						t.Error("what nobody sees is read")
					}
					if seen != want {
						t.Errorf("the run has ended: %t, and readers see %s, not %s", ended, seen, want)
					}
					switch {
					case then == "again":
						if res := commit(t, open(t, server.URL(), o), b); res.Status != store.CommitOK {
							t.Fatalf("%+v", res)
						}
						if seen := shown(t, s); seen != after {
							t.Errorf("sent again, readers see %s, not %s", seen, after)
						}
					case !ended:
						if _, err := s.Stop(t.Context(), store.Stop{Thread: testKey, Request: "q", RunID: "r2", Terminal: []byte("end")}); err != nil {
							t.Fatal(err)
						}
					}
					held := []string{"ma" + pad, "mb" + pad, "mc" + pad, "md" + pad}
					switch {
					case then == "another":
						turn(t, s, 3, "r3", &store.SnapshotUpdate{Append: []string{"g" + pad}, Upsert: upserts("g" + pad)})
						held = append(held, "mg"+pad)
					case then == "rest" || ended: // behind a decision the others go with what comes next
						now = now.Add(300 * 24 * time.Hour)
						for more := true; more; {
							if more, err = s.Retire(t.Context()); err != nil {
								t.Fatal(err)
							}
						}
					}
					if ended || then == "again" {
						decided++
						held = append([]string{"ma" + pad, "me" + pad, "mf" + pad}, held[4:]...)
					}
					if got := snapshotFields(t, s); !slices.Equal(got, held) {
						t.Errorf("the snapshot holds %q, want %q", got, held)
					}
				})
			}
			if points < 9 || then != "again" && (decided == 0 || decided == points) {
				t.Errorf("%d of %d points stand behind the decision", decided, points)
			}
		}
	}
}

// An order in pieces is the order that it is in one.
func TestAnOrderInPiecesIsTheSame(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	dice := rand.New(rand.NewPCG(1, 2))
	one, in := open(t, server.URL(), Options{Prefix: "one", Partitions: 1}), Options{Prefix: "pieces", Partitions: 1, piece: 1}
	pieces, mini := open(t, server.URL(), in), openOnMiniredis(t, in)
	var order []string
	for n := range 60 {
		u := &store.SnapshotUpdate{Upsert: map[string]json.RawMessage{}, Producers: map[string]store.Producer{}}
		stays := dice.IntN(len(order) + 1)
		var more []string
		for i := range dice.IntN(9) {
			id := fmt.Sprint(n, "-", i, strings.Repeat("-", []int{0, 2000, 4100}[dice.IntN(3)]))
			more = append(more, id)
			u.Upsert[id] = json.RawMessage(fmt.Sprintf("%q", id[:3]))
			if dice.IntN(2) == 0 {
				u.Producers[id] = store.Producer{RunID: fmt.Sprint("r", n)}
			}
		}
		u.Remove = order[stays:]
		if u.Drop, u.Append = len(order)-stays, more; dice.IntN(3) == 0 {
			u.Drop, u.Append, u.Order = 0, nil, slices.Concat([]string{}, order[:stays], more)
		}
		order = append(slices.Clip(order[:stays]), more...)
		for _, s := range []*Store{one, pieces, mini} {
			turn(t, s, int64(1+2*n), fmt.Sprint("r", n), u)
		}
		var seen [3]string
		for i, s := range []*Store{pieces, mini, one} {
			v := view(t, s, store.ReadQuery{})
			page, err := s.Messages(t.Context(), testKey, store.MessageQuery{Limit: 1000})
			if err != nil || len(page.Messages) != len(order) {
				t.Fatalf("%d messages, want %d: %v", len(page.Messages), len(order), err)
			}
			seen[i] = fmt.Sprintf("%s %d %s %v", v.Snapshot.Messages, v.Bytes, page.Messages, page.Producers)
		}
		if seen[0] != seen[2] || seen[1] != seen[2] {
			t.Fatalf("behind change %d of %d ids, and %d new ones, readers see %s, and on miniredis %s, not %s", n, u.Drop, len(more), seen[0], seen[1], seen[2])
		}
		snapshotFields(t, pieces)
		snapshotFields(t, mini)
	}
}

// meddling does something before one of a process's calls.
type meddling struct {
	dying
	before func()
}

func (m *meddling) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if m.left--; m.left == 0 {
			m.before()
		}
		return next(ctx, cmd)
	}
}

func (m *meddling) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if m.left--; m.left == 0 {
			m.before()
		}
		return next(ctx, cmds)
	}
}

// Pieces that another process takes out meanwhile, all of them or the last, are brought again from the first on, and
// so are those that a fail-over has lost. Retire leaves those of a run alone.
func TestPiecesThatOthersClearAreBroughtAgain(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	retire := func(t *testing.T, s *Store) {
		if err := s.retireAll(t.Context(), []store.ThreadKey{testKey}); err != nil {
			t.Error(err)
		}
	}
	stamp := func(t *testing.T, s *Store) string {
		stamp, _, _ := strings.Cut(s.conn.Client.HGet(t.Context(), s.conn.Keys.Thread(testKey).Snap(), "x").Val(), " ")
		return stamp
	}
	for what, meddle := range map[string]func(t *testing.T, s *Store){
		"all are cleared": func(t *testing.T, s *Store) {
			if err := s.clear(t.Context(), s.conn.Keys.Thread(testKey), stamp(t, s)); err != nil {
				t.Error(err)
			}
		},
		"the last is cleared": func(t *testing.T, s *Store) {
			at := s.conn.Keys.Thread(testKey)
			if _, err := s.conn.Run(t.Context(), link.Call{Script: lua.Clear, Keys: []string{at.Rec(), at.Snap(), at.Producers()}, Args: lua.Args{{"stamp", stamp(t, s)}}}); err != nil {
				t.Error(err)
			}
		},
		"the last is lost": func(t *testing.T, s *Store) {
			at, fields := s.conn.Keys.Thread(testKey).Snap(), []string{"z0", "z1", "z2"}
			p := strings.Fields(s.conn.Client.HGet(t.Context(), at, "x").Val())
			n, _ := strconv.Atoi(p[1])
			s.conn.Client.HDel(t.Context(), at, fields[n-1], "z:"+string("abc"[n-1]))
			s.conn.Client.HSet(t.Context(), at, "x", fmt.Sprint(p[0], " ", n-1, " ", n-1, " 0 0 0 0"))
		},
		"Retire looks": retire,
	} {
		for _, rests := range []bool{false, true} {
			for call := 2; call <= 4; call++ {
				t.Run(fmt.Sprint(what, " at rest ", rests, " before call ", call), func(t *testing.T) {
					o := Options{Prefix: strings.ReplaceAll(t.Name(), " ", ""), Partitions: 1}
					s := open(t, server.URL(), o)
					o.piece = 1
					far := open(t, server.URL(), o)
					u := &store.SnapshotUpdate{Append: []string{"a", "b", "c"}, Upsert: map[string]json.RawMessage{"a": json.RawMessage("1"), "b": json.RawMessage("2"), "c": json.RawMessage("3")}}
					claim := begin(t, s, inline(0, "r1"))
					end := store.Batch{Claim: claim, Number: 2, Expect: 1, Events: [][]byte{[]byte("end")}, End: &store.End{Kind: store.EndFinish}}
					if rests {
						commit(t, s, end)
					} else {
						end.End.Snapshot = u
					}
					v := view(t, s, store.ReadQuery{})
					far.conn.Client.(*redis.Client).AddHook(&meddling{dying: dying{left: call}, before: func() {
						before := stamp(t, s)
						meddle(t, s)
						if what == "Retire looks" && !rests && stamp(t, s) != before {
							t.Error("Retire takes out what a run brings")
						}
					}})
					if !rests {
						if res := commit(t, far, end); res.Status != store.CommitOK {
							t.Fatalf("%+v", res)
						}
					} else if moved, err := far.Checkpoint(t.Context(), store.Checkpoint{Thread: testKey, Version: v.Version, At: store.Position{Epoch: v.Epoch, Seq: v.Seq}, Snapshot: *u}); err != nil || !moved {
						t.Fatal(moved, err)
					}
					if seen := fmt.Sprintf("%s", view(t, s, store.ReadQuery{}).Snapshot.Messages); seen != "[1 2 3]" {
						t.Errorf("there is %s", seen)
					}
				})
			}
		}
	}
}

// Two nodes judge a rewind at one version, and both bring what it takes out: the run that begins has all of it in
// the archive, and the other one is stale.
func TestTwoThatArchiveInPieces(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	ids := []string{"a", "b", "c"}
	for call := 2; call <= 4; call++ {
		o := Options{Prefix: fmt.Sprint("two", call), Partitions: 1}
		s := open(t, server.URL(), o)
		o.piece = 1
		far, other := open(t, server.URL(), o), open(t, server.URL(), o)
		turn(t, s, 1, "r1", &store.SnapshotUpdate{Append: ids, Upsert: map[string]json.RawMessage{"a": json.RawMessage("1")}})
		version := view(t, s, store.ReadQuery{}).Version
		rewind := func(run string) store.Begin {
			return with(inline(version, run), func(k *store.Execute) {
				k.Archive = map[string]json.RawMessage{"a": json.RawMessage("1"), "b": json.RawMessage("1"), "c": json.RawMessage("1")}
			})
		}
		var between store.BeginResult
		far.conn.Client.(*redis.Client).AddHook(&meddling{dying: dying{left: call}, before: func() {
			var err error
			if between, err = other.Begin(t.Context(), rewind("r3")); err != nil {
				t.Error(err)
			}
		}})
		res, err := far.Begin(t.Context(), rewind("r2"))
		if err != nil {
			t.Fatal(err)
		}
		if between.Status != store.BeginAccepted || res.Status != store.BeginStale {
			t.Errorf("before call %d: the one between is %v, the other %v", call, between.Status, res.Status)
		}
		if n := len(view(t, s, store.ReadQuery{MessageIDs: ids}).Archived); n != len(ids) {
			t.Errorf("before call %d: %d messages are in the archive", call, n)
		}
	}
	// The one between has brought all, and begins when the other one has brought its own.
	s := open(t, server.URL(), Options{Prefix: "halves", Partitions: 1})
	turn(t, s, 1, "r1", &store.SnapshotUpdate{Append: ids, Upsert: map[string]json.RawMessage{"a": json.RawMessage("1")}})
	b := inline(view(t, s, store.ReadQuery{}).Version, "r2")
	bring := func(run string, piece int, version int64) int64 {
		at := s.conn.Keys.Thread(testKey)
		r, err := s.conn.Run(t.Context(), link.Call{Script: lua.Archive, Keys: []string{at.Rec(), at.Archive()}, Args: lua.Args{
			{"version", version}, {"run", run}, {"piece", piece}, {"keep", 60_000}}, Rest: []any{ids[piece], []byte("1")}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Int()
	}
	at := b.Version
	got := []int64{bring("r2", 0, at), bring("r2", 1, at), bring("r2", 1, at), bring("r4", 0, at-1), bring("r3", 0, at), bring("r2", 2, at), bring("r3", 2, at)}
	if want := []int64{1, 1, 1, 0, 1, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("pieces of two: %v, want %v", got, want)
	}
	// One has brought all, and begins when the other one has begun to bring its own.
	o := Options{Prefix: "halves", Partitions: 1, piece: 1}
	far := open(t, server.URL(), o)
	far.conn.Client.(*redis.Client).AddHook(&meddling{dying: dying{left: 4}, before: func() { bring("r3", 0, at) }})
	b = with(b, func(k *store.Execute) {
		k.Archive = map[string]json.RawMessage{"a": json.RawMessage("1"), "b": json.RawMessage("1"), "c": json.RawMessage("1")}
	})
	if res, err := far.Begin(t.Context(), b); err != nil || res.Status != store.BeginStale {
		t.Errorf("%+v, %v", res, err)
	}
	begin(t, far, b)
}

// A change is sent again after another process has taken out the last of its pieces: the thread has as many bytes as if
// nobody had.
func TestPiecesThatAreClearedCountOnce(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	u := &store.SnapshotUpdate{Append: []string{"a", "b"}, Upsert: map[string]json.RawMessage{"a": json.RawMessage("1"), "b": json.RawMessage("2222")}}
	bytes := map[bool]int64{}
	for _, clears := range []bool{false, true} {
		o := Options{Prefix: fmt.Sprint("once", clears), Partitions: 1, piece: 1}
		s, far := open(t, server.URL(), o), open(t, server.URL(), o)
		b := store.Batch{Claim: begin(t, s, inline(0, "r1")), Number: 2, Expect: 1, Events: [][]byte{[]byte("end")}, End: &store.End{Kind: store.EndFinish, Snapshot: u}}
		if clears {
			far.conn.Client.(*redis.Client).AddHook(&dying{left: 3})
			if _, err := far.Commit(t.Context(), b); err == nil {
				t.Fatal("the decision was to be lost")
			}
			at := s.conn.Keys.Thread(testKey)
			stamp, _, _ := strings.Cut(s.conn.Client.HGet(t.Context(), at.Snap(), "x").Val(), " ")
			if _, err := s.conn.Run(t.Context(), link.Call{Script: lua.Clear, Keys: []string{at.Rec(), at.Snap(), at.Producers()}, Args: lua.Args{{"stamp", stamp}}}); err != nil {
				t.Fatal(err)
			}
		}
		commit(t, s, b)
		bytes[clears] = view(t, s, store.ReadQuery{}).Bytes
	}
	if bytes[true] != bytes[false] {
		t.Errorf("the thread has %d bytes, and %d when nobody cleared", bytes[true], bytes[false])
	}
}

// Messages that a run is about to take out in pieces are in the archive when it has begun, all of
// them, and none if it never does.
func TestCrashPointsOfAnArchiveInPieces(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	ids := []string{"a", "b", "c"}
	for _, behind := range []bool{false, true} {
		points := 0
		for finished := false; !finished; {
			points++
			t.Run(fmt.Sprint("behind ", behind, " call ", points), func(t *testing.T) {
				o := Options{Prefix: fmt.Sprint("archive", behind, points), Partitions: 1}
				s := open(t, server.URL(), o)
				o.piece = 1
				far := open(t, server.URL(), o)
				turn(t, s, 1, "r1", &store.SnapshotUpdate{Append: ids, Upsert: map[string]json.RawMessage{"a": json.RawMessage("1")}})
				b := with(inline(view(t, s, store.ReadQuery{}).Version, "r2"), func(k *store.Execute) {
					k.Archive = map[string]json.RawMessage{"a": json.RawMessage("1"), "b": json.RawMessage("1"), "c": json.RawMessage("1")}
				})
				at := &dying{left: points, behind: behind}
				far.conn.Client.(*redis.Client).AddHook(at)
				_, err := far.Begin(t.Context(), b)
				if finished = !at.died; finished != (err == nil) {
					t.Fatal(err)
				}
				archived := func() int { return len(view(t, s, store.ReadQuery{MessageIDs: ids}).Archived) }
				want := 0
				if view(t, s, store.ReadQuery{}).Active != nil {
					want = len(ids)
				}
				if n := archived(); n != want {
					t.Errorf("%d messages are in the archive, want %d", n, want)
				}
				begin(t, s, b)
				if n := archived(); n != len(ids) {
					t.Errorf("in the end %d messages are in the archive", n)
				}
			})
		}
		if points != len(ids)+2 {
			t.Errorf("%d calls", points-1)
		}
	}
}

// What an end has left to trim is taken behind it, and if its process dies before, by Retire. Sent again, the end goes
// on with it.
func TestCrashPointsOfATrimmedLog(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	const logged, retain = 100, 3300
	for _, behind := range []bool{false, true} {
		for calls, over := 1, false; !over; calls++ {
			t.Run(fmt.Sprint(behind, calls), func(t *testing.T) {
				o := Options{Prefix: fmt.Sprint(behind, calls), Partitions: 1, Retain: retain, Timeout: patience}
				s, far := open(t, server.URL(), o), open(t, server.URL(), o)
				b := store.Batch{Claim: begin(t, s, inline(0, "r1")), Number: 2, Expect: 1, Events: slices.Repeat([][]byte{delta}, 64)}
				for range logged {
					commit(t, s, b)
					b.Number, b.Expect = b.Number+1, b.Expect+64
				}
				b.End = &store.End{Kind: store.EndFinish, Snapshot: &store.SnapshotUpdate{}}
				state := &dying{left: calls, behind: behind}
				far.conn.Client.(*redis.Client).AddHook(state)
				_, err := far.Commit(t.Context(), b)
				if over = state.left > 0; over && calls < 3 {
					t.Errorf("an end and what it leaves take %d calls", calls-1)
				}
				switch {
				case err != nil && calls > 1 || err == nil && calls == 1:
					t.Error(err)
				case err != nil:
					commit(t, s, b)
				case state.died:
					if v := view(t, s, store.ReadQuery{Window: 1}); !behind && v.Seq-v.Base < retain {
						t.Errorf("the log has events from %d to %d at once", v.Base, v.Seq)
					}
					for more := true; more; {
						if more, err = s.Retire(t.Context()); err != nil {
							t.Fatal(err)
						}
					}
				}
				if v := view(t, s, store.ReadQuery{Window: 1}); v.Seq-v.Base != retain-1 {
					t.Errorf("the log has events from %d to %d", v.Base, v.Seq)
				}
			})
		}
	}
}

// A decision that keeps less of the order has another stamp: no pieces of the one are copied for the other.
func TestAStampNamesWhatStaysOfAnOrder(t *testing.T) {
	d, p := decider{token: "t"}, threadlog.Parts{Orders: [][]any{{1, "1:a", ""}, {1, "1:b", ""}}}
	stamps := map[string]bool{}
	for _, drop := range []any{"", 0, 1} {
		stamps[d.stamp(p, drop)] = true
	}
	if len(stamps) != 3 {
		t.Errorf("three decisions have the stamps %v", stamps)
	}
}
