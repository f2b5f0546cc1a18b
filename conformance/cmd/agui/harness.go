package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aguiws/aguiws/conformance"
)

const testUsage = `usage: agui test --url URL [flags]

Holds the server at URL to AG-UI: ws://host/agui/ws, or http://host/agui for
Server-Sent Events, or the runtimeUrl of CopilotKit with --over copilotkit.
Exits with 1 if a case failed, with 2 if nobody answers there or no case could be run.

`

// testRun is a command line of agui test.
type testRun struct {
	url, over, format, profile, cases, effects, restart, drain string
	only, levels, headers                                      list
	list, quiet                                                bool
	parallel                                                   int
	timeout                                                    time.Duration
}

// list is a flag that may be given several times, or once with commas.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Set(value string) error {
	*l = append(*l, value)
	return nil
}

func (l list) split() []string {
	return strings.FieldsFunc(l.String(), func(r rune) bool { return r == ',' || r == ' ' })
}

func (o *testRun) flags(stderr io.Writer) *flag.FlagSet {
	f := flag.NewFlagSet("test", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprint(stderr, testUsage)
		f.PrintDefaults()
	}
	f.StringVar(&o.url, "url", "", "where the server is")
	f.StringVar(&o.over, "over", "", "transports, separated by commas: binding, plain, sse, copilotkit (default: by the URL)")
	f.Var(&o.only, "case", "only cases that match, as \"interrupts/*\" or a group's name; may be repeated")
	f.Var(&o.levels, "level", "only cases of these levels: MUST, SHOULD, CONTRACT, OURS")
	f.BoolVar(&o.list, "list", false, "list the cases and end")
	f.StringVar(&o.format, "format", "text", "text, json or junit")
	f.BoolVar(&o.quiet, "quiet", false, "no progress")
	f.StringVar(&o.profile, "profile", "", "file that says what the server offers, and under which names")
	f.StringVar(&o.cases, "cases", "", "folder with more cases, *.txtar")
	f.StringVar(&o.effects, "effects", "", "file in which the agent leaves a line for each tool call")
	f.StringVar(&o.restart, "restart-cmd", "", "shell command that kills the server and starts it again")
	f.StringVar(&o.drain, "drain-cmd", "", "shell command that ends the server in an orderly way and starts it again")
	f.Var(&o.headers, "header", "header of every request, \"Name: value\"; may be repeated")
	f.IntVar(&o.parallel, "parallel", 8, "cases at once")
	f.DurationVar(&o.timeout, "timeout", defaultTimeout, "how long to wait for what must come")
	return f
}

