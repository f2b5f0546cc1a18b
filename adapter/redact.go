package adapter

import (
	"fmt"
	"strings"
)

// Redaction takes a value out of what the decision record keeps: of the arguments of a
// tool's calls, as they were shown and as somebody edited them, and of the answers to
// them.
type Redaction struct {
	Tool    string // "": every one, and answers that are about none
	Pointer string // RFC 6901
}

// String is what ParseRedaction reads.
func (r Redaction) String() string {
	if r.Tool == "" {
		return r.Pointer
	}
	return r.Tool + ":" + r.Pointer
}

// ParseRedaction reads [TOOL:]POINTER.
func ParseRedaction(text string) (Redaction, error) {
	tool, pointer := "", text
	if !strings.HasPrefix(text, "/") { // a member may be named as a tool and a pointer are written
		named := false
		tool, pointer, named = strings.Cut(text, ":/")
		if !named || tool == "" {
			return Redaction{}, fmt.Errorf("%q: expected a JSON pointer such as /password, or one into the calls of a tool, such as pay:/card/number", text)
		}
		pointer = "/" + pointer
	}
	for _, token := range strings.Split(pointer, "/") {
		if rest := strings.NewReplacer("~0", "", "~1", "").Replace(token); strings.Contains(rest, "~") {
			return Redaction{}, fmt.Errorf("%q: in a JSON pointer ~ stands before 0 or 1", text)
		}
	}
	return Redaction{tool, pointer}, nil
}
