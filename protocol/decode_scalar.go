package protocol

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/protocol/internal/wire"
)

// string reads a string, checked against the shape's enumeration.
func (r *reader) string(s *shape, v reflect.Value) {
	if !r.Want('"', "a string") {
		return
	}
	text := r.Word(r.Token())
	if s.enum != nil && !slices.Contains(s.enum, text) {
		r.Fail("expected one of %s, found %q", strings.Join(s.enum, ", "), text)
		return
	}
	if v.IsValid() {
		v.SetString(text)
	}
}

// integer accepts every spelling of an integer that JavaScript holds exactly.
func (r *reader) integer(s *shape, v reflect.Value) {
	if r.Peek() != "a number" {
		r.Want(0, "an integer")
		return
	}
	token := string(r.Token())
	n, err := strconv.ParseInt(token, 10, 64)
	if err != nil {
		f, ferr := strconv.ParseFloat(token, 64)
		if ferr != nil || f != float64(int64(f)) {
			r.Fail("expected an integer, found %s", token)
			return
		}
		n = int64(f)
	}
	if n > wire.MaxInteger || n < wire.MinInteger || s.count && n < 0 {
		r.Fail("%s is out of range", token)
		return
	}
	if v.IsValid() {
		v.SetInt(n)
	}
}
