// Package index lists things across threads, by the sorted sets of all partitions: pages are
// merged of these, and go on where a cursor says. Inboxes and lists of threads are here;
// others give Page a listing of their own.
package index

import (
	"crypto/sha1"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
)

// The sizes of what a member of an index is made of, and of a page.
const (
	DigestSize = 8
	StampSize  = 6
	HashSize   = 22 // of threadHash
	PageSize   = 50
	PageLimit  = 1000

	CursorLimit = 1024 // bytes of a member in a cursor

	// ThreadList begins the members of the list of threads, and ThreadSize is what they have.
	ThreadList = "l"
	ThreadSize = len(ThreadList) + DigestSize + StampSize + HashSize
)

// Digest is index.lua's: it places members in an index and proves nothing.
func Digest(s string) string {
	sum := sha1.Sum([]byte(s))
	return string(sum[:DigestSize])
}

// Digests writes the digests of distinct strings one after the other.
func Digests(of []string) string {
	var all []string
	for _, s := range of {
		if d := Digest(s); !slices.Contains(all, d) {
			all = append(all, d)
		}
	}
	return strings.Join(all, "")
}

// Forever is index.lua's FOREVER, the last time that a stamp can hold.
const Forever = 1<<(8*StampSize) - 1

// Unstamp reads index.lua's stamp.
func Unstamp(s string) int64 {
	var b [8]byte
	copy(b[8-StampSize:], s)
	return int64(binary.BigEndian.Uint64(b[:]))
}

// Hit is a member of an index, without the listing's prefix.
type Hit struct {
	Part   *keyspace.Partition
	Member string
}

// thread returns the keys of the hit's thread, whose hash stands behind a time.
func (h Hit) thread() keyspace.Thread {
	return keyspace.Thread{Part: h.Part, Base: h.Part.Base + h.Member[StampSize:StampSize+HashSize] + ":"}
}

// LatestFirst are the bounds, as listing has them, of times from ≤ t < to in an index that
// has the latest first; zero: any, and no bound.
func LatestFirst(from, to time.Time) (first, end string) {
	stamp := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		ms := t.UnixMilli()
		if time.UnixMilli(ms).Before(t) {
			ms++ // what is stored has no parts of it
		}
		return StampAt(Forever - ms + 1)
	}
	return stamp(to), stamp(from)
}

// end is behind the last member of a listing, as a range by bytes has it.
func (l *Listing) end() string {
	if l.To != "" {
		return "(" + l.Prefix + l.To
	}
	if b := Beyond(l.Prefix); b != "" {
		return "(" + b
	}
	return "+"
}

// Beyond is the first string after all that begin with a prefix; "" when there
// is none.
func Beyond(prefix string) string {
	b := []byte(prefix)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < math.MaxUint8 {
			b[i]++
			return string(b[:i+1])
		}
	}
	return ""
}

// StampAt is index.lua's stamp.
func StampAt(ms int64) string {
	ms = min(max(ms, 0), Forever)
	b := make([]byte, StampSize)
	for i := range b {
		b[i] = byte(ms >> (8 * (StampSize - 1 - i)))
	}
	return string(b)
}
