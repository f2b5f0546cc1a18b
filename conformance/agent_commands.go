package conformance

import (
	"fmt"
	"strings"
)

// basic is the command without which nothing that an agent does can be told.
const basic = "say"

// showing is which commands the agent failed at, each with the case that showed it.
type showing map[string]string

func (s showing) note(r Result) {
	if r.Status == Failed {
		s[r.Case.Shows] = r.Case.Name
	}
}

// missing is why a case cannot mean anything; "" if nothing stands against it.
func (s showing) missing(c *Case) string {
	for _, need := range c.Needs {
		command, isCommand := strings.CutPrefix(need, "/")
		if !isCommand {
			continue
		}
		for _, failed := range []string{basic, command} {
			if by := s[failed]; by != "" {
				return fmt.Sprintf("%s: the agent failed at it in %s", failed, by)
			}
		}
	}
	return ""
}

// showFirst are the places of the cases that show a command, the basic one before
// all others.
func showFirst(cases []*Case) []int {
	var first, then []int
	for i, c := range cases {
		switch c.Shows {
		case "":
		case basic:
			first = append(first, i)
		default:
			then = append(then, i)
		}
	}
	return append(first, then...)
}

// blocked is the result of a case that need not be tried, and nil for others. What
// the server does not offer is skipped all the same.
func blocked(target *Target, c *Case, shown showing) *Result {
	why := shown.missing(c)
	if why == "" || target.missing(c) != "" {
		return nil
	}
	return &Result{Case: c, Over: target.Over, Status: Blocked, Reason: why}
}
