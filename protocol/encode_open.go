package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aguiws/aguiws/protocol/internal/wire"
)

// appendExtra appends the members that were kept, in the order of their names.
func appendExtra(dst []byte, s *shape, m *members, extra map[string]json.RawMessage) ([]byte, error) {
	var err error
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if m.stands(name) || s.event && strings.EqualFold(name, "type") {
			return dst, fmt.Errorf("extra member %q stands for a known one", name)
		}
		dst = append(wire.AppendString(append(dst, ','), name), ':')
		if dst, err = appendOpen(dst, extra[name]); err != nil {
			return dst, fmt.Errorf("%s: %w", name, err)
		}
	}
	return dst, nil
}

func appendMetadata(dst []byte, m Metadata) ([]byte, error) {
	var err error
	dst = append(dst, '{')
	for i, name := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(wire.AppendString(dst, name), ':')
		if dst, err = appendOpen(dst, m[name]); err != nil {
			return dst, fmt.Errorf("%s: %w", name, err)
		}
	}
	return append(dst, '}'), nil
}

// appendOpen appends any JSON, null for nothing. It refuses what Decode would:
// what is written here is read again, by ourselves first of all.
func appendOpen(dst []byte, raw []byte) ([]byte, error) {
	if len(raw) == 0 {
		return append(dst, null...), nil
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
		r := wire.Reader{Data: out[len(dst):]}
		r.Open()
		if err := r.Err(); err != nil {
			return dst, err
		}
	}
	return out, nil
}

func appendObject(dst []byte, raw []byte) ([]byte, error) {
	if raw = bytes.TrimLeft(raw, " \t\r\n"); len(raw) == 0 || raw[0] != '{' {
		return dst, errors.New("must be an object")
	}
	return appendOpen(dst, raw)
}

func appendPatch(dst []byte, raw []byte) ([]byte, error) {
	if err := wire.CheckPatch(raw); err != nil {
		return dst, err
	}
	buf := bytes.NewBuffer(dst)
	err := json.Compact(buf, raw)
	return buf.Bytes(), err
}
