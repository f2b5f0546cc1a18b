package canonical

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/protocol/number"
)

// Numbers that RFC 8785 cannot carry pass the library as strings. The first character of
// such a string says whether the value was a string or a number.
const (
	markText   = 's'
	markNumber = 'n'
)

// mark returns a valid value with its strings marked, and with strings in the place
// of its numbers beyond; not beyond: there is none of them.
func mark(value []byte) (marked []byte, beyond bool, err error) {
	marked = rewrite(value, func(out, token []byte) []byte {
		if token[0] == '"' {
			return append(append(out, '"', markText), token[1:]...)
		}
		text, is, bad := beyondDouble(string(token))
		if bad != nil {
			err = bad
		}
		if !is {
			return append(out, token...)
		}
		beyond = true
		return append(append(append(out, '"', markNumber), text...), '"')
	})
	return marked, beyond, err
}

func unmark(marked []byte) []byte {
	return rewrite(marked, func(out, token []byte) []byte {
		if token[0] != '"' {
			return append(out, token...)
		}
		if token[1] == markNumber {
			return append(out, token[2:len(token)-1]...)
		}
		return append(append(out, '"'), token[2:]...)
	})
}

// rewrite replaces the strings and numbers that are values, not names of members.
func rewrite(value []byte, replace func(out, token []byte) []byte) []byte {
	out := make([]byte, 0, len(value)+len(value)/8)
	for i := 0; i < len(value); {
		end := i + 1
		switch c := value[i]; {
		case c == '"':
			for value[end] != '"' {
				if value[end] == '\\' {
					end++
				}
				end++
			}
			end++
			if rest := bytes.TrimLeft(value[end:], " \t\r\n"); len(rest) > 0 && rest[0] == ':' {
				out = append(out, value[i:end]...)
			} else {
				out = replace(out, value[i:end])
			}
		case c == '-' || c >= '0' && c <= '9':
			for end < len(value) && isNumeric[value[end]] {
				end++
			}
			out = replace(out, value[i:end])
		default:
			out = append(out, c)
		}
		i = end
	}
	return out
}

var isNumeric = func() (is [256]bool) {
	for _, c := range "0123456789+-.eE" {
		is[c] = true
	}
	return is
}()

// maxPlain is how many characters a number without an exponent may have that needs no
// look: no two decimals of 15 digits share a double.
const maxPlain = 15

// beyondDouble reports whether the nearest double is written with another decimal
// value than the number has, and the text of that value.
func beyondDouble(literal string) (text string, beyond bool, err error) {
	if len(literal) <= maxPlain && !strings.ContainsAny(literal, "eE") {
		return "", false, nil
	}
	double, outside := strconv.ParseFloat(literal, 64)
	if size := math.Abs(double); outside == nil && size >= 1e-6 && size < 1e21 {
		var written [32]byte
		if string(strconv.AppendFloat(written[:0], double, 'f', -1, 64)) == literal {
			return "", false, nil // as most writers of JSON write a double
		}
	}
	text, ok := number.Exact(literal)
	if !ok {
		return "", false, fmt.Errorf("the exponent of %.40s is too large", literal)
	}
	if outside != nil {
		return text, true, nil
	}
	written, _ := number.Exact(strconv.FormatFloat(double, 'e', -1, 64))
	return text, written != text, nil
}
