package threadlog

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
)

// What is kept of a page does not keep the rest of what was read for it.
func TestFilledPages(t *testing.T) {
	event := func(size int) []byte { return bytes.Repeat([]byte("x"), size) }
	for name, c := range map[string]struct {
		events [][]byte
		want   int
		few    bool
	}{
		"none":                {nil, 0, false},
		"one that is large":   {[][]byte{event(3 * PageBytes)}, 1, false},
		"as many as fill one": {slices.Repeat([][]byte{event(PageBytes / 4)}, 4), 4, false},
		"some more":           {slices.Repeat([][]byte{event(PageBytes / 4)}, 7), 4, false},
		"many more":           {slices.Repeat([][]byte{event(PageBytes / 4)}, 9), 4, true},
		"one and many":        {[][]byte{event(1), event(PageBytes), event(2 * PageBytes)}, 2, true},
	} {
		page, few := filled(c.events)
		if len(page) != c.want || few != c.few {
			t.Errorf("%s: %d, %t", name, len(page), few)
		}
		for i, e := range page {
			if !bytes.Equal(e, c.events[i]) || cap(e) != len(e) || few == (&e[0] == &c.events[i][0]) {
				t.Errorf("%s: event %d is not as it was, or where", name, i)
			}
		}
	}
}

func TestLogsThatAreKnownAreBounded(t *testing.T) {
	var k knownLogs
	for i := range 3 * keptLogs {
		k.Note(keyspace.Thread{}, int64(i), KnownLog{Place: int64(i)})
	}
	for i := int64(2 * keptLogs); i < 3*keptLogs; i++ { // the oldest are forgotten first
		if log, ok := k.known(keyspace.Thread{}, i); !ok || log.Place != i || len(k.of) != keptLogs {
			t.Fatalf("%v at %d, %d are known", log, i, len(k.of))
		}
	}
}

func TestNoPlaceIsNotedOfALogThatIsReadByTheScript(t *testing.T) {
	for bytes, want := range map[int64]int{PlainBytes: 1, PlainBytes + 1: 0} {
		s := &Reader{cache: &Cache{}}
		events, err := s.unpacked(keyspace.Thread{}, KnownLog{Elements: 2, Bytes: bytes}, [][]byte{[]byte("1,1:1:a")}, 1, 9)
		if err != nil || len(events) != 1 || len(s.cache.Logs.of) != want {
			t.Errorf("of %d bytes: %d events, %d noted, %v", bytes, len(events), len(s.cache.Logs.of), err)
		}
	}
}

func TestBulkStrings(t *testing.T) {
	for text, want := range map[string]string{
		"*0\r\n":                        "[]",
		"*2\r\n$1\r\na\r\n$0\r\n\r\n":   "[a ]",
		"*1\r\n$4\r\n\r\n\r\n\r\n":      "[\r\n\r\n]",
		"":                              "",
		"-ERR no\r\n":                   "",
		"*1\r\n":                        "",
		"*2\r\n$-1\r\n$1\r\na\r\n":      "[ a]",
		"*2\r\n_\r\n$1\r\na\r\n":        "[ a]",
		"*1\r\n_":                       "",
		"*-1\r\n":                       "",
		"*1\r\n$2\r\na\r\n":             "",
		"*1\r\n$1\r\na\r\nx":            "",
		"*9999999999\r\n":               "",
		"*2000000000\r\n$1\r\na\r\n":    "",
		"*1\r\n$99999999999999999999\r": "",
		"*1\r":                          "",
	} {
		list, whole := bulkStrings([]byte(text))
		if got := fmt.Sprintf("%s", list); whole != (want != "") || whole && got != want {
			t.Errorf("%q: %q, %t", text, got, whole)
		}
	}
}

func FuzzBulkStrings(f *testing.F) {
	f.Add([]byte("*2\r\n$1\r\na\r\n$0\r\n\r\n"))
	f.Add([]byte("*1\r\n$-1\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, whole := bulkStrings(text)
		if !whole {
			return
		}
		again := fmt.Appendf(nil, "*%d\r\n", len(list))
		for _, e := range list {
			again = fmt.Appendf(again, "$%d\r\n%s\r\n", len(e), e)
		}
		if other, whole := bulkStrings(again); !whole || fmt.Sprint(other) != fmt.Sprint(list) {
			t.Errorf("%q is %q", text, again)
		}
	})
}
