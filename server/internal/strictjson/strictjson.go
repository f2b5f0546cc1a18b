// Package strictjson reads objects that strangers send. encoding/json takes the
// last of two members of one name and recurses as deep as it is led; what was
// checked would not be what is kept.
package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
)

const (
	// MaxDepth is how deep arrays and objects may be nested.
	MaxDepth = 128
	// MaxName bounds the id of a thread or a run, in bytes.
	MaxName = 1024
	// NameRule is what errors say of such an id.
	NameRule = `1 to 1024 bytes of UTF-8, and is not ".", ".." or "/", which no URL can carry`
)

// Error says why an object is not taken. Twice: two of its members have one name;
// else it is no object, or none that may be read.
type Error struct {
	Message string
	Twice   bool
}

func (e *Error) Error() string { return e.Message }

// Members returns the members of the object that data is, without copying
// them. Two members of one name are refused, and so is deep nesting, before
// anything recursive reads the document.
func Members(data []byte) (map[string]json.RawMessage, *Error) {
	data = bytes.Trim(data, " \t\r\n")
	if !json.Valid(data) {
		return nil, NoObject()
	}
	return ValidMembers(data)
}

// NoObject is the error for what is no JSON object.
func NoObject() *Error { return &Error{Message: "expected one JSON object"} }

// ValidMembers is Members for what is known to be valid JSON without space around it.
func ValidMembers(data []byte) (map[string]json.RawMessage, *Error) {
	if len(data) == 0 || data[0] != '{' {
		return nil, NoObject()
	}
	members := map[string]json.RawMessage{}
	depth, start, name, valued := 0, -1, "", false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; c {
		case '"':
			begin := i
			for i++; data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
			if depth == 1 && !valued {
				name, _ = Text(data[begin : i+1])
			}
		case ':':
			if depth == 1 {
				valued, start = true, i+1
			}
		case '{', '[':
			if depth++; depth > MaxDepth {
				return nil, &Error{Message: fmt.Sprintf("nested deeper than %d", MaxDepth)}
			}
		case '}', ']', ',':
			if depth == 1 && valued {
				if _, again := members[name]; again {
					return nil, &Error{Message: fmt.Sprintf("the member %.64q appears twice", name), Twice: true}
				}
				members[name] = json.RawMessage(bytes.TrimSpace(data[start:i]))
				valued = false
			}
			if c != ',' {
				depth--
			}
		}
	}
	return members, nil
}

// Text is the string that data is, if it is one.
func Text(data json.RawMessage) (string, bool) {
	var s *string
	if len(data) == 0 || json.Unmarshal(data, &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}

// IsName reports whether a thread or a run can have that id. Clients and proxies take "."
// and ".." out of a URL, percent-encoded ones too, so that nobody would reach it; net/http takes "/" for no segment of a path.
func IsName(s string) bool {
	return s != "" && s != "." && s != ".." && s != "/" && len(s) <= MaxName
}
