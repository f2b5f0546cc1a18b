// Command bench measures this server beside what others would pick instead, in turns on
// one machine, and prints ratios as a table in Markdown:
//
//	go run ./conformance/bench                          the main rows, three rounds: four minutes
//	go run ./conformance/bench --only . --rounds 5      everything: more than an hour
//	go run ./conformance/bench --only saturated --json out.json
//	go run ./conformance/bench --only . --quick --rounds 1
//	go run ./conformance/bench --only . --list          the rows, and what each is measured against
//
// Each sample has a redis-server, servers and clients of its own, as processes, and ends
// them. A ratio is of two samples of one round, ours to the other's; what is shown is the
// least, the median and the largest of all rounds, so that a machine which does something
// else meanwhile is seen. CPU of a server is getrusage of its process, that of Redis is
// INFO's, and "others" is the share of the machine that neither they nor the clients used. The
// table marks a row in which it was more than a tenth.
//
// Rivals are bare coder/websocket with a write an event and no store, centrifuge with Redis
// history, Node with @ag-ui/encoder, and the SSE writer of AG-UI's Go SDK. Those of Go are
// modules of their own in rivals/, built first; the packages of Node are those of
// conformance/foreign/node (npm ci). What cannot be had is named as not run. The rows that
// have this server's own smaller self for a rival show how costs grow.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"
)

func main() {
	if kind := os.Getenv(roleVariable); kind != "" {
		if err := play(kind, os.Args[1:]); err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", kind, err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("only", mainRows, "rows whose name matches this `regexp`")
	rounds := flags.Int("rounds", 3, "how often each is measured")
	quick := flags.Bool("quick", false, "a tenth of the work: shows that it goes, and little more")
	large := flags.Bool("large", false, "threads of 50,000 messages too")
	list := flags.Bool("list", false, "list the rows and measure nothing")
	file := flags.String("json", "", "`file` for all samples, in JSON")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	match, err := regexp.Compile(*only)
	if err != nil || flags.NArg() > 0 || *rounds < 1 {
		fmt.Fprintln(stderr, "bench: --only is a regexp, --rounds is 1 at least, and there are no arguments", err)
		return 2
	}
	all := plan{quick: *quick, large: *large}
	rows, samples := all.choose(match)
	if len(rows) == 0 {
		fmt.Fprintf(stderr, "bench: no row matches %s\n", *only)
		return 2
	}
	if *list {
		for _, r := range rows {
			fmt.Fprintf(stdout, "%-44s %s / %s\n", r.name, r.ours, r.rival)
		}
		return 0
	}
	b, err := prepare(ctx, samples, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	defer b.close()
	began := time.Now()
	got := results{}
	notRun := map[string]string{}
	for round := range *rounds {
		for _, s := range samples {
			if ctx.Err() != nil {
				return 1
			}
			if s.needs != "" && b.missing[s.needs] != "" {
				notRun[s.name] = b.missing[s.needs]
				continue
			}
			busy := machine()
			t := time.Now()
			cases, err := s.take(ctx, b)
			if err != nil {
				fmt.Fprintf(stderr, "%d %s: %v\n", round+1, s.name, err)
				notRun[s.name] = err.Error()
				continue
			}
			for name, f := range cases {
				got.add(name, round, f)
			}
			fmt.Fprintf(stderr, "%d/%d %-28s %5.1f s, the machine was busy %3.0f %%\n", round+1, *rounds, s.name, time.Since(t).Seconds(), 100*machine().since(busy))
		}
	}
	lines := compare(rows, got)
	table(stdout, lines)
	for _, s := range samples {
		if why := notRun[s.name]; why != "" {
			fmt.Fprintf(stdout, "not run: %s: %s\n", s.name, why)
		}
	}
	if *file != "" {
		text, err := json.MarshalIndent(map[string]any{
			"command": "go run ./conformance/bench " + strings.Join(args, " "), "at": began.UTC().Format(time.RFC3339),
			"machine": about(), "rounds": *rounds, "rows": lines, "samples": got, "notRun": notRun}, "", " ")
		if err == nil {
			err = os.WriteFile(*file, append(text, '\n'), 0o644)
		}
		if err != nil {
			fmt.Fprintln(stderr, "bench:", err)
			return 1
		}
	}
	if len(got) == 0 {
		return 1
	}
	return 0
}

// about is what the figures depend on.
func about() map[string]any {
	first := func(name string, args ...string) string {
		out, _ := exec.Command(name, args...).Output()
		line, _, _ := strings.Cut(string(out), "\n")
		return line
	}
	return map[string]any{"processors": runtime.NumCPU(), "go": runtime.Version(), "os": runtime.GOOS + "/" + runtime.GOARCH,
		"redis": first("redis-server", "--version"), "node": first("node", "--version")}
}
