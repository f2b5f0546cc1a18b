package protocol

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

// DecodeError says why a document is not what it should be. It names up to
// MaxProblems places.
type DecodeError struct {
	Problems []Problem
}

// MaxProblems is how many problems a document is told at once.
const MaxProblems = 20

// maxLine bounds a message and a pointer, in bytes: they quote what somebody sent.
const maxLine = 200

// ProblemList gathers problems for whoever sent a document. However many there are and
// whatever they quote, it is MaxProblems of a line each: where there are more, the last
// says so.
type ProblemList struct {
	problems []Problem
	more     bool
}

// Add appends a problem. A message is cut to a Line, and a pointer to the innermost
// place around it that fits.
func (l *ProblemList) Add(p Problem) {
	if len(l.problems) == MaxProblems {
		l.more = true
		return
	}
	l.problems = append(l.problems, Problem{Pointer: around(p.Pointer), Message: Line(p.Message)})
}

// Full reports that nothing would change by what is added.
func (l *ProblemList) Full() bool { return l.more }

// List returns the problems, nil without one.
func (l *ProblemList) List() []Problem {
	if !l.more {
		return l.problems
	}
	return append(slices.Clone(l.problems[:MaxProblems-1]), Problem{Message: "and more"})
}

// Line cuts a text to one line of UTF-8, of 200 bytes at most.
func Line(s string) string {
	cut := len(s) > maxLine
	if cut {
		s = s[:maxLine-len("…")]
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
	if len(pointer) > maxLine {
		pointer = pointer[:strings.LastIndexByte(pointer[:maxLine+1], '/')]
	}
	return strings.ToValidUTF8(pointer, "\uFFFD")
}

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
	var l ProblemList
	l.Add(Problem{Pointer: pointer, Message: fmt.Sprintf(format, args...)})
	return &DecodeError{Problems: l.List()}
}
