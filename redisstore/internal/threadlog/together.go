package threadlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
)

// together are messages that are unfolded one behind the other into the text in which they are
// told: none is copied after that. An event that is decoded keeps nothing of the text.
type together struct {
	text []byte
	ends []int // of each message
	head int   // where the first begins
	all  int   // how many there are, about
	room *link.Room
}

func newTogether(head string, all int, room *link.Room) *together {
	return &together{text: []byte(head), ends: make([]int, 0, all), head: len(head), all: all, room: room}
}

// add takes in the next message, as it is stored; "": there is none.
func add[V ~string | ~[]byte](m *together, value V) (err error) {
	if len(value) == 0 {
		return nil
	}
	if n := len(m.ends); n > 0 {
		m.text = append(m.text, ',')
		// There is to be room for all if the others are like these, but not very much: they may be short.
		if size := len(m.text); cap(m.text)-size < link.UnfoldRoom {
			m.text = slices.Grow(m.text, min(max(size/n*max(m.all-n, 0)*33/32, size/4), 2*size)+link.UnfoldRoom)
		}
	}
	if m.text, err = link.Unfold(m.text, value, m.room); err != nil {
		if !errors.Is(err, store.ErrNoRoom) {
			err = fmt.Errorf("redisstore: %w: message %d cannot be unfolded", store.ErrCorrupted, len(m.ends))
		}
		return err
	}
	m.ends = append(m.ends, len(m.text))
	return nil
}

// put puts the messages into a snapshot, and their text if it is asked for.
func (m *together) put(snap *store.Snapshot, q store.ReadQuery) {
	snap.Messages = make([]json.RawMessage, len(m.ends))
	text, at := append(m.text, q.Tail...), m.head
	// Whoever holds it is asked for its bytes, and not for its room.
	if cap(text)-len(text) > len(text)/4 {
		text = bytes.Clone(text)
	}
	for i, end := range m.ends {
		snap.Messages[i] = text[at:end:end]
		at = end + len(",")
	}
	if q.Head != "" {
		snap.Text = text
	}
}
