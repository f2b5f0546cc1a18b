package protocol

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

func (r *reader) isNull() bool { return r.data[r.pos] == 'n' }

// string reads a string, checked against the shape's enumeration.
func (r *reader) string(s *shape, v reflect.Value) {
	if !r.want('"', "a string") {
		return
	}
	text := word(r.token())
	if s.enum != nil && !slices.Contains(s.enum, text) {
		r.fail("expected one of %s, found %q", strings.Join(s.enum, ", "), text)
		return
	}
	if v.IsValid() {
		v.SetString(text)
	}
}

// integer accepts every spelling of an integer that JavaScript holds exactly.
func (r *reader) integer(s *shape, v reflect.Value) {
	if r.peek() != "a number" {
		r.want(0, "an integer")
		return
	}
	token := string(r.token())
	n, err := strconv.ParseInt(token, 10, 64)
	if err != nil {
		f, ferr := strconv.ParseFloat(token, 64)
		if ferr != nil || f != float64(int64(f)) {
			r.fail("expected an integer, found %s", token)
			return
		}
		n = int64(f)
	}
	if n > maxInteger || n < minInteger || s.count && n < 0 {
		r.fail("%s is out of range", token)
		return
	}
	if v.IsValid() {
		v.SetInt(n)
	}
}
