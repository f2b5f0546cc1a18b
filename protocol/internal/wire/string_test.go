package wire

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// Strings are read as encoding/json reads them.
func FuzzUnquote(f *testing.F) {
	for _, s := range []string{`""`, `"a"`, `"\u00e9\n\t\/\\\""`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ud83d\u0041x"`, `"\ude00\ud83d\ude00\uFFFD\b\f\r"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, token []byte) {
		var want string
		if !utf8.Valid(token) || len(token) == 0 || token[0] != '"' || token[len(token)-1] != '"' || json.Unmarshal(token, &want) != nil {
			return
		}
		if got := Unquote(token); got != want {
			t.Errorf("%s is %q, want %q", token, got, want)
		}
	})
}

func FuzzQuote(f *testing.F) {
	f.Add("a\"\\\x00é\xff")
	f.Fuzz(func(t *testing.T, s string) {
		quoted := AppendString(nil, s)
		if !json.Valid(quoted) || !utf8.Valid(quoted) {
			t.Fatalf("%q", quoted)
		}
		want, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var a, b string
		if json.Unmarshal(quoted, &a) != nil || json.Unmarshal(want, &b) != nil || a != b {
			t.Fatalf("%q became %q", s, a)
		}
	})
}

// A string has the end that it was written with, whatever byte stands anywhere in it.
func TestAfterEncodedFindsTheEnd(t *testing.T) {
	for at := range 70 {
		for c := range 256 {
			text := []byte(`"` + strings.Repeat("a", 70) + `" and "more"`)
			text[1+at] = byte(c)
			want := 72
			switch {
			case c == '"':
				want = at + 2
			case c == '\\' && at == 69: // the quote behind it is of the string
				want = 78
			case c == '\\', c < ' ', c >= 0x80: // a backslash before an a is of no string that was written
				want = -1
			}
			if got := AfterEncoded(text, 0); got != want {
				t.Fatalf("%#x at %d: %d, not %d", c, at, got, want)
			}
		}
	}
}
