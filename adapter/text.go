package adapter

import (
	"unicode/utf8"

	"github.com/aguiws/aguiws/protocol"
)

// Text is a message being written. Writing is streaming: each Write is one
// event. It is an io.WriteCloser and an io.StringWriter; what it leaves open the
// run closes.
type Text struct {
	run   *Run
	id    string
	tail  []byte // the beginning of a rune whose rest has not come
	event protocol.TextMessageContent
}

// Text opens an assistant's message.
func (r *Run) Text() (*Text, error) {
	t := &Text{run: r, id: r.NewID()}
	return t, r.Emit(&protocol.TextMessageStart{MessageID: t.id, Role: protocol.RoleAssistant})
}

// ID is the message's id.
func (t *Text) ID() string { return t.id }

// Write streams a piece of the text. A rune that p cuts is held back until its
// rest comes.
func (t *Text) Write(p []byte) (int, error) { return t.WriteString(string(p)) }

// WriteString is Write without a copy of the text.
func (t *Text) WriteString(text string) (int, error) {
	whole := text
	if len(t.tail) > 0 {
		whole = string(t.tail) + text
	}
	cut := wholeRunes(whole)
	t.tail = append(t.tail[:0], whole[cut:]...)
	if cut > 0 {
		if err := t.emit(whole[:cut]); err != nil {
			return 0, err
		}
	}
	return len(text), nil
}

// emit emits a delta. Only a branch, which holds events back, has to be given one of its
// own each time.
func (t *Text) emit(delta string) error {
	e := &t.event
	if t.run.x.Holds() {
		e = new(protocol.TextMessageContent)
	}
	e.MessageID, e.Delta = t.id, delta
	return t.run.Emit(e)
}

// Close ends the message. The beginning of a rune whose rest never came is
// written as U+FFFD.
func (t *Text) Close() error {
	if len(t.tail) > 0 {
		t.tail = nil
		if err := t.emit("\uFFFD"); err != nil {
			return err
		}
	}
	return t.run.Emit(&protocol.TextMessageEnd{MessageID: t.id})
}

// wholeRunes is how many of the bytes are whole runes, or cannot become ones.
func wholeRunes(b string) int {
	for back := 1; back < utf8.UTFMax && back <= len(b); back++ {
		c := b[len(b)-back]
		if utf8.RuneStart(c) {
			if !utf8.FullRuneInString(b[len(b)-back:]) {
				return len(b) - back
			}
			break
		}
	}
	return len(b)
}

// Say writes one whole message.
func (r *Run) Say(text string) error {
	t, err := r.Text()
	if err != nil {
		return err
	}
	if _, err := t.WriteString(text); err != nil {
		return err
	}
	return t.Close()
}
