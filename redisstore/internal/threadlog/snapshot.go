package threadlog

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
)

// The bounds of a piece of the order of messages; snapshot.lua has those of a chunk.
const (
	pieceIDs   = 128
	pieceBytes = 8192
)

// SnapshotUpdate is a store.SnapshotUpdate as the scripts get it.
type SnapshotUpdate struct {
	Whole             bool
	Pieces            []any // of the order, PieceParts each, as snapshot.lua's reorder has them
	Messages, Removed []any
	State, Frozen     []byte
	Open              []byte
	Drop              int
}

// NewSnapshotUpdate puts a SnapshotUpdate into what the scripts get; nil: there is none.
func NewSnapshotUpdate(u *store.SnapshotUpdate) (SnapshotUpdate, error) {
	if u == nil {
		return SnapshotUpdate{}, nil
	}
	if u.Order != nil && (u.Drop != 0 || u.Append != nil) {
		return SnapshotUpdate{}, errors.New("the order of messages is given, or what changes in it")
	}
	s := SnapshotUpdate{Whole: u.Order != nil, Drop: max(u.Drop, 0), State: link.Compress(u.State), Frozen: link.Compress(u.Frozen), Open: link.Compress(u.Open)}
	ids := u.Append
	if s.Whole {
		ids = u.Order
	}
	s.Pieces = pieces(ids, u.Producers)
	// The scripts count each message once.
	gone := make(map[string]bool, len(u.Remove))
	for _, id := range u.Remove {
		if !gone[id] {
			gone[id], s.Removed = true, append(s.Removed, id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(u.Upsert)) {
		if !gone[id] {
			s.Messages = append(s.Messages, id, link.Compress(u.Upsert[id]))
		}
	}
	return s, nil
}

// Parts are messages, ids and pieces of an order that are too much for one script. Nil: there are no more of them than
// one takes.
type Parts struct{ Puts, Removes, Orders [][]any }

// Any reports whether there are some.
func (p Parts) Any() bool { return len(p.Puts)+len(p.Removes)+len(p.Orders) > 0 }

// orderItems is of how many messages or ids a script takes one, for each piece of an order that it takes.
const orderItems = 8

// Parts takes apart for what one script would take too long: more than so many messages or ids, or bytes.
func (u SnapshotUpdate) Parts(items, bytes int) Parts {
	part := func(list []any, width, most int) (parts [][]any) {
		size, from := 0, 0
		for i := 0; i < len(list); i += width {
			more := 0
			for _, item := range list[i : i+width] {
				text, _ := item.([]byte)
				more += len(text)
			}
			if i > from && (i-from >= most*width || size+more > bytes) {
				parts, from, size = append(parts, list[from:i]), i, 0
			}
			size += more
		}
		if from == 0 {
			return nil
		}
		return append(parts, list[from:])
	}
	return Parts{part(u.Messages, 2, items), part(u.Removed, 1, items), part(u.Pieces, PieceParts, items/orderItems+1)}
}

// PieceParts is how many values a piece of an order has.
const PieceParts = 3

// pieces packs ids into pieces of an order.
func pieces(ids []string, by map[string]store.Producer) []any {
	var list []any
	for len(ids) > 0 {
		n, bytes := 0, 0
		for n < len(ids) && n < pieceIDs && (n == 0 || bytes+len(ids[n])+5 <= pieceBytes) {
			bytes += len(ids[n]) + 5
			n++
		}
		list = append(list, n, link.Pack(nil, ids[:n]...), stretches(ids[:n], by))
		ids = ids[n:]
	}
	return list
}

// readSnapshot reads the fields of the snapshot: s the state, f what is frozen, r what a run has open, the order of the messages
// as snapshot.lua has it, and each message by its id behind an m. The messages of a window
// were read before. Beside pieces of a change no more than that is read.
func readSnapshot(fields *link.Reply, w *window, q store.ReadQuery) store.Snapshot {
	var snap store.Snapshot
	chunks, moved := map[string]string{}, ""
	byID := make(map[string]string, len(fields.Items)/2)
	for fields.More() {
		name := fields.Text()
		switch {
		case name == "s":
			snap.State = fields.JSON()
		case name == "f":
			snap.Frozen = fields.JSON()
		case name == "r":
			snap.Open = fields.JSON()
		case name == "n" || strings.HasPrefix(name, "o"):
			chunks[name] = fields.Text()
		case strings.HasPrefix(name, "m"):
			byID[name[1:]] = fields.Text()
		case name == "e":
			moved = fields.Text()
		default:
			fields.Text() // p, which only pages of messages want
		}
	}
	if w != nil {
		w.order, w.moved = orderName(chunks["n"]), moved
		if n := strings.Fields(chunks["n"]); len(n) == 3 {
			w.last, _ = strconv.ParseInt(n[1], 10, 64) // windowed has read it as a number
		}
		if chunks["n"] != "" {
			snap.Messages = w.messages
		}
		snap.Older, snap.Before = w.older(), w.cursor()
		return snap
	}
	ids := readOrder(fields, chunks)
	if ids == nil {
		return snap
	}
	messages := newTogether(q.Head, len(ids), fields.Room)
	for _, id := range ids {
		if err := add(messages, byID[id]); err != nil {
			fields.Err = cmp.Or(fields.Err, err)
			return snap
		}
	}
	messages.put(&snap, q)
	return snap
}

// piecesCount reports whether a decision has made pieces count, of which pieces.lua has this state:
// fields z: are read in the place of fields m.
func piecesCount(state string) bool { return strings.HasPrefix(state, " ") }

// orderName is what the chunks of an order are named, before their numbers, of which snapshot.lua keeps this.
func orderName(n string) string {
	if strings.HasPrefix(n, "-") {
		return "o-"
	}
	return "o"
}

// readOrder reads the ids of the messages; nil: there is none.
func readOrder(r *link.Reply, chunks map[string]string) []string {
	if chunks["n"] == "" {
		return nil
	}
	count, _, _ := strings.Cut(strings.TrimPrefix(chunks["n"], "-"), " ")
	n, err := strconv.Atoi(count)
	if err != nil || n >= len(chunks) { // those of another order may stand beside it
		r.Spoil("no order of messages")
		return nil
	}
	ids := []string{}
	for i := range n {
		_, list, whole := strings.Cut(chunks[orderName(chunks["n"])+strconv.Itoa(i)], ";") // behind what snapshot.lua keeps of those before
		chunk, err := link.Unpack(list)
		if err != nil || !whole {
			r.Spoil("no order of messages")
		}
		ids = append(ids, chunk...)
	}
	return ids
}
