// Package problem says what is wrong with a document: which place, and why.
package problem

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Problem is one thing that is wrong with a document.
type Problem struct {
	Pointer string `json:"pointer"` // RFC 6901; empty is the whole document
	Message string `json:"message"` // what was expected, and what was found
}

// Error says why a document is not what it should be. It names up to Max places.
type Error struct {
	Problems []Problem
}

// Max is how many problems a document is told at once.
const Max = 20

// MaxLine bounds a message and a pointer, in bytes: they quote what somebody sent.
const MaxLine = 200

// List gathers problems for whoever sent a document. However many there are and
// whatever they quote, it is Max of a line each: where there are more, the last
// says so.
type List struct {
	problems []Problem
	more     bool
}

// Add appends a problem. A message is cut to a Line, and a pointer to the innermost
// place around it that fits.
func (l *List) Add(p Problem) {
	if len(l.problems) == Max {
		l.more = true
		return
	}
	l.problems = append(l.problems, Problem{Pointer: around(p.Pointer), Message: Line(p.Message)})
}

// Full reports that nothing would change by what is added.
func (l *List) Full() bool { return l.more }

// Problems returns what was added, nil without one.
func (l *List) Problems() []Problem {
	if !l.more {
		return l.problems
	}
	return append(slices.Clone(l.problems[:Max-1]), Problem{Message: "and more"})
}

// Line cuts a text to one line of UTF-8, of 200 bytes at most.
func Line(s string) string {
	cut := len(s) > MaxLine
	if cut {
		s = s[:MaxLine-len("…")]
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	if cut {
		s += "…"
	}
	return s
}

func around(pointer string) string {
	if len(pointer) > MaxLine {
		pointer = pointer[:strings.LastIndexByte(pointer[:MaxLine+1], '/')]
	}
	return strings.ToValidUTF8(pointer, "\uFFFD")
}

// Error joins the problems.
func (e *Error) Error() string {
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

// Of returns what an Error in err's chain names, nil without one.
func Of(err error) []Problem {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Problems
	}
	return nil
}

// At is the error of one problem.
func At(pointer, format string, args ...any) *Error {
	var l List
	l.Add(Problem{Pointer: pointer, Message: fmt.Sprintf(format, args...)})
	return &Error{Problems: l.Problems()}
}
