package wire

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// readAll keeps all that comes, and writes behind it as its owner may.
func readAll(from io.Reader, max int) (events []string, err error) {
	s := NewReader(from, max, nil)
	var kept [][]byte
	for {
		text, err := s.Next()
		if err != nil {
			for _, each := range kept {
				events = append(events, string(each))
			}
			return events, err
		}
		_ = append(text, "written over"...)
		kept = append(kept, text)
	}
}

func TestSSE(t *testing.T) {
	for name, test := range map[string]struct {
		stream string
		events []string
	}{
		"LF":                        {"data: a\n\ndata: b\n\n", []string{"a", "b"}},
		"CR LF":                     {"data: a\r\n\r\ndata: b\r\n\r\n", []string{"a", "b"}},
		"CR":                        {"data: a\r\rdata: b\r\r", []string{"a", "b"}},
		"mixed":                     {"data: a\r\n\ndata: b\n\rdata: c\r\r\n", []string{"a", "b", "c"}},
		"a mark of byte order":      {"\ufeffdata: a\n\n", []string{"a"}},
		"one in the midst":          {"data: a\n\n\ufeffdata: b\n\ndata: c\n\n", []string{"a", "c"}},
		"several lines":             {"data: a\ndata: b\ndata\ndata:c\n\n", []string{"a\nb\n\nc"}},
		"no space":                  {"data:a\n\n", []string{"a"}},
		"two spaces":                {"data:  a\n\n", []string{" a"}},
		"comments":                  {":\n: hello\n\ndata: a\n:x\n\n:\n\n", []string{"a"}},
		"other fields":              {"event: x\nid: 1\nretry: 5\ndata: a\nfoo: bar\n\nid: 2\n\n", []string{"a"}},
		"a name without a colon":    {"foo\ndata: a\n\n", []string{"a"}},
		"no data":                   {"data\n\ndata: \n\ndata: a\n\n", []string{"a"}},
		"no blank line at the end":  {"data: a\n\ndata: b\n", []string{"a", "b"}},
		"no end of line at the end": {"data: a\n\ndata: b", []string{"a", "b"}},
		"blank lines":               {"\n\n\ndata: a\n\n\n\n", []string{"a"}},
		"nothing":                   {"", nil},
		"many":                      {strings.Repeat("data: abcdefgh\n\ndata: ij\ndata: k\n\n", mostShared), slices.Repeat([]string{"abcdefgh", "ij\nk"}, mostShared)},
		"larger than the buffer":    {"data: " + strings.Repeat("x", 3*Buffer) + "\n\ndata: b\n\n", []string{strings.Repeat("x", 3*Buffer), "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, from := range []io.Reader{
				strings.NewReader(test.stream), iotest.OneByteReader(strings.NewReader(test.stream)),
				iotest.HalfReader(strings.NewReader(test.stream)), iotest.DataErrReader(strings.NewReader(test.stream)),
			} {
				if events, err := readAll(from, 1<<20); err != io.EOF || !slices.Equal(events, test.events) {
					t.Errorf("%q %v", events, err)
				}
			}
		})
	}
}

func TestSSEIsBounded(t *testing.T) {
	const max = 100
	for name, stream := range map[string]string{
		"a line":           "data: " + strings.Repeat("x", max+1) + "\n\n",
		"lines":            strings.Repeat("data: xxxxxxxxxx\n", max/10) + "\n",
		"an endless line":  strings.Repeat("x", 100*max),
		"an endless name":  ":" + strings.Repeat("x", 100*max),
		"lines of nothing": strings.Repeat("data:\n", 2*max) + "\n",
	} {
		events, err := readAll(strings.NewReader(stream), max)
		if !errors.Is(err, ErrEventTooLarge) || len(events) > 0 {
			t.Errorf("%s: %q %v", name, events, err)
		}
	}
	if events, err := readAll(strings.NewReader("data: "+strings.Repeat("x", max)+"\n\n"), max); err != io.EOF || len(events) != 1 {
		t.Errorf("%q %v", events, err)
	}
	if _, err := readAll(iotest.ErrReader(io.ErrUnexpectedEOF), max); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
}

// However a stream is cut into pieces, it is the same events, and none is over the bound.
func FuzzSSE(f *testing.F) {
	for _, s := range []string{"data: a\r\n\r\ndata: b\n\n", "\ufeffdata:a\r\rid: 1\n\n", ":x\ndata\n\ndata: {}", "data: a\ndata: b\n\n"} {
		f.Add([]byte(s), 3)
	}
	f.Add([]byte(strings.Repeat("0", 70)+"\n"), 78)
	f.Fuzz(func(t *testing.T, stream []byte, piece int) {
		const max = 64
		whole, err := readAll(bytes.NewReader(stream), max)
		pieces, again := readAll(&inPieces{stream, max1(piece)}, max)
		if !slices.Equal(whole, pieces) || err != again {
			t.Errorf("%q %v\nin pieces %q %v", whole, err, pieces, again)
		}
		for _, e := range whole {
			if len(e) > max || e == "" || strings.ContainsRune(e, '\r') {
				t.Errorf("an event is %q", e)
			}
		}
	})
}

func max1(n int) int { return 1 + (n%7+7)%7 }

type inPieces struct {
	left []byte
	n    int
}

func (r *inPieces) Read(p []byte) (int, error) {
	if len(r.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.left[:min(r.n, len(r.left))])
	r.left = r.left[n:]
	return n, nil
}