// test is agui test; it returns the exit status.
func test(args []string, stdout, stderr io.Writer) int {
	var o testRun
	flags := o.flags(stderr)
	if err := flags.Parse(args); err != nil {
		return usageStatus(err)
	}
	complain := func(err error) int {
		fmt.Fprintf(stderr, "agui: %v\n", err)
		return 2
	}
	if flags.NArg() > 0 {
		return complain(fmt.Errorf("unexpected argument %q", flags.Arg(0)))
	}
	cases, err := o.selected()
	if err != nil {
		return complain(err)
	}
	if o.list {
		listCases(stdout, cases)
		return 0
	}
	targets, err := o.targets()
	if err != nil {
		return complain(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := answers(ctx, targets); err != nil {
		return complain(err)
	}
	report := conformance.Report{URL: o.url, Rerun: func(r conformance.Result) string { return o.rerun(r) }}
	for _, target := range targets {
		if target.Profile != nil {
			report.Name = target.Profile.Name
		}
		report.Results = append(report.Results, conformance.Run(ctx, target, cases, &conformance.Options{
			Parallel: o.parallel,
			Done: func(r conformance.Result) {
				if !o.quiet {
					conformance.Progress(stderr, r)
				}
			},
		})...)
	}
	switch o.format {
	case "json":
		err = report.WriteJSON(stdout)
	case "junit":
		err = report.WriteJUnit(stdout)
	default:
		report.WriteText(stdout)
	}
	counts := report.Counts()
	switch {
	case err != nil:
		return complain(err)
	case ctx.Err() != nil:
		return complain(fmt.Errorf("interrupted"))
	case counts.Failed > 0:
		return 1
	case counts.Passed == 0:
		return complain(fmt.Errorf("no case could be run: %d were skipped", counts.Skipped))
	}
	return 0
}

// answers sees to it that somebody is there at all.
func answers(ctx context.Context, targets []conformance.Target) error {
	ctx, cancel := context.WithTimeout(ctx, targets[0].Timeout)
	defer cancel()
	if err := targets[0].Answers(ctx); err != nil {
		return fmt.Errorf("--url %s: nobody answers there: %w", targets[0].URL, err)
	}
	return nil
}

// selected are the cases that the command line asks for.
func (o *testRun) selected() ([]*conformance.Case, error) {
	if !slices.Contains([]string{"text", "json", "junit"}, o.format) {
		return nil, fmt.Errorf("--format %q: it is text, json or junit", o.format)
	}
	cases, err := conformance.Cases()
	if err != nil {
		return nil, err
	}
	if o.cases != "" {
		files, err := filepath.Glob(filepath.Join(o.cases, "*.txtar"))
		if err != nil || len(files) == 0 {
			return nil, fmt.Errorf("--cases %s: there is no *.txtar", o.cases)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			more, err := conformance.Parse(file, text)
			if err != nil {
				return nil, err
			}
			cases = append(cases, more...)
		}
	}
	var levels []conformance.Level
	for _, level := range o.levels.split() {
		l := conformance.Level(strings.ToUpper(level))
		if !slices.Contains(conformance.Levels, l) {
			return nil, fmt.Errorf("--level %q: it is MUST, SHOULD, CONTRACT or OURS", level)
		}
		levels = append(levels, l)
	}
	for _, name := range o.only.split() {
		if named, err := conformance.Select(cases, []string{name}, nil); err != nil {
			return nil, err
		} else if len(named) == 0 {
			return nil, fmt.Errorf("--case %s: no case is named so; agui test --list lists them", name)
		}
	}
	cases, err = conformance.Select(cases, o.only.split(), levels)
	if err == nil && len(cases) == 0 {
		err = fmt.Errorf("no case that was named is of level %s", o.levels.String())
	}
	return cases, err
}

// targets are the server, once for each transport.
func (o *testRun) targets() ([]conformance.Target, error) {
	u, err := url.Parse(o.url)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("--url %q: where is the server? As ws://127.0.0.1:8080/agui/ws, or http://127.0.0.1:8080/agui", o.url)
	}
	var overs []string
	if o.over != "" {
		overs = (list{o.over}).split()
	}
	web := u.Scheme == "http" || u.Scheme == "https"
	switch {
	case !web && u.Scheme != "ws" && u.Scheme != "wss":
		return nil, fmt.Errorf("--url %q: the scheme is ws, wss, http or https", o.url)
	case overs == nil && web:
		overs = []string{conformance.SSE}
	case overs == nil:
		overs = []string{conformance.Binding, conformance.Plain}
	}
	base := conformance.Target{URL: o.url, Effects: o.effects, Timeout: o.timeout, Header: http.Header{}}
	for _, header := range o.headers {
		name, value, ok := strings.Cut(header, ":")
		if !ok {
			return nil, fmt.Errorf("--header %q: it is \"Name: value\"", header)
		}
		base.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	if o.profile != "" {
		text, err := os.ReadFile(o.profile)
		if err != nil {
			return nil, err
		}
		if base.Profile, err = conformance.ReadProfile(text); err != nil {
			return nil, err
		}
	}
	base.Restart, base.Drain = replacing(o.restart), replacing(o.drain)
	var targets []conformance.Target
	for _, over := range overs {
		if !slices.Contains(conformance.Transports, over) {
			return nil, fmt.Errorf("--over %q: it is one of %s", over, strings.Join(conformance.Transports, ", "))
		}
		if socket := over == conformance.Binding || over == conformance.Plain; socket == web {
			return nil, fmt.Errorf("--over %s does not go with %s", over, o.url)
		}
		target := base
		target.Over = over
		targets = append(targets, target)
	}
	return targets, nil
}

func listCases(w io.Writer, cases []*conformance.Case) {
	for _, c := range cases {
		over := strings.Join(c.Over, " ")
		if over == "" {
			over = "all"
		}
		fmt.Fprintf(w, "%-34s %-8s %-26s %s\n    %s\n", c.Name, c.Level, c.Rule, over, c.About)
		if len(c.Needs) > 0 {
			fmt.Fprintf(w, "    needs %s\n", strings.Join(c.Needs, ", "))
		}
	}
	fmt.Fprintf(w, "%d cases\n", len(cases))
}
