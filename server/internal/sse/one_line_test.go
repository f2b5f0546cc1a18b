package sse

import (
	"slices"
	"testing"
)

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{`{"a":1}`: `{"a":1}`, "{\n\"a\":\r\n1}": `{ "a":  1}`} {
		if got := string(oneLine([]byte(in))); got != want || slices.Contains([]byte(got), '\n') {
			t.Errorf("%q: %q", in, got)
		}
	}
}
