package redisstore

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/internal/threadlog"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// A large thread that moves on while its messages are read, before whichever of the calls, is
// read as it is then: whether messages were put behind the others, took the place of some, or
// have gone with chunks of their order.
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
	} {
		t.Run(name, func(t *testing.T) {
			for calls, over := 1, false; !over; calls++ {
				s := open(t, server.URL(), Options{Prefix: fmt.Sprint(name, calls), Partitions: 1})
				turn(t, s, 1, "r1", first)
				if size := view(t, s, store.ReadQuery{Window: 1}).Bytes; size <= link.SmallRead || size > threadlog.PlainSnapshot {
					t.Fatalf("the thread has %d bytes", size)
				}
				far := open(t, server.URL(), Options{Prefix: fmt.Sprint(name, calls), Partitions: 1})
				at := &meddling{dying: dying{left: calls}, before: func() { turn(t, s, 3, "r2", change) }}
				far.conn.Client.(*redis.Client).AddHook(at)
				got := fmt.Sprintf("%s", view(t, far, store.ReadQuery{}).Snapshot.Messages)
				if over = at.left > 0; over && calls < 6 {
					t.Errorf("%d calls read it", calls-1)
				}
				if want := fmt.Sprintf("%s", view(t, s, store.ReadQuery{}).Snapshot.Messages); got != want {
					t.Errorf("before call %d it moves, and is read as %d bytes of %d", calls, len(got), len(want))
				}
			}
		})
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
