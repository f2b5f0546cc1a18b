package canonical

import (
	"bytes"
	"strconv"
)

// piece is up to how many bytes are transformed at once. The library builds a tree of
// what it is given, which of an array of numbers is a hundred times its text.
var piece = 64 << 10

// markArray is what a string begins with that stands for a long array.
const markArray = 'a'

// transform writes a valid value as the library does, long arrays in pieces.
func transform(value []byte) ([]byte, error) {
	value = bytes.Trim(value, " \t\r\n")
	switch {
	case len(value) <= piece:
		return transformWhole(value)
	case value[0] == '[':
		return transformArray(value)
	case value[0] == '{':
		return transformObject(value)
	default:
		return transformWhole(value)
	}
}

func transformArray(array []byte) ([]byte, error) {
	out := make([]byte, 1, len(array))
	out[0] = '['
	for i := next(array, 1); array[i] != ']'; {
		end := skip(array, i)
		each := array[i:end]
		write := transform
		if len(each) <= piece { // and those behind it that fit
			write = transformWhole
			for at := next(array, end); array[at] == ','; at = next(array, end) {
				more := skip(array, next(array, at+1))
				if more-i > piece {
					break
				}
				end = more
			}
			each = array[i:end]
		}
		text, err := write(each)
		if err != nil {
			return nil, err
		}
		out = append(out, text...)
		if i = next(array, end); array[i] == ',' {
			out = append(out, ',')
			i = next(array, i+1)
		}
	}
	return append(out, ']'), nil
}

// transformObject lets strings stand for the long arrays in an object.
func transformObject(object []byte) ([]byte, error) {
	var arrays [][]byte
	out := make([]byte, 0, piece)
	checked := 0 // up to here no array is long
	for i := 0; i < len(object); {
		end := i + 1
		switch object[i] {
		case '"':
			end = skip(object, i)
			if at := next(object, end); at < len(object) && object[at] == ':' {
				out = append(out, object[i:end]...)
			} else {
				out = append(append(out, '"', markText), object[i+1:end]...)
			}
			i = end
			continue
		case '[':
			if i < checked {
				break
			}
			if checked = skip(object, i); checked-i > piece {
				end = checked
				out = append(strconv.AppendInt(append(out, '"', markArray), int64(len(arrays)), 10), '"')
				arrays = append(arrays, object[i:end])
				i = end
				continue
			}
		}
		out = append(out, object[i])
		i = end
	}
	if arrays == nil {
		return transformWhole(object)
	}
	short, err := transformWhole(out)
	if err != nil {
		return nil, err
	}
	whole := rewrite(short, func(out, token []byte) []byte {
		switch {
		case token[0] != '"':
			return append(out, token...)
		case token[1] == markText:
			return append(append(out, '"'), token[2:]...)
		}
		n, _ := strconv.Atoi(string(token[2 : len(token)-1]))
		array, bad := transform(arrays[n])
		if bad != nil {
			err = bad
		}
		return append(out, array...)
	})
	if err != nil {
		return nil, err
	}
	return whole, nil
}

// next is the first position from i on that is no space.
func next(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n') {
		i++
	}
	return i
}

// skip is the position behind the value that begins at i, of valid JSON.
func skip(text []byte, i int) int {
	for depth := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth == 0 {
				return i // behind a number or a name in an array or object
			}
			depth--
		case ',', ':', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
			continue
		default:
			continue
		}
		if depth == 0 {
			return i + 1
		}
	}
	return i
}
