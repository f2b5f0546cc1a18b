package wire

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const hex = "0123456789abcdef"

// AppendString appends s as a JSON string. Only what JSON requires is escaped;
// bytes that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	done, i := 0, 0
	for i < len(s) {
		c := s[i]
		if c < utf8.RuneSelf && len(s)-i >= 8 && Plain8(s[i:i+8]) {
			i += 8
			continue
		}
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[done:i]...), "\uFFFD"...)
				done = i + 1
			}
			i += n
			continue
		}
		dst = append(dst, s[done:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		done = i
	}
	return append(append(dst, s[done:]...), '"')
}

// Plain8 reports whether eight bytes stand for themselves in a JSON string: ASCII, no
// control, no quote, no backslash. They are looked at as one number, of whose bytes the
// top bits tell: subtracting borrows from a byte only where one below it told already.
func Plain8[text string | []byte](s text) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	_ = s[7]
	x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	quote, backslash := x^('"'*ones), x^('\\'*ones)
	return (x|(x-' '*ones)|(quote-ones)|(backslash-ones))&tops == 0
}

// Unquote returns the text of a JSON string that is known to be one. Half a
// surrogate pair becomes U+FFFD.
func Unquote(token []byte) string {
	rest := token[1 : len(token)-1]
	i := bytes.IndexByte(rest, '\\')
	if i < 0 {
		return string(rest)
	}
	var b strings.Builder
	b.Grow(len(rest))
	for ; i >= 0; i = bytes.IndexByte(rest, '\\') {
		b.Write(rest[:i])
		escape := rest[i+1]
		rest = rest[i+2:]
		if escape != 'u' {
			b.WriteByte(escaped[escape])
			continue
		}
		r := HexRune(rest)
		rest = rest[4:]
		if utf16.IsSurrogate(r) {
			whole := rune(utf8.RuneError)
			if bytes.HasPrefix(rest, []byte(`\u`)) {
				whole = utf16.DecodeRune(r, HexRune(rest[2:]))
			}
			if r = whole; whole != utf8.RuneError {
				rest = rest[6:]
			}
		}
		b.WriteRune(r)
	}
	b.Write(rest)
	return b.String()
}

var escaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// HexRune is the unit of UTF-16 that four digits stand for.
func HexRune(digits []byte) (r rune) {
	for _, c := range digits[:4] {
		switch {
		case c <= '9':
			c -= '0'
		case c <= 'F':
			c -= 'A' - 10
		default:
			c -= 'a' - 10
		}
		r = r<<4 | rune(c)
	}
	return r
}

// AfterEncoded is where a string has ended that begins at a place, if AppendString has written
// it; -1: it has not. Nothing has to be known of what is read.
func AfterEncoded(data []byte, i int) int {
	if i >= len(data) || data[i] != '"' {
		return -1
	}
	for i++; i < len(data); {
		for len(data)-i >= 32 && plain32(data[i:i+32]) {
			i += 32
		}
		if len(data)-i >= 8 {
			stops := stops8(data[i:i+8]) | binary.LittleEndian.Uint64(data[i:])&0x8080808080808080
			if stops == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(stops) / 8
		}
		switch c := data[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			n := afterEscape(data[i+1:])
			if n == 0 {
				return -1
			}
			i += 1 + n
		case c < ' ':
			return -1
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && n == 1 {
				return -1
			}
			i += n
		}
	}
	return -1
}

// afterEscape is how long what stands behind a backslash is; 0: AppendString does not write it.
func afterEscape(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	switch c := text[0]; c {
	case '"', '\\', 'n', 'r', 't':
		return 1
	case 'u':
		if len(text) < 5 || text[1] != '0' || text[2] != '0' || text[3] != '0' && text[3] != '1' {
			return 0
		}
		low := bytes.IndexByte([]byte(hex), text[4])
		if r := rune(text[3]-'0')<<4 | rune(low); low < 0 || r == '\n' || r == '\r' || r == '\t' {
			return 0
		}
		return 5
	}
	return 0
}
