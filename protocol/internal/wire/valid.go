package wire

import (
	"encoding/binary"
	"math/bits"
)

// maxNesting is how deep encoding/json follows arrays and objects.
const maxNesting = 10000

// Valid is json.Valid, which looks at strings byte by byte: what is read here is
// mostly text, and whole histories of it. Like that it takes no notice of whether
// the text is UTF-8.
func Valid(data []byte) bool {
	var few [64]byte
	open := few[:0] // what closes each of those that are open
	i := afterSpace(data, 0)
	for {
		// A value, behind what is open.
		if i >= len(data) {
			return false
		}
		switch c := data[i]; c {
		case '{', '[':
			if len(open) == maxNesting {
				return false
			}
			open = append(open, c+2) // '}' is two behind '{' in ASCII, ']' behind '['
			i = afterSpace(data, i+1)
			if i < len(data) && data[i] == c+2 {
				open = open[:len(open)-1]
				i++
				break
			}
			if c == '{' {
				if i = afterName(data, i); i < 0 {
					return false
				}
			}
			continue
		case '"':
			i = afterString(data, i)
		case 't':
			i = afterWord(data, i, "true")
		case 'f':
			i = afterWord(data, i, "false")
		case 'n':
			i = afterWord(data, i, "null")
		default:
			i = afterNumber(data, i)
		}
		if i < 0 {
			return false
		}
		// A value is followed by others' ends, then by a comma or the end of all.
		for i = afterSpace(data, i); len(open) > 0; i = afterSpace(data, i) {
			if i >= len(data) {
				return false
			}
			end := open[len(open)-1]
			if data[i] == end {
				open = open[:len(open)-1]
				i++
				continue
			}
			if data[i] != ',' {
				return false
			}
			i = afterSpace(data, i+1)
			if end == '}' {
				if i = afterName(data, i); i < 0 {
					return false
				}
			}
			break
		}
		if len(open) == 0 {
			return i == len(data)
		}
	}
}

// Each of these says where what begins at i has ended; -1: it is not there.

func afterSpace(data []byte, i int) int {
	for i < len(data) && data[i] <= ' ' && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}

// afterName is after a member's name, its colon and the space behind it.
func afterName(data []byte, i int) int {
	if i >= len(data) || data[i] != '"' {
		return -1
	}
	if i = afterString(data, i); i < 0 {
		return -1
	}
	if i = afterSpace(data, i); i >= len(data) || data[i] != ':' {
		return -1
	}
	return afterSpace(data, i+1)
}

func afterString(data []byte, i int) int {
	for i++; i < len(data); {
		if len(data)-i >= 8 {
			if stops := stops8(data[i : i+8]); stops == 0 {
				i += 8
				continue
			} else {
				i += bits.TrailingZeros64(stops) / 8
			}
		}
		switch c := data[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			if i++; i >= len(data) {
				return -1
			}
			if data[i] == 'u' {
				for _, h := range data[i+1 : min(i+5, len(data))] {
					if !isHex(h) {
						return -1
					}
				}
				i += 4 // past the end where there are fewer
			} else if escaped[data[i]] == 0 {
				return -1
			}
		case c < ' ':
			return -1
		}
		i++
	}
	return -1
}

// stops8 has a bit in the lowest of eight bytes with which a string ends, or does not go on
// as it stands: a control, a quote, a backslash. Other than Plain8 it lets pass what is no
// ASCII. Above the lowest its bits mean nothing, since subtracting borrows.
func stops8(b []byte) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	x := binary.LittleEndian.Uint64(b)
	quote, backslash := x^('"'*ones), x^('\\'*ones)
	return ((x-' '*ones)&^x | (quote-ones)&^quote | (backslash-ones)&^backslash) & tops
}

// plain32 reports whether none of 32 bytes stops a string, and all are ASCII.
func plain32(b []byte) bool {
	const tops = 0x8080808080808080
	stops := marks8(b) | marks8(b[8:]) | marks8(b[16:]) | marks8(b[24:])
	return stops&tops == 0
}

// marks8 has no top bit of eight bytes if they are ASCII and none is as in stops8.
func marks8(b []byte) uint64 {
	const ones = 0x0101010101010101
	x := binary.LittleEndian.Uint64(b)
	return x | (x - ' '*ones) | ((x ^ '"'*ones) - ones) | ((x ^ '\\'*ones) - ones)
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func afterWord(data []byte, i int, word string) int {
	if len(data)-i < len(word) || string(data[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

func afterNumber(data []byte, i int) int {
	if i < len(data) && data[i] == '-' {
		i++
	}
	if i < len(data) && data[i] == '0' {
		i++
	} else if i = afterDigits(data, i); i < 0 {
		return -1
	}
	if i < len(data) && data[i] == '.' {
		if i = afterDigits(data, i+1); i < 0 {
			return -1
		}
	}
	if i < len(data) && (data[i] == 'e' || data[i] == 'E') {
		if i++; i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		return afterDigits(data, i)
	}
	return i
}

// afterDigits is after one digit or more.
func afterDigits(data []byte, i int) int {
	begin := i
	for i < len(data) && '0' <= data[i] && data[i] <= '9' {
		i++
	}
	if i == begin {
		return -1
	}
	return i
}
