// Command inbox-cli lists what agents wait for, and answers it, from a terminal
// or from a script.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	asks := terminal(os.Stdin) && terminal(os.Stdout)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, asks)
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "inbox-cli:", err)
		os.Exit(1)
	}
}

// terminal reports whether somebody may sit before a file.
func terminal(f *os.File) bool {
	about, err := f.Stat()
	return err == nil && about.Mode()&os.ModeCharDevice != 0
}

// run does what the arguments say. asks: somebody can be asked.
func run(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer, asks bool) error {
	flags := flag.NewFlagSet("inbox-cli", flag.ContinueOnError)
	url := flags.String("url", "http://127.0.0.1:8080", "address of the server")
	tokenFile := flags.String("token-file", "", "file with a bearer token, where the server wants one")
	list := flags.Bool("list", false, "list only, also in a terminal")
	approve := flags.String("approve", "", "say yes to the question with this id")
	decline := flags.String("decline", "", "say no to it")
	answer := flags.String("answer", "", "answer it with the JSON of --with")
	with := flags.String("with", "", "JSON for --answer")
	cancel := flags.String("cancel", "", "take it back unanswered")
	if err := flags.Parse(args); err != nil {
		return err
	}
	opts := &client.Options{}
	if *tokenFile != "" {
		token, err := os.ReadFile(*tokenFile)
		if err != nil {
			return err
		}
		opts.Token = strings.TrimSpace(string(token))
	}
	in := client.NewInbox(*url, opts)
	questions, err := open(ctx, in)
	if err != nil {
		return err
	}

	var given []decision
	for _, d := range []decision{
		{id: *approve, means: "yes"},
		{id: *decline, means: "no"},
		{id: *answer, payload: *with},
		{id: *cancel, cancel: true},
	} {
		if d.id != "" {
			given = append(given, d)
		}
	}
	switch {
	case len(given) > 1:
		return errors.New("--approve, --decline, --answer and --cancel are one answer each: give one of them")
	case *answer != "" && !json.Valid([]byte(*with)):
		return fmt.Errorf("--answer wants JSON: --with %q is none; a text stands in quotes, as in --with '\"text\"'", *with)
	case len(given) == 1:
		return decide(ctx, in, questions, given[0], stdout)
	case len(questions) == 0:
		fmt.Fprintln(stdout, "Nobody waits for an answer.")
		return nil
	case *list || !asks:
		for _, q := range questions {
			show(stdout, q)
		}
		return nil
	}
	return prompt(ctx, in, questions, bufio.NewScanner(stdin), stdout)
}

// question is an open interrupt, and the thread that waits for its answer.
type question struct {
	client.OpenInterrupt
	thread client.Waiting
}

// open are all questions, those of the threads that have waited longest first.
func open(ctx context.Context, in *client.Inbox) (questions []question, err error) {
	for thread, err := range in.Waiting(ctx, client.InboxQuery{}) {
		if err != nil {
			return nil, err
		}
		for _, i := range thread.Interrupts {
			questions = append(questions, question{i, thread})
		}
	}
	return questions, nil
}

// decision is an answer to the question with an id.
type decision struct {
	id      string
	payload string // JSON; "": none
	means   string // "yes" or "no": the payload is what the question takes for that
	cancel  bool   // it is withdrawn
}

// entry is what a decision answers to the question.
func (d decision) entry(q question) (protocol.ResumeEntry, error) {
	if d.cancel {
		return client.Withdraw(q.Interrupt), nil
	}
	if d.means != "" {
		choice := client.AnswersTo(q.Interrupt).Choice(d.means)
		if choice == nil {
			return protocol.ResumeEntry{}, fmt.Errorf("the question takes no plain %s: answer it with --answer, or --cancel it", d.means)
		}
		d.payload = choice.Payload
	}
	return client.Resolve(q.Interrupt, d.payload), nil
}

func decide(ctx context.Context, in *client.Inbox, questions []question, d decision, stdout io.Writer) error {
	for _, q := range questions {
		if q.Interrupt.ID != d.id {
			continue
		}
		entry, err := d.entry(q)
		if err != nil {
			return err
		}
		missing, err := in.Answer(ctx, q.thread, entry)
		if err != nil {
			return err
		}
		if len(missing) > 0 {
			fmt.Fprintf(stdout, "Kept. The thread goes on when %d more are answered.\n", len(missing))
		} else {
			fmt.Fprintln(stdout, "Answered.")
		}
		return nil
	}
	return fmt.Errorf("no question with the id %q is open", d.id)
}
