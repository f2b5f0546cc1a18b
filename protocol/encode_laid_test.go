package protocol

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol/internal/wire"
)

// laidEvents are the events that are laid by hand, with these members.
func laidEvents(b Base, owner *string, id, delta string) []Event {
	a := Attributed{owner}
	return []Event{
		&TextMessageContent{b, a, id, delta},
		&ToolCallArgs{b, a, id, delta},
		&ReasoningMessageContent{b, a, id, delta},
		&TextMessageEnd{b, a, id},
		&ToolCallEnd{b, a, id},
		&ReasoningMessageEnd{b, a, id},
		&ReasoningStart{b, a, id},
		&ReasoningEnd{b, a, id},
	}
}

// laidAsGeneral fails unless both encoders say the same of an event.
func laidAsGeneral(t *testing.T, e Event) {
	t.Helper()
	want, refused := appendShaped([]byte("kept"), e)
	got, err := Append([]byte("kept"), e)
	if (err == nil) != (refused == nil) || err != nil && err.Error() != refused.Error() || !bytes.Equal(got, want) {
		t.Fatalf("laid by hand %T is %q, %v\nby its shape %q, %v", e, got, err, want, refused)
	}
	if own, err := Encode(e); err == nil && !bytes.Equal(own, want[len("kept"):]) {
		t.Fatalf("encoded %T is %q\nby its shape %q", e, own, want)
	}
}

func TestLaidIsGeneral(t *testing.T) {
	owner, none := "sub\"agent", ""
	var bases []Base
	for _, at := range []int64{0, 1, -1, 1764000000000, wire.MaxInteger, wire.MaxInteger + 1, wire.MinInteger, wire.MinInteger - 1} {
		bases = append(bases, Base{Timestamp: at})
	}
	bases = append(bases,
		Base{RawEvent: Any("null")}, Base{RawEvent: Any(" null ")}, Base{RawEvent: Any(`{"a": 1}`)}, Base{RawEvent: Any(`{`)}, Base{RawEvent: Any{}},
		Base{Metadata: Metadata{}}, Base{Metadata: Metadata{"k": json.RawMessage("1")}}, Base{Metadata: Metadata{"k": json.RawMessage("}")}},
		Base{Extra: map[string]json.RawMessage{}}, Base{Extra: map[string]json.RawMessage{"more": json.RawMessage("1")}},
		Base{Extra: map[string]json.RawMessage{"Delta": nil}},
	)
	texts := []string{"", "plain", strings.Repeat("a line of text\n", 40), "\"\\/\b\f\n\r\t\x00\x1f\x7f", "é世😀\u2028\u2029", "\xff\xc3(\xe2\x82", "a\xed\xa0\x80b"}
	for at := range 20 { // where the eighths of a word lie
		for _, odd := range []string{"\x00", "\x1f", " ", "!", "\"", "#", "[", "\\", "]", "\x7f", "\x80", "\u00ff", "世"} {
			texts = append(texts, strings.Repeat("x", at)+odd+strings.Repeat("y", 19-at))
		}
	}
	for _, text := range texts {
		for _, e := range laidEvents(Base{}, nil, text, text) {
			laidAsGeneral(t, e)
		}
	}
	for _, b := range bases {
		for _, tag := range []*string{nil, &none, &owner} {
			for _, e := range laidEvents(b, tag, "id", "delta") {
				laidAsGeneral(t, e)
			}
		}
	}
	for _, e := range []Event{
		(*TextMessageContent)(nil), (*ToolCallArgs)(nil), (*ReasoningMessageContent)(nil), (*TextMessageEnd)(nil),
		(*ToolCallEnd)(nil), (*ReasoningMessageEnd)(nil), (*ReasoningStart)(nil), (*ReasoningEnd)(nil),
	} {
		laidAsGeneral(t, e)
	}
}

// TestLaidNeedOneAllocation holds the frequent events to the size that is guessed.
func TestLaidNeedOneAllocation(t *testing.T) {
	owner := "8f14e45f-ceea-467f-a8b1-0d6b3d5c2f10"
	for _, text := range []string{"", " the", strings.Repeat("a word ", 30), `{"to":"ann@example.com","subject":"Invoice of March"}`} {
		for _, tag := range []*string{nil, &owner} {
			for _, e := range laidEvents(Base{Timestamp: 1764000000000000}, tag, "6f0c2f8e-6f0e-4a38-8f6c-0a1b2c3d4e5f", text) {
				if _, args := e.(*ToolCallArgs); !args && strings.Contains(text, `"`) {
					continue
				}
				if n := testing.AllocsPerRun(10, func() { benchBytes, _ = Encode(e) }); n > 1 {
					t.Errorf("%T of %q is encoded in %v allocations", e, text, n)
				}
			}
		}
	}
}

func FuzzLaidIsGeneral(f *testing.F) {
	f.Add("m", "a\"\\\x00é\xff", int64(1764000000000), "", "", "", false)
	f.Add("\xe4\xb8", "日本語 text that is long enough\n", int64(1)<<53, "null", `{"k":1}`, "more", true)
	f.Fuzz(func(t *testing.T, id, delta string, at int64, raw, value, name string, tagged bool) {
		b := Base{Timestamp: at}
		if raw != "" {
			b.RawEvent = Any(raw)
		}
		if value != "" {
			b.Metadata = Metadata{name: json.RawMessage(value)}
		} else if name != "" {
			b.Extra = map[string]json.RawMessage{name: json.RawMessage("1")}
		}
		var tag *string
		if tagged {
			tag = &name
		}
		for _, e := range laidEvents(b, tag, id, delta) {
			laidAsGeneral(t, e)
		}
	})
}
