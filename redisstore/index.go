package redisstore

import (
	"cmp"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
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

// listing is one query of an index: in each partition, the members that begin
// with a prefix, and of these the ones after a place.
type listing struct {
	kind   byte
	prefix string
	key    func(*partition) string
	after  string // what follows the prefix in the last member of the page before
	// late are the partitions that were not read so far, because their master did not
	// answer, and the places after which they go on. Over: the others are at their end.
	late map[int]string
	over bool
}

// hit is a member of an index, without the listing's prefix.
type hit struct {
	part   *partition
	member string
}

// thread returns the keys of the hit's thread, whose hash stands behind a time.
func (h hit) thread() threadKeys {
	return threadKeys{part: h.part, base: h.part.base + h.member[stampSize:stampSize+hashSize] + ":"}
}

var errCursor = fmt.Errorf("%w: ask for the first page with an empty one", store.ErrBadCursor)

// lateMark begins a cursor that has late partitions.
const lateMark = "+"

// cursor names the place of the listing. It belongs to the query that made it. Without
// late partitions it is that of a member, else a list: the member, none when the others
// are at their end, then places and behind each the partitions that go on there.
func (l *listing) cursor() string {
	raw := l.mark() + l.after
	if len(l.late) > 0 {
		at := map[string][]string{}
		for _, p := range slices.Sorted(maps.Keys(l.late)) {
			at[l.late[p]] = append(at[l.late[p]], strconv.Itoa(p))
		}
		list := []string{l.after}
		if l.over {
			list[0] = ""
		}
		for _, place := range slices.Sorted(maps.Keys(at)) {
			list = append(list, place, strings.Join(at[place], ","))
		}
		raw = lateMark + l.mark() + string(pack(nil, list...))
	}
	return base64.RawURLEncoding.EncodeToString([]byte(raw))
}

func (l *listing) mark() string { return string(l.kind) + digest(l.prefix)[:4] }

// seek makes the listing go on where a cursor says, of a store with so many partitions.
func (l *listing) seek(cursor string, partitions int) error {
	if cursor == "" {
		return nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil {
		return errCursor
	}
	rest, late := strings.CutPrefix(string(raw), lateMark)
	member, ok := strings.CutPrefix(rest, l.mark())
	if !ok {
		return errCursor
	}
	if !late {
		l.after = member
		return place(member)
	}
	list, err := unpack(member)
	if err != nil || len(list) < 3 || len(list)%2 == 0 {
		return errCursor
	}
	l.after, l.over, l.late = list[0], list[0] == "", map[int]string{}
	err = nil
	if !l.over {
		err = place(l.after)
	}
	for at := range slices.Chunk(list[1:], 2) {
		if at[0] != "" {
			err = cmp.Or(err, place(at[0]))
		}
		for _, p := range strings.Split(at[1], ",") {
			i, bad := strconv.Atoi(p)
			if bad != nil || i < 0 || i >= partitions {
				return errCursor
			}
			l.late[i] = at[0]
		}
	}
	return err
}

// place refuses what no member can be.
func place(member string) error {
	if len(member) < stampSize+hashSize || len(member) > cursorLimit {
		return errCursor
	}
	return nil
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
