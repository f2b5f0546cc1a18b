package conformance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Report is what came of a run, for the three ways of writing it down.
type Report struct {
	URL     string
	Name    string // the profile's
	Results []Result
	// Rerun is the command line that tries one result again; nil leaves it out.
	Rerun func(Result) string
}

// Counts are results by status.
type Counts struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
	Blocked int `json:"blocked"`
}

func (c *Counts) add(s Status) {
	switch s {
	case Passed:
		c.Passed++
	case Failed:
		c.Failed++
	case Blocked:
		c.Blocked++
	default:
		c.Skipped++
	}
}

// Counts counts all results.
func (r *Report) Counts() Counts {
	var c Counts
	for _, result := range r.Results {
		c.add(result.Status)
	}
	return c
}

// Progress writes one line for a result as it comes.
func Progress(w io.Writer, r Result) {
	line := fmt.Sprintf("%-7s %-10s %-8s %s", r.Status, r.Over, r.Case.Level, r.Case.Name)
	switch r.Status {
	case Skipped, Blocked:
		line += "  (" + r.Reason + ")"
	default:
		line += fmt.Sprintf("  %d ms", r.Elapsed.Milliseconds())
	}
	fmt.Fprintln(w, line)
}

// framesShown is how much of a failure's exchange the text has; JSON has all.
const framesShown = 60

// WriteText writes the failures with their rules and exchanges, then a table by
// group.
func (r *Report) WriteText(w io.Writer) {
	for _, result := range r.Results {
		if result.Status == Failed {
			r.failure(w, result)
		}
	}
	r.table(w)
}

func (r *Report) failure(w io.Writer, result Result) {
	c := result.Case
	fmt.Fprintf(w, "\nFAILED  %s over %s\n  %s\n", c.Name, result.Over, c.About)
	for _, v := range result.Violations {
		about, _ := rule(v.Rule)
		fmt.Fprintf(w, "  %s [%s]\n    %s\n    %s\n", v.Rule, about.From, about.Title, about.Link())
		fmt.Fprintf(w, "    → %s\n", strings.ReplaceAll(v.Message, "\n", "\n      "))
		if v.Where != "" {
			fmt.Fprintf(w, "    at %s, %s\n", c.Source, v.Where)
		}
	}
	fmt.Fprintln(w, "  exchange:")
	frames := result.Frames
	if left := len(frames) - framesShown; left > 0 {
		fmt.Fprintf(w, "    … %d frames before; --format json has them\n", left)
		frames = frames[left:]
	}
	for _, f := range frames {
		fmt.Fprintf(w, "    %6d ms %s%s %s\n", f.Millis, cmp.Or(f.Client, " "), f.Dir, clip([]byte(f.Text), 400))
	}
	if r.Rerun != nil {
		fmt.Fprintf(w, "  again: %s\n", r.Rerun(result))
	}
}

func (r *Report) table(w io.Writer) {
	type row struct{ group, over string }
	counts := map[row]*Counts{}
	var order []row
	for _, result := range r.Results {
		k := row{result.Case.Group(), result.Over}
		if counts[k] == nil {
			counts[k] = &Counts{}
			order = append(order, k)
		}
		counts[k].add(result.Status)
	}
	fmt.Fprintf(w, "\n%-12s %-10s %7s %7s %7s %7s\n", "group", "over", "passed", "failed", "skipped", "blocked")
	line := func(group, over string, c Counts) {
		fmt.Fprintf(w, "%-12s %-10s %7d %7d %7d %7d\n", group, over, c.Passed, c.Failed, c.Skipped, c.Blocked)
	}
	slices.SortStableFunc(order, func(a, b row) int {
		return cmp.Compare(slices.Index(Transports, a.over), slices.Index(Transports, b.over))
	})
	for _, k := range order {
		line(k.group, k.over, *counts[k])
	}
	line("all", "", r.Counts())
	for _, level := range Levels {
		var c Counts
		for _, result := range r.Results {
			if result.Case.Level == level {
				c.add(result.Status)
			}
		}
		line(string(level), "", c)
	}
}

type jsonResult struct {
	Case       string          `json:"case"`
	Over       string          `json:"over"`
	Level      Level           `json:"level"`
	Rule       string          `json:"rule"`
	Link       string          `json:"link"`
	About      string          `json:"about"`
	Source     string          `json:"source"`
	Status     Status          `json:"status"`
	Reason     string          `json:"reason,omitzero"`
	Millis     int64           `json:"ms"`
	Violations []jsonViolation `json:"violations,omitzero"`
	Frames     []Frame         `json:"frames,omitzero"`
	Rerun      string          `json:"rerun,omitzero"`
}

type jsonViolation struct {
	Violation
	Link string `json:"link"`
}

// WriteJSON writes everything: a summary and a result for each case. Frames are
// those of failures.
func (r *Report) WriteJSON(w io.Writer) error {
	out := struct {
		URL     string       `json:"url"`
		Name    string       `json:"name,omitzero"`
		Summary Counts       `json:"summary"`
		Results []jsonResult `json:"results"`
	}{r.URL, r.Name, r.Counts(), []jsonResult{}}
	for _, result := range r.Results {
		c := result.Case
		about, _ := rule(c.Rule)
		one := jsonResult{
			Case: c.Name, Over: result.Over, Level: c.Level, Rule: c.Rule, Link: about.Link(), About: c.About, Source: c.Source,
			Status: result.Status, Reason: result.Reason, Millis: result.Elapsed.Milliseconds(),
		}
		if result.Status == Failed {
			one.Frames = result.Frames
			for _, v := range result.Violations {
				broken, _ := rule(v.Rule)
				one.Violations = append(one.Violations, jsonViolation{v, broken.Link()})
			}
			if r.Rerun != nil {
				one.Rerun = r.Rerun(result)
			}
		}
		out.Results = append(out.Results, one)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
