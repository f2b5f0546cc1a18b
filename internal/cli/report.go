package cli

import (
	"fmt"
	"io"
	"time"
)

// checkTimeout bounds what check waits for the network.
const checkTimeout = 15 * time.Second

type report struct {
	w                  io.Writer
	findings, failures int
}

func (r *report) say(level, subject, format string, args ...any) {
	r.findings++
	fmt.Fprintf(r.w, "%-4s  %s: %s\n", level, subject, readable(fmt.Sprintf(format, args...)))
}

// fail says each of the errors that were joined.
func (r *report) fail(subject string, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, each := range joined.Unwrap() {
			r.fail(subject, each)
		}
		return
	}
	r.failures++
	r.say("FAIL", subject, "%v", err)
}
