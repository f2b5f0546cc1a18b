package protocol

import (
	"errors"
	"fmt"
	"strings"
)

// Problem is one thing that is wrong with a document.
type Problem struct {
	Pointer string `json:"pointer"` // RFC 6901; empty is the whole document
	Message string `json:"message"` // what was expected, and what was found
}

// DecodeError says why a document is not what it should be. It names up to
// maxProblems places.
type DecodeError struct {
	Problems []Problem
}

const maxProblems = 32

// Error joins the problems.
func (e *DecodeError) Error() string {
	var b strings.Builder
	b.WriteString("protocol: ")
	for i, p := range e.Problems {
		if i > 0 {
			b.WriteString("; ")
		}
		if p.Pointer != "" {
			fmt.Fprintf(&b, "%s: ", p.Pointer)
		}
		b.WriteString(p.Message)
	}
	return b.String()
}

// Problems returns what a DecodeError in err's chain names, nil without one.
func Problems(err error) []Problem {
	if e, ok := errors.AsType[*DecodeError](err); ok {
		return e.Problems
	}
	return nil
}

func problem(pointer, format string, args ...any) *DecodeError {
	return &DecodeError{Problems: []Problem{{Pointer: pointer, Message: fmt.Sprintf(format, args...)}}}
}
