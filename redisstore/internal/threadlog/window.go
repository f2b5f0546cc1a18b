package threadlog

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/aguiws/aguiws/redisstore/internal/link"
)

// windowBytes is about how many bytes the messages of a window, or of a page, have at most
// as they are stored.
const windowBytes = 1 << 20

// window is some messages in a row, as windowed in window.lua returns them.
type window struct {
	messages []json.RawMessage // in order
	first    orderPlace
	all      int64    // how many messages there are
	told     int64    // how many of them stand behind the first of these, it among them
	bytes    int64    // about, of all of them with the state
	order    string   // what the chunks are named
	last     int64    // how many ids the last of them has
	moved    string   // as messages.lua has it
	ids      []string // of messages, the last one first; nil: they were not asked for
}

// orderPlace is that of a message in the stored order.
type orderPlace struct {
	chunk, offset int64
	id            string
}

// readWindow reads what windowed returned, with the ids if it was asked for them.
func readWindow(r *link.Reply, named bool) *window {
	w := &window{first: orderPlace{r.Int(), r.Int(), r.Text()}, all: r.Int()}
	listed := r.List()
	w.messages = make([]json.RawMessage, 0, len(listed.Items))
	var slab link.Slab
	for ; listed.More(); w.told++ {
		if named {
			w.ids = append(w.ids, listed.Text())
		}
		if m := listed.JSONIn(&slab); m != nil {
			w.messages = append(w.messages, m)
		}
	}
	r.Join(listed)
	slices.Reverse(w.messages)
	return w
}

// older is how many messages stand before.
func (w *window) older() int64 {
	if w.first.chunk == 0 && w.first.offset == 0 {
		return 0
	}
	return max(w.all-w.told, 1)
}

// cursor names the place at which the window begins; "" at the beginning.
func (w *window) cursor() string {
	if w.older() == 0 {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(link.Pack(nil, strconv.FormatInt(w.first.chunk, 10),
		strconv.FormatInt(w.first.offset, 10), strconv.FormatInt(w.older(), 10), w.first.id))
}

// placeOf reads a cursor: the place, and how many messages stood before it.
func placeOf(cursor string) (at orderPlace, older int64, err error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil {
		return at, 0, errPlace
	}
	parts, err := link.Unpack(string(raw))
	if err != nil || len(parts) != 4 {
		return at, 0, errPlace
	}
	at.id = parts[3]
	for i, n := range []*int64{&at.chunk, &at.offset, &older} {
		if *n, err = strconv.ParseInt(parts[i], 10, 32); err != nil || *n < 0 {
			return at, 0, errPlace
		}
	}
	return at, older, nil
}
