package redisstore

import (
	"crypto/sha1"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
)

const (
	digestSize = 8
	stampSize  = 6
	hashSize   = 22 // of threadHash
	pageSize   = 50
	pageLimit  = 1000

	cursorLimit = 1024 // bytes of a member in a cursor
)

// digest is index.lua's: it places members in an index and proves nothing.
func digest(s string) string {
	sum := sha1.Sum([]byte(s))
	return string(sum[:digestSize])
}

// digests writes the digests of distinct strings one after the other.
func digests(of []string) string {
	var all []string
	for _, s := range of {
		if d := digest(s); !slices.Contains(all, d) {
			all = append(all, d)
		}
	}
	return strings.Join(all, "")
}

// forever is index.lua's FOREVER, the last time that a stamp can hold.
const forever = 1<<(8*stampSize) - 1

// unstamp reads index.lua's stamp.
func unstamp(s string) int64 {
	var b [8]byte
	copy(b[8-stampSize:], s)
	return int64(binary.BigEndian.Uint64(b[:]))
}

// stampOf is index.lua's stamp of a time.
func stampOf(t time.Time) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(min(max(t.UnixMilli(), 0), forever)))
	return string(b[8-stampSize:])
}

// hit is a member of an index, without the listing's prefix.
type hit struct {
	part   *keyspace.Partition
	member string
}

// thread returns the keys of the hit's thread, whose hash stands behind a time.
func (h hit) thread() keyspace.Thread {
	return keyspace.Thread{Part: h.part, Base: h.part.Base + h.member[stampSize:stampSize+hashSize] + ":"}
}

// latestFirst are the bounds, as listing has them, of times from ≤ t < to in an index that
// has the latest first; zero: any, and no bound.
func latestFirst(from, to time.Time) (first, end string) {
	stamp := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		ms := t.UnixMilli()
		if time.UnixMilli(ms).Before(t) {
			ms++ // what is stored has no parts of it
		}
		return stampAt(forever - ms + 1)
	}
	return stamp(to), stamp(from)
}

// end is behind the last member of a listing, as a range by bytes has it.
func (l *listing) end() string {
	if l.to != "" {
		return "(" + l.prefix + l.to
	}
	if b := beyond(l.prefix); b != "" {
		return "(" + b
	}
	return "+"
}

// beyond is the first string after all that begin with a prefix; "" when there
// is none.
func beyond(prefix string) string {
	b := []byte(prefix)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < math.MaxUint8 {
			b[i]++
			return string(b[:i+1])
		}
	}
	return ""
}

// stampAt is index.lua's stamp.
func stampAt(ms int64) string {
	ms = min(max(ms, 0), forever)
	b := make([]byte, stampSize)
	for i := range b {
		b[i] = byte(ms >> (8 * (stampSize - 1 - i)))
	}
	return string(b)
}
