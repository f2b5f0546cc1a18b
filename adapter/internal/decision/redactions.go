package decision

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/adapter"
)

// redacted stands in the place of what was taken out.
const redacted = "[redacted]"

// Redactions are those of a runner.
type Redactions []adapter.Redaction

// In returns a value without what is to be taken out of what is about a tool. A value that
// is no JSON is returned as nothing if anything is to be taken out of it.
func (rs Redactions) In(tool string, value []byte) []byte { return rs.apply(tool, value, "") }

// InPayload is in for an answer, which may hold the arguments anew.
func (rs Redactions) InPayload(tool string, value []byte) []byte {
	return rs.apply(tool, value, "", "/editedArgs")
}

func (rs Redactions) apply(tool string, value []byte, at ...string) []byte {
	var pointers []string
	for _, r := range rs {
		if r.Tool == "" || r.Tool == tool {
			for _, where := range at {
				pointers = append(pointers, where+r.Pointer)
			}
		}
	}
	if len(pointers) == 0 {
		return value
	}
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber() // as they were shown
	var v any
	if !json.Valid(value) || d.Decode(&v) != nil {
		text, _ := json.Marshal(redacted)
		return text
	}
	taken := false
	for _, p := range pointers {
		taken = redact(v, strings.Split(p, "/")[1:]) || taken
	}
	if !taken {
		return value
	}
	text, err := json.Marshal(v)
	if err != nil {
		text, _ = json.Marshal(redacted)
	}
	return text
}

// redact takes what the tokens of a pointer lead to out of a value, if it is there.
func redact(v any, tokens []string) bool {
	token := strings.NewReplacer("~1", "/", "~0", "~").Replace(tokens[0])
	switch in := v.(type) {
	case map[string]any:
		inner, there := in[token]
		if !there {
			return false
		}
		if len(tokens) > 1 {
			return redact(inner, tokens[1:])
		}
		in[token] = redacted
	case []any:
		i, err := strconv.Atoi(token)
		if err != nil || i < 0 || i >= len(in) || strconv.Itoa(i) != token {
			return false
		}
		if len(tokens) > 1 {
			return redact(in[i], tokens[1:])
		}
		in[i] = redacted
	default:
		return false
	}
	return true
}
