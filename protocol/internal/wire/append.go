package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// AppendOpen appends any JSON, null for nothing. It refuses what Open would:
// what is written here is read again, by ourselves first of all.
func AppendOpen(dst []byte, raw []byte) ([]byte, error) {
	if len(raw) == 0 {
		return append(dst, "null"...), nil
	}
	if !utf8.Valid(raw) {
		return dst, errors.New("not valid UTF-8")
	}
	buf := bytes.NewBuffer(dst)
	if err := json.Compact(buf, raw); err != nil {
		return dst, err
	}
	out := buf.Bytes()
	if c := out[len(dst)]; c == '{' || c == '[' {
		r := Reader{Data: out[len(dst):]}
		r.Open()
		if err := r.Err(); err != nil {
			return dst, err
		}
	}
	return out, nil
}

// AppendObject is AppendOpen for an object.
func AppendObject(dst []byte, raw []byte) ([]byte, error) {
	if raw = bytes.TrimLeft(raw, " \t\r\n"); len(raw) == 0 || raw[0] != '{' {
		return dst, errors.New("must be an object")
	}
	return AppendOpen(dst, raw)
}

// AppendPatch is AppendOpen for a JSON Patch.
func AppendPatch(dst []byte, raw []byte) ([]byte, error) {
	if err := CheckPatch(raw); err != nil {
		return dst, err
	}
	buf := bytes.NewBuffer(dst)
	err := json.Compact(buf, raw)
	return buf.Bytes(), err
}

// Compact reports whether a JSON value has no white space outside of its strings.
func Compact(value []byte) bool {
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '"':
			i = endOfString(value, i) - 1
		case ' ', '\t', '\r', '\n':
			return false
		}
	}
	return true
}
