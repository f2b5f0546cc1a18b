package index

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
)

// Listing is one query of an index: in each partition, the members that begin
// with a prefix, and of these the ones after a place.
type Listing struct {
	Kind   byte
	Prefix string
	Key    func(*keyspace.Partition) string
	// From and to bound the times in them: from ≤ time < to; "": they do not.
	From, To string
	Only     string // what else a query asks for, of which its cursors are
	Looks    int    // how many are looked at for a page; 0: as many as it takes
	after    string // what follows the prefix in the last member of the page before
	// late are the partitions that were not read so far, because their master did not
	// answer, and the places after which they go on. Over: the others are at their end.
	late map[int]string
	over bool
}

// ErrCursor refuses a cursor that no page has given.
var ErrCursor = fmt.Errorf("%w: ask for the first page with an empty one", store.ErrBadCursor)

// lateMark begins a cursor that has late partitions.
const lateMark = "+"

// cursor names the place of the listing. It belongs to the query that made it. Without
// late partitions it is that of a member, else a list: the member, none when the others
// are at their end, then places and behind each the partitions that go on there.
func (l *Listing) cursor() string {
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
		raw = lateMark + l.mark() + string(link.Pack(nil, list...))
	}
	return base64.RawURLEncoding.EncodeToString([]byte(raw))
}

func (l *Listing) mark() string {
	of := l.Prefix
	if narrowed := l.From + l.To + l.Only; narrowed != "" {
		of = string(link.Pack(nil, l.Prefix, l.From, l.To, l.Only))
	}
	return string(l.Kind) + Digest(of)[:4]
}

// seek makes the listing go on where a cursor says, of a store with so many partitions.
func (l *Listing) seek(cursor string, partitions int) error {
	if cursor == "" {
		return nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil {
		return ErrCursor
	}
	rest, late := strings.CutPrefix(string(raw), lateMark)
	member, ok := strings.CutPrefix(rest, l.mark())
	if !ok {
		return ErrCursor
	}
	if !late {
		l.after = member
		return place(member)
	}
	list, err := link.Unpack(member)
	if err != nil || len(list) < 3 || len(list)%2 == 0 {
		return ErrCursor
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
				return ErrCursor
			}
			l.late[i] = at[0]
		}
	}
	return err
}

// place refuses what no member can be.
func place(member string) error {
	if len(member) < StampSize+HashSize || len(member) > CursorLimit {
		return ErrCursor
	}
	return nil
}
