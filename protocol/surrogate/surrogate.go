// Package surrogate mends JSON strings that were cut within a character.
package surrogate

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/aguiws/aguiws/protocol/internal/wire"
)

// JSON strings are UTF-16, and programs that cut them by length put the two halves of a
// character beyond U+FFFF into two deltas. UTF-8 has no form for half a character: a delta
// that begins or ends with one holds it as the three bytes that UTF-8 would give it.

const (
	halfBytes  = 3 // of a half in a string
	halfEscape = len(`\ud83d`)
	lone       = string(utf8.RuneError)
)

// Half joins what the deltas of one item say: it keeps the half of a character that a delta
// ends with until the next delta brings the other half. The zero value is ready.
type Half struct{ high rune } // 0: none is kept

// Join returns the delta as it is to be told: with the half that was kept before it, and
// without the half that it ends with. A half that finds no other half becomes U+FFFD.
func (h *Half) Join(delta string) string {
	if delta == "" || h.high == 0 && !Torn(delta) {
		return delta
	}
	before := ""
	if h.high != 0 {
		before = lone
	}
	if low, ok := lowAtStart(delta); ok {
		before, delta = lone, delta[halfBytes:]
		if h.high != 0 {
			before = string(utf16.DecodeRune(h.high, low))
		}
	}
	high, ok := highAtEnd(delta)
	if h.high = 0; ok {
		h.high, delta = high, delta[:len(delta)-halfBytes]
	}
	return before + delta
}

// Kept reports whether a half waits for the next delta.
func (h *Half) Kept() bool { return h.high != 0 }

// Rest returns U+FFFD if a half is kept when its item ends, and forgets it.
func (h *Half) Rest() string {
	if h.high == 0 {
		return ""
	}
	h.high = 0
	return lone
}

// Torn reports whether a delta begins or ends with half of a character.
func Torn(delta string) bool {
	_, begins := lowAtStart(delta)
	_, ends := highAtEnd(delta)
	return begins || ends
}

// Unquote returns the text of a JSON string that is known to be one. Half of a
// character stays at its beginning and its end, for Half.Join; within, it becomes U+FFFD,
// and so does what is no UTF-8.
func Unquote(token []byte) string {
	inner := token[1 : len(token)-1]
	low, high := rune(0), rune(0)
	if bytes.HasPrefix(inner, []byte(`\u`)) {
		if r := wire.HexRune(inner[2:]); isLow(r) {
			low, inner = r, inner[halfEscape:]
		}
	}
	if at := len(inner) - halfEscape; at >= 0 && inner[at] == '\\' && inner[at+1] == 'u' && !escapedAt(inner, at) {
		if r := wire.HexRune(inner[at+2:]); isHigh(r) {
			high, inner = r, inner[:at]
		}
	}
	quoted := append(append(append(make([]byte, 0, len(inner)+2), '"'), inner...), '"')
	text := strings.ToValidUTF8(wire.Unquote(quoted), lone)
	if low != 0 {
		text = halfText(low) + text
	}
	if high != 0 {
		text += halfText(high)
	}
	return text
}

// escapedAt reports whether a backslash stands for itself because of those before it.
func escapedAt(text []byte, at int) bool {
	before := 0
	for at-before > 0 && text[at-before-1] == '\\' {
		before++
	}
	return before%2 == 1
}

// Mend returns a JSON text with U+FFFD in the place of each half that stands alone in
// its string. A text without one is returned as it is; what is no JSON may be too.
func Mend(text []byte) []byte {
	at := NextLone(text, 0)
	if at < 0 {
		return text
	}
	mended := bytes.Clone(text)
	for ; at >= 0; at = NextLone(text, at+halfEscape) {
		copy(mended[at:], `\ufffd`)
	}
	return mended
}

// NextLone says where the next escape of a half that stands alone is; -1: there is none.
func NextLone(text []byte, at int) int {
	for {
		n := bytes.IndexByte(text[at:], '\\')
		if at += n; n < 0 || at+halfEscape > len(text) {
			return -1
		}
		if text[at+1] != 'u' {
			at += 2
			continue
		}
		r, next := wire.HexRune(text[at+2:]), at+halfEscape
		if !utf16.IsSurrogate(r) {
			at = next
			continue
		}
		whole := isHigh(r) && next+halfEscape <= len(text) && text[next] == '\\' && text[next+1] == 'u' && isLow(wire.HexRune(text[next+2:]))
		if !whole {
			return at
		}
		at = next + halfEscape
	}
}

func isHigh(r rune) bool { return r >= 0xd800 && r < 0xdc00 }
func isLow(r rune) bool  { return r >= 0xdc00 && r < 0xe000 }

func halfText(r rune) string {
	return string([]byte{0xe0 | byte(r>>12), 0x80 | byte(r>>6)&0x3f, 0x80 | byte(r)&0x3f})
}

func halfRune(text string) rune {
	return rune(text[0]&0x0f)<<12 | rune(text[1]&0x3f)<<6 | rune(text[2]&0x3f)
}

// No character of UTF-8 has 0xed before a byte from 0xa0.
func lowAtStart(text string) (rune, bool) {
	if len(text) < halfBytes || text[0] != 0xed || text[1] < 0xb0 {
		return 0, false
	}
	return halfRune(text), true
}

func highAtEnd(text string) (rune, bool) {
	at := len(text) - halfBytes
	if at < 0 || text[at] != 0xed || text[at+1] < 0xa0 || text[at+1] >= 0xb0 {
		return 0, false
	}
	return halfRune(text[at:]), true
}
