package link

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// Reply reads a script's answer value by value. A value that is not as the script's header
// says makes err, once; reading goes on with zero values.
type Reply struct {
	Name  string
	Items []any
	at    int
	Err   error
	Room  *Room // nil: what is unfolded needs none
}

// Next is the next value, whatever it is.
func (r *Reply) Next() any {
	if r.at >= len(r.Items) {
		r.Spoil("an answer that ends early")
		return nil
	}
	v := r.Items[r.at]
	r.at++
	return v
}

func (r *Reply) fail(what string) {
	if r.Err == nil {
		r.Err = fmt.Errorf("redisstore: %s: the answer %s at %d", r.Name, what, r.at)
	}
}

// Spoil is fail for what was stored.
func (r *Reply) Spoil(what string) {
	if r.Err == nil {
		r.Err = fmt.Errorf("redisstore: %s: %w: %s at %d", r.Name, store.ErrCorrupted, what, r.at)
	}
}

// Int reads a number; an absent one is 0.
func (r *Reply) Int() int64 {
	switch v := r.Next().(type) {
	case int64:
		return v
	case string:
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			r.Spoil("what is no number")
		}
		return n
	case nil:
		return 0
	default:
		r.fail("has no number")
		return 0
	}
}

// Bool reads a number that is a yes or a no.
func (r *Reply) Bool() bool { return r.Int() != 0 }

// Text reads a string; an absent one is empty.
func (r *Reply) Text() string {
	switch v := r.Next().(type) {
	case string:
		return v
	case nil:
		return ""
	default:
		r.fail("has no string")
		return ""
	}
}

// Time reads Unix ms; 0 is no time.
func (r *Reply) Time() time.Time {
	if ms := r.Int(); ms != 0 {
		return time.UnixMilli(ms)
	}
	return time.Time{}
}

// JSON reads a value that may be absent, or compressed.
func (r *Reply) JSON() json.RawMessage { return r.JSONIn(nil) }

// JSONIn is JSON that is unfolded into a slab; nil: into a slice of its own.
func (r *Reply) JSONIn(slab *Slab) json.RawMessage {
	s := r.Text()
	if s == "" {
		return nil
	}
	value, err := decompressIn(slab, s, r.Room.asker())
	if errors.Is(err, store.ErrNoRoom) {
		if r.Err == nil {
			r.Err = err
		}
		return nil
	}
	if err != nil {
		r.Spoil("a value that cannot be unfolded")
		return nil
	}
	return value
}

// List reads a nested answer; an absent one is empty.
func (r *Reply) List() *Reply {
	switch v := r.Next().(type) {
	case []any:
		return &Reply{Name: r.Name, Items: v, Room: r.Room}
	case nil:
	default:
		r.fail("has no list")
	}
	return &Reply{Name: r.Name, Room: r.Room}
}

// More reports whether a value follows.
func (r *Reply) More() bool { return r.at < len(r.Items) }

// Events reads a list of events.
func (r *Reply) Events() [][]byte {
	l := r.List()
	out := make([][]byte, 0, len(l.Items))
	for l.More() {
		out = append(out, []byte(l.Text()))
	}
	r.Join(l)
	return out
}

// Join takes over the error of a nested answer.
func (r *Reply) Join(l *Reply) {
	if r.Err == nil {
		r.Err = l.Err
	}
}

// JSONByID reads ids and values; nil when there are none.
func (r *Reply) JSONByID() map[string]json.RawMessage {
	l := r.List()
	var byID map[string]json.RawMessage
	for l.More() {
		if byID == nil {
			byID = map[string]json.RawMessage{}
		}
		id := l.Text()
		byID[id] = l.JSON()
	}
	r.Join(l)
	return byID
}
