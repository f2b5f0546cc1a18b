package redisstore

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// streamID is the id of an entry of a stream.
type streamID struct {
	ms  int64
	seq uint64
}

func (id streamID) String() string {
	return strconv.FormatInt(id.ms, 10) + "-" + strconv.FormatUint(id.seq, 10)
}

func readStreamID(text string) (id streamID, ok bool) {
	ms, seq, found := strings.Cut(text, "-")
	var bad, worse error
	id.ms, bad = strconv.ParseInt(ms, 10, 64)
	id.seq, worse = strconv.ParseUint(seq, 10, 64)
	return id, found && bad == nil && worse == nil && id.ms >= 0
}

// noticePlace is behind which of a partition's notices a reader is.
type noticePlace struct {
	streamID
	entry bool   // it is that of an entry, which is read again to see that it is still there
	given uint64 // how many of the entry's notices are before it; 0: all of them
	now   bool   // it is not known yet: behind what there is
}

// from is the first id to read.
func (p noticePlace) from() string {
	switch {
	case p.now:
		return ""
	case p.entry:
		return p.String()
	case p.seq == math.MaxUint64:
		return streamID{p.ms + 1, 0}.String()
	}
	return streamID{p.ms, p.seq + 1}.String()
}

// behind is the last id that is not awaited.
func (p noticePlace) behind() string {
	if p.now {
		return "$"
	}
	return p.String()
}

// noticePlaces are a reader's places in all partitions. Most of them have nothing new: where
// a reader has come to the end, it is behind whatever was written until a moment ago.
type noticePlaces struct{ parts []noticePlace }

// placesAt are the places before what was written at a time.
func placesAt(from time.Time, partitions int) *noticePlaces {
	p := &noticePlaces{make([]noticePlace, partitions)}
	for i := range p.parts {
		p.parts[i].streamID = streamID{min(max(from.UnixMilli()-1, 0), farAhead), math.MaxUint64}
	}
	return p
}

// noticeMargin is by how much clocks of masters may differ, and step back, without that a
// reader passes over what is written then.
const noticeMargin = 10 * time.Second

// settle moves the places behind which there was nothing, by the server's clock, to a
// moment ago.
func (p *noticePlaces) settle(ends []bool, clock int64) {
	moment := clock - noticeMargin.Milliseconds()
	for i := range p.parts {
		if at := &p.parts[i]; at.now || ends[i] && at.ms <= moment {
			*at = noticePlace{streamID: streamID{moment, math.MaxUint64}}
		}
	}
}

// cursorVersion begins what a cursor is made of.
const cursorVersion = 'o'

// String is the cursor: the moment that is earliest, behind which most places are, and the others.
func (p *noticePlaces) String() string {
	base := int64(math.MaxInt64)
	for _, at := range p.parts {
		if !at.entry && at.seq == math.MaxUint64 || at.streamID == (streamID{}) {
			base = min(base, at.ms)
		} else {
			base = min(base, at.ms-1)
		}
	}
	raw := binary.AppendUvarint([]byte{cursorVersion}, uint64(base))
	for i, at := range p.parts {
		if at == (noticePlace{streamID: streamID{base, math.MaxUint64}}) || at == (noticePlace{}) && base == 0 {
			continue
		}
		kind := uint64(i) << 1
		if at.entry {
			kind |= 1
		}
		raw = binary.AppendUvarint(raw, kind)
		raw = binary.AppendUvarint(raw, uint64(at.ms-base))
		raw = binary.AppendUvarint(raw, at.seq)
		if at.entry {
			raw = binary.AppendUvarint(raw, at.given)
		}
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// readPlaces reads a cursor, of a store with so many partitions. An empty one is behind
// what there is.
func readPlaces(cursor string, partitions int) (*noticePlaces, error) {
	p := &noticePlaces{make([]noticePlace, partitions)}
	if cursor == "" {
		for i := range p.parts {
			p.parts[i].now = true
		}
		return p, nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) == 0 || raw[0] != cursorVersion {
		return nil, errNoticeCursor
	}
	raw = raw[1:]
	next := func(most uint64) (n uint64, ok bool) {
		n, size := binary.Uvarint(raw)
		if size <= 0 || n > most {
			return 0, false
		}
		raw = raw[size:]
		return n, true
	}
	base, ok := next(farAhead)
	if !ok {
		return nil, errNoticeCursor
	}
	for i := range p.parts {
		p.parts[i].streamID = streamID{int64(base), math.MaxUint64}
	}
	for len(raw) > 0 {
		kind, a := next(uint64(2*partitions - 1))
		ms, b := next(farAhead)
		seq, c := next(math.MaxUint64)
		if !a || !b || !c {
			return nil, errNoticeCursor
		}
		at := noticePlace{streamID: streamID{int64(base + ms), seq}, entry: kind&1 == 1}
		if at.entry {
			if at.given, ok = next(math.MaxInt32); !ok {
				return nil, errNoticeCursor
			}
		}
		p.parts[kind>>1] = at
	}
	return p, nil
}

var errNoticeCursor = fmt.Errorf("%w: ask for what is to come with an empty one", store.ErrBadCursor)
