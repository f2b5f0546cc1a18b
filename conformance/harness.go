package conformance

import (
	"context"
	"embed"
	"fmt"
	"path"
	"sync"
	"time"
)

//go:embed cases/*.txtar
var builtIn embed.FS

// Cases returns those that come with the harness, by file and in the files' order.
func Cases() ([]*Case, error) {
	var all []*Case
	entries, err := builtIn.ReadDir("cases")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		text, err := builtIn.ReadFile("cases/" + entry.Name())
		if err != nil {
			return nil, err
		}
		cases, err := Parse("cases/"+entry.Name(), text)
		if err != nil {
			return nil, fmt.Errorf("conformance: %w", err)
		}
		all = append(all, cases...)
	}
	return all, nil
}

// Select keeps the cases whose names match any of the patterns, as path.Match
// does, and whose level is one of those named. No pattern or no level keeps all.
func Select(cases []*Case, patterns []string, levels []Level) ([]*Case, error) {
	var kept []*Case
	for _, c := range cases {
		fits := len(patterns) == 0
		for _, pattern := range patterns {
			ok, err := path.Match(pattern, c.Name)
			if err != nil {
				return nil, fmt.Errorf("conformance: the pattern %q: %w", pattern, err)
			}
			fits = fits || ok || pattern == c.Group()
		}
		right := len(levels) == 0
		for _, level := range levels {
			right = right || level == c.Level
		}
		if fits && right {
			kept = append(kept, c)
		}
	}
	return kept, nil
}

// Status is how a case ended.
type Status string

// The ends of a case.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Skipped Status = "skipped" // the server does not offer what it needs; not a pass
	Blocked Status = "blocked" // the agent failed at a command that it needs; not a pass
)

// Result is one case over one transport.
type Result struct {
	Case       *Case
	Over       string
	Status     Status
	Reason     string // why it was skipped or blocked
	Violations []Violation
	Frames     []Frame
	Elapsed    time.Duration
}

// Options of a run. The zero value: eight cases at once, nobody is told.
type Options struct {
	// Parallel is how many cases may run at once. Default 8.
	Parallel int
	// Done is told each result as it comes, one at a time.
	Done func(Result)
}

// Run holds a server to cases, and returns the results in the cases' order. Cases
// that do not apply to the transport are left out; those that the server cannot
// offer are skipped. Cases that show a command come first: when one fails, those
// that need the command are blocked, and without "say" all that give any. When ctx
// ends, what is under way fails and the rest is left out.
func Run(ctx context.Context, target Target, cases []*Case, opts *Options) []Result {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	if o.Parallel <= 0 {
		o.Parallel = 8
	}
	target.probe(ctx)
	results := make([]*Result, len(cases))
	shown := showing{}
	var mu sync.Mutex
	try := func(i int) {
		r := blocked(&target, cases[i], shown)
		if r == nil {
			r = attempt(ctx, &target, cases[i])
		}
		mu.Lock()
		defer mu.Unlock()
		results[i] = r
		if o.Done != nil {
			o.Done(*r)
		}
	}
	for _, i := range showFirst(cases) {
		if cases[i].appliesTo(target.Over) && ctx.Err() == nil {
			try(i)
			shown.note(*results[i])
		}
	}
	var running sync.WaitGroup
	places := make(chan struct{}, o.Parallel)
	for i, c := range cases {
		if results[i] != nil || !c.appliesTo(target.Over) || c.alone() {
			continue
		}
		places <- struct{}{}
		if ctx.Err() != nil {
			<-places
			break
		}
		running.Go(func() {
			defer func() { <-places }()
			try(i)
		})
	}
	running.Wait()
	for i, c := range cases {
		if results[i] == nil && c.appliesTo(target.Over) && c.alone() && ctx.Err() == nil {
			try(i)
		}
	}
	var done []Result
	for _, r := range results {
		if r != nil {
			done = append(done, *r)
		}
	}
	return done
}

func attempt(ctx context.Context, target *Target, c *Case) *Result {
	r := &Result{Case: c, Over: target.Over, Status: Passed}
	if why := target.missing(c); why != "" {
		r.Status, r.Reason = Skipped, why
		return r
	}
	start := time.Now()
	for range c.Times {
		r.Frames, r.Violations = newTrial(target, c).run(ctx)
		if len(r.Violations) > 0 {
			r.Status = Failed
			break
		}
	}
	r.Elapsed = time.Since(start)
	return r
}

func (c *Case) appliesTo(over string) bool {
	if len(c.Over) == 0 {
		return true
	}
	for _, o := range c.Over {
		if o == over {
			return true
		}
	}
	return false
}

// alone: it takes the server away from all others.
func (c *Case) alone() bool {
	if c.Alone {
		return true
	}
	for _, need := range c.Needs {
		if need == "restart" || need == "drain" {
			return true
		}
	}
	return false
}
