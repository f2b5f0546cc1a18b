package execution

import (
	"io"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// Whatever way a text is cut, its deltas are whole runes and say the same.
func TestTextIsCutBetweenRunes(t *testing.T) {
	const text = "a é世😀 \xff\xc3( end"
	for size := 1; size <= len(text); size++ {
		for name, write := range map[string]func(*adapter.Text, string) (int, error){
			"bytes":  func(w *adapter.Text, s string) (int, error) { return w.Write([]byte(s)) },
			"string": func(w *adapter.Text, s string) (int, error) { return io.WriteString(w, s) },
		} {
			w, message := written(t)
			for rest := text; rest != ""; {
				piece := rest[:min(size, len(rest))]
				rest = rest[len(piece):]
				if n, err := write(w, piece); n != len(piece) || err != nil {
					t.Fatal(n, err)
				}
			}
			if m := message(); m.Content.String() != text {
				t.Errorf("%s of %d became %q", name, size, m.Content)
			}
			if _, err := write(w, "\xf0\x9f"); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if m := message(); m.Content.String() != text+"\uFFFD" {
				t.Errorf("%s of %d, cut off, became %q", name, size, m.Content)
			}
		}
	}
}

// written is a text that a run has opened, and its message as of now.
func written(t *testing.T) (*adapter.Text, func() protocol.Message) {
	run := adapter.NewRun(emitting(t))
	w, err := run.Text()
	if err != nil {
		t.Fatal(err)
	}
	return w, func() protocol.Message {
		m, _ := run.Message(w.ID())
		return m
	}
}

// A branch holds what it emits, so that no two deltas may be one event.
func TestTextInABranchIsHeld(t *testing.T) {
	x := emitting(t).x
	s := newScope(x.journal, "branch", true)
	w, err := adapter.NewRun(&line{x, s}).Text()
	if err != nil {
		t.Fatal(err)
	}
	for _, piece := range []string{"one ", "two"} {
		if _, err := w.WriteString(piece); err != nil {
			t.Fatal(err)
		}
	}
	said := ""
	for _, e := range s.held[1:] {
		said += e.(*protocol.TextMessageContent).Delta
	}
	if said != "one two" {
		t.Errorf("it holds %q", said)
	}
}
