// Command agui checks AG-UI servers, and documents and streams without a server.
//
//	agui test --url URL [flags]
//	agui validate [--type NAME] FILE…
//	agui verify FILE…
//
// Test holds a server to the cases of the package conformance; its README.md says
// how to use it and how to read the report, and agui test --help what the flags are.
// Validate checks each file as one document: an Event, a RunAgentInput, or any
// other definition of the schema of AG-UI 1.1, exactly. Verify reads a stream of
// events, as a JSON array or one after the other, and judges it as a producer
// is judged: every event exact, in a legal order, the last run ended.
//
// The last two print one JSON line for each file, and exit with 1 if any is not ok, with
// 2 if they were not used as above. The file "-" is standard input.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

const usage = `usage:
  agui test --url URL [flags]           does the server at URL keep to AG-UI?
  agui validate [--type NAME] FILE...   is each file an exact document?
  agui verify FILE...                   is each file a legal stream of events?
`

// run is main with its surroundings, and returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return 2
	}
	if slices.Contains([]string{"help", "-h", "-help", "--help"}, args[0]) {
		fmt.Fprint(stdout, usage)
		return 0
	}
	var judge func(data []byte) verdict
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage) }
	definition := "Event"
	switch args[0] {
	case "validate":
		flags.StringVar(&definition, "type", definition, "")
		judge = func(data []byte) verdict { return validate(definition, data) }
	case "verify":
		judge = verify
	case "test":
		return test(args[1:], stdout, stderr)
	default:
		fmt.Fprint(stderr, usage)
		return 2
	}
	if err := flags.Parse(args[1:]); err != nil {
		return usageStatus(err)
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return 2
	}
	if err := known(definition); err != nil {
		fmt.Fprintf(stderr, "agui: %v\n", err)
		return 2
	}
	status := 0
	out := json.NewEncoder(stdout)
	out.SetEscapeHTML(false)
	for _, file := range flags.Args() {
		var v verdict
		if data, err := read(file, stdin); err != nil {
			v = unreadable(args[0], err)
		} else {
			v = judge(data)
		}
		if !v.ok() {
			status = 1
		}
		if err := out.Encode(v.named(file)); err != nil {
			fmt.Fprintf(stderr, "agui: %v\n", err)
			return 2
		}
	}
	return status
}

// usageStatus is the exit status for flags that could not be read: who asks for help
// has used the command well.
func usageStatus(err error) int {
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	return 2
}

func read(file string, stdin io.Reader) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(file)
}
