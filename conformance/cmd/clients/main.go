// Command clients keeps the table of other people's clients in conformance/CLIENTS.md
// true. The lanes say what they have shown, each test for the client, the version and
// the feature that it is about, in the file that AGUIWS_SHOWN names:
//
//	AGUIWS_SHOWN=/tmp/shown.jsonl go test -count=1 ./conformance/node ./conformance/frontends/...
//	go run ./conformance/cmd/clients /tmp/shown.jsonl                  writes the table
//	go run ./conformance/cmd/clients --check node /tmp/shown.jsonl     compares, and writes nothing
//
// Written are the rows of the clients that were tried; others stay as they are. A check
// fails where what was shown is not what the table says, and where a row of a lane that
// it names was not shown in full.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("clients", flag.ContinueOnError)
	flags.SetOutput(stderr)
	page := flags.String("page", "conformance/CLIENTS.md", "file that holds the table")
	check := flags.String("check", "", "write nothing, and want the rows of these `lanes` shown: names with commas")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() == 0 {
		fmt.Fprintln(stderr, "clients: name the file that the lanes have written, as AGUIWS_SHOWN told them to")
		return 2
	}
	differs, err := work(*page, *check, flags.Args(), stdout)
	if err != nil {
		fmt.Fprintln(stderr, "clients:", err)
		return 1
	}
	if len(differs) > 0 {
		fmt.Fprintf(stderr, "%s is not what the lanes have shown:\n  %s\n", *page, strings.Join(differs, "\n  "))
		return 1
	}
	return 0
}

// work compares or writes, and returns where the page is wrong.
func work(page, check string, files []string, stdout io.Writer) ([]string, error) {
	was, err := os.ReadFile(page)
	if err != nil {
		return nil, err
	}
	committed, err := readTable(was)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", page, err)
	}
	shown := table{}
	for _, file := range files {
		lines, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if err := shown.add(bytes.NewReader(lines)); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	if check != "" {
		differs := committed.compare(shown, strings.Split(check, ","))
		if len(differs) == 0 {
			fmt.Fprintf(stdout, "%s: what the lanes have shown of %d clients is what it says\n", page, len(shown))
		}
		return differs, nil
	}
	for key, cells := range shown {
		committed[key] = cells
	}
	return nil, os.WriteFile(page, committed.write(was), 0o666)
}
