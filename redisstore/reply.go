package redisstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// reply reads a script's answer value by value. A value that is not as the script's header
// says makes err, once; reading goes on with zero values.
type reply struct {
	name  string
	items []any
	at    int
	err   error
	room  *room // nil: what is unfolded needs none
}

func (r *reply) next() any {
	if r.at >= len(r.items) {
		r.spoil("an answer that ends early")
		return nil
	}
	v := r.items[r.at]
	r.at++
	return v
}

func (r *reply) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("redisstore: %s: the answer %s at %d", r.name, what, r.at)
	}
}

// spoil is fail for what was stored.
func (r *reply) spoil(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("redisstore: %s: %w: %s at %d", r.name, store.ErrCorrupted, what, r.at)
	}
}

func (r *reply) int() int64 {
	switch v := r.next().(type) {
	case int64:
		return v
	case string:
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			r.spoil("what is no number")
		}
		return n
	case nil:
		return 0
	default:
		r.fail("has no number")
		return 0
	}
}

func (r *reply) bool() bool { return r.int() != 0 }

func (r *reply) string() string {
	switch v := r.next().(type) {
	case string:
		return v
	case nil:
		return ""
	default:
		r.fail("has no string")
		return ""
	}
}

// time reads Unix ms; 0 is no time.
func (r *reply) time() time.Time {
	if ms := r.int(); ms != 0 {
		return time.UnixMilli(ms)
	}
	return time.Time{}
}

// json reads a value that may be absent, or compressed.
func (r *reply) json() json.RawMessage {
	s := r.string()
	if s == "" {
		return nil
	}
	value, err := decompress(s, r.room.asker())
	if errors.Is(err, store.ErrNoRoom) {
		if r.err == nil {
			r.err = err
		}
		return nil
	}
	if err != nil {
		r.spoil("a value that cannot be unfolded")
		return nil
	}
	return value
}

// list reads a nested answer; an absent one is empty.
func (r *reply) list() *reply {
	switch v := r.next().(type) {
	case []any:
		return &reply{name: r.name, items: v, room: r.room}
	case nil:
	default:
		r.fail("has no list")
	}
	return &reply{name: r.name, room: r.room}
}

func (r *reply) more() bool { return r.at < len(r.items) }

func (r *reply) events() [][]byte {
	l := r.list()
	out := make([][]byte, 0, len(l.items))
	for l.more() {
		out = append(out, []byte(l.string()))
	}
	r.join(l)
	return out
}

func (r *reply) join(l *reply) {
	if r.err == nil {
		r.err = l.err
	}
}

// jsonByID reads ids and values; nil when there are none.
func (r *reply) jsonByID() map[string]json.RawMessage {
	l := r.list()
	var byID map[string]json.RawMessage
	for l.more() {
		if byID == nil {
			byID = map[string]json.RawMessage{}
		}
		id := l.string()
		byID[id] = l.json()
	}
	r.join(l)
	return byID
}
