package wire

import "slices"

// Word is Unquote for a token that may well be one of the words.
func (r *Reader) Word(token []byte) string {
	if len(token) <= LongestWord+2 {
		if known, ok := r.Words[string(token[1:len(token)-1])]; ok {
			return known
		}
	}
	return Unquote(token)
}

// Lookup finds a string member of the object that begins here.
func (r *Reader) Lookup(name string) (text string, found, isString bool) {
	switch token := r.Find(name); {
	case token == nil:
		return "", false, false
	case token[0] != '"':
		return "", true, false
	default:
		return r.Word(token), true, true
	}
}

// Find returns the value of a member of the object that begins here, nil if it has none. It
// returns no more than the beginning of an object or an array.
func (r *Reader) Find(name string) []byte {
	ahead := Reader{Data: r.Data, Pos: r.Pos}
	ahead.Pos++
	for key := ahead.NextMember(); key != nil; key = ahead.NextMember() {
		if string(key[1:len(key)-1]) == name || slices.Contains(key, '\\') && Unquote(key) == name {
			return ahead.Token()
		}
		if c := ahead.Data[ahead.Pos]; c == '{' || c == '[' {
			ahead.Pos = len(ahead.Data) - len(SkipValue(ahead.Data[ahead.Pos:]))
		} else {
			ahead.Token()
		}
	}
	return nil
}
