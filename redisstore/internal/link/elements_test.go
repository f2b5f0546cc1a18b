package link

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
)

func TestElementsReadFromAnyPosition(t *testing.T) {
	c := &Connection{}
	c.Settings.LargeEvent = elementBytes
	var events [][]byte
	for i, size := range []int{3, 0, 5000, 5000, 5000, 5000, elementBytes, elementBytes + 1, 7, 1} {
		events = append(events, append(bytes.Repeat([]byte("x"), size), fmt.Sprint(i)...))
	}
	const first = 98
	var list [][]byte
	for _, e := range c.AppendElements(nil, first, events) {
		list = append(list, e.([]byte))
		if _, packed, err := element(e.([]byte)); err != nil || len(packed) > elementBytes+64 && packed[0] != LargeMark[0] {
			t.Errorf("an element of %d bytes, %v", len(packed), err)
		}
	}
	if len(list) != 5 {
		t.Errorf("%d elements", len(list))
	}
	for from := range events {
		for limit := 1; limit <= len(events); limit++ {
			got, at, err := Elements(list, first+int64(from), limit)
			want := events[from:min(from+limit, len(events))]
			if err != nil || !slices.EqualFunc(got, want, bytes.Equal) {
				t.Fatalf("%d from %d on: %d events, %v", limit, from, len(got), err)
			}
			// What comes next is in the element that is told.
			if more, _, err := Elements(list[at:], first+int64(from+len(got)), 1); err != nil || (len(more) == 0) != (from+limit >= len(events)) {
				t.Errorf("%d from %d on: %d are next at %d, %v", limit, from, len(more), at, err)
			}
		}
	}
	if got, _, err := Elements(list, first-1, 9); len(got) > 0 || err != nil {
		t.Errorf("of what is not there: %d events, %v", len(got), err)
	}
	if got, _, err := Elements([][]byte{list[0], []byte(fmt.Sprintf("%d,9:%s", first+5, LargeMark)), list[4]}, first, 9); len(got) != 5 || err != nil {
		t.Errorf("before what lies beside the log: %d events, %v", len(got), err)
	}
	for _, behind := range []string{string(list[4]), "3000000000000000000,1:1:a"} {
		if _, _, err := Elements([]string{string(list[0]), behind, behind}, first, 9); !errors.Is(err, store.ErrCorrupted) {
			t.Errorf("a gap is %v", err)
		}
	}
	if _, _, err := Elements([]string{"0,1:1:a"}, 0, 9); !errors.Is(err, store.ErrCorrupted) {
		t.Errorf("a position before the first is %v", err)
	}
}

func FuzzElements(f *testing.F) {
	f.Add("1,5:2:ab3:cde", "3,1:1:f", int64(2))
	f.Add("7,1:\x00x", "8,1:\x00", int64(7))
	f.Add("1,1:99999999999999999999:a", "2,1:1:b", int64(1))
	f.Fuzz(func(t *testing.T, text, behind string, first int64) {
		if events, _, err := Elements([]string{text, behind, behind}, first, 1000); err != nil && events != nil {
			t.Errorf("%d events, and %v", len(events), err)
		}
		same := Mapped(text, func(_ int64, e []byte) []byte { return e })
		if again := Mapped(same, func(_ int64, e []byte) []byte { return e }); again != same {
			t.Errorf("%q becomes %q", same, again)
		}
	})
}
