package conformance

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    string        `xml:"time,attr"`
	Skipped *junitText    `xml:"skipped"`
	Failure *junitFailure `xml:"failure"`
}

type junitText struct {
	Message string `xml:"message,attr"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the results as most build servers read them, a suite for each
// transport.
func (r *Report) WriteJUnit(w io.Writer) error {
	all := r.Counts()
	out := junitSuites{Tests: len(r.Results), Failures: all.Failed, Skipped: all.Skipped + all.Blocked}
	for _, over := range Transports {
		suite := junitSuite{Name: "agui over " + over}
		for _, result := range r.Results {
			if result.Over != over {
				continue
			}
			one := junitCase{
				Name: result.Case.Name, Class: "agui." + over + "." + result.Case.Group(),
				Time: fmt.Sprintf("%.3f", result.Elapsed.Seconds()),
			}
			suite.Tests++
			switch result.Status {
			case Skipped, Blocked:
				suite.Skipped++
				one.Skipped = &junitText{result.Reason}
			case Failed:
				suite.Failures++
				var text strings.Builder
				r.failure(&text, result)
				one.Failure = &junitFailure{result.Violations[0].Message, result.Violations[0].Rule, plainText(text.String())}
			}
			suite.Cases = append(suite.Cases, one)
		}
		if suite.Tests > 0 {
			out.Suites = append(out.Suites, suite)
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// plainText leaves out what XML cannot hold.
func plainText(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return '\uFFFD'
		}
		return r
	}, s)
}
