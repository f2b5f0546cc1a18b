package link

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
)

// An element of a log has one event or several: the position of the first, a comma, how many bytes
// they have, a colon, and the events as Pack has them. A batch is one element, or several if it is long. A string is then
// made of the batch, and none of its events, in Redis and in its scripts.

// LargeMark stands in an element before an event that is large. The scripts keep it out of the
// list that is the log, whose other events are read in passing it by.
const LargeMark = "\x00"

// elementBytes is how many bytes an element has at most, if it has not one event alone. Who reads
// an event reads the element.
const elementBytes = 16 << 10

// large reports whether an event is stored beside the log. No JSON begins with the
// mark; what does is taken for large, so that it comes back whole.
func (s *Connection) large(e []byte) bool {
	return len(e) > s.Settings.LargeEvent || len(e) > 0 && e[0] == LargeMark[0]
}

// AppendElements adds events, the first of them at a position, as elements.
func (s *Connection) AppendElements(args []any, first int64, events [][]byte) []any {
	for len(events) > 0 {
		n, size, large := 1, len(events[0]), s.large(events[0])
		for !large && n < len(events) && size+len(events[n]) <= elementBytes && !s.large(events[n]) {
			size += len(events[n])
			n++
		}
		e := strconv.AppendInt(make([]byte, 0, size+24+6*n), first, 10)
		e = append(strconv.AppendInt(append(e, ','), int64(size), 10), ':')
		if large {
			e = append(append(e, LargeMark...), events[0]...)
		} else {
			e = Pack(e, events[:n]...)
		}
		args, first, events = append(args, e), first+int64(n), events[n:]
	}
	return args
}

// element is the position of an element's first event, and the events, packed, or behind a mark.
func element(e []byte) (first int64, events []byte, err error) {
	text, rest, _ := bytes.Cut(e, []byte(","))
	_, events, _ = bytes.Cut(rest, []byte(":"))
	first, err = strconv.ParseInt(string(text), 10, 64)
	if err != nil || first < 1 || len(events) == 0 {
		return 0, nil, errPacked
	}
	return first, events, nil
}

// Span is what an element says of itself: the position of its first event, the one behind its last, how many bytes
// its events have, and whether there is one that lies beside the log.
func Span(e string) (first, behind, bytes int64, apart bool, err error) {
	first, packed, err := element([]byte(e))
	if err != nil {
		return 0, 0, 0, false, err
	}
	_, size, _ := strings.Cut(e[:len(e)-len(packed)-1], ",")
	if bytes, err = strconv.ParseInt(size, 10, 64); err != nil {
		return 0, 0, 0, false, errPacked
	}
	if packed[0] == LargeMark[0] {
		return first, first + 1, bytes, true, nil
	}
	for behind = first; len(packed) > 0; behind++ {
		if _, packed, err = unpackOne(packed); err != nil {
			return 0, 0, 0, false, err
		}
	}
	return first, behind, bytes, false, nil
}

// Apart reports whether an element's event lies beside the log.
func Apart(e []byte) bool { return bytes.HasSuffix(e, []byte(":"+LargeMark)) }

// Elements are events of elements from a position on, within their bytes: so many at most, and none
// from one on that lies beside the log, or if the first element is a later one. at is which element
// has the next.
func Elements[S ~string | ~[]byte](list []S, first int64, limit int) (events [][]byte, at int, err error) {
	next := int64(0)
	if n := len(list); n > 1 { // about, when they are much alike
		last, _, _ := element([]byte(list[n-1]))
		events = make([][]byte, 0, min(min(max(last-first, 0), 1<<14)*int64(n+1)/int64(n-1)+1, int64(limit), 1<<14))
	}
	for at, text := range list {
		from, packed, err := element([]byte(text))
		if err != nil || at > 0 && from != next {
			return nil, 0, fmt.Errorf("redisstore: %w: the log behind %d", store.ErrCorrupted, first-1+int64(len(events)))
		}
		if at == 0 && from > first || string(packed) == LargeMark {
			return events, at, nil
		}
		for next = from; len(packed) > 0; next++ {
			if len(events) == limit {
				return events, at, nil
			}
			e := packed[1:]
			if packed[0] == LargeMark[0] {
				packed = nil
			} else if e, packed, err = unpackOne(packed); err != nil {
				return nil, 0, fmt.Errorf("redisstore: %w: the log at %d", store.ErrCorrupted, next)
			}
			if next >= first {
				events = append(events, e[:len(e):len(e)])
			}
		}
	}
	return events, len(list), nil
}

// Mapped is an element with other events. What it says of their bytes stays: that counts for the log.
func Mapped(text string, f func(at int64, e []byte) []byte) string {
	first, packed, _ := element([]byte(text))
	events, _, err := Elements([]string{text}, first, math.MaxInt)
	if err != nil || len(events) == 0 || packed[0] == LargeMark[0] {
		return text
	}
	for i, e := range events {
		events[i] = f(first+int64(i), e)
	}
	return text[:len(text)-len(packed)] + string(Pack(nil, events...))
}
