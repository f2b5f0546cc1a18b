package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
)

// show tells a question. What it says is the agent's, and made harmless to a
// terminal.
func show(w io.Writer, q question) {
	fmt.Fprintf(w, "%s  thread %s, since %s\n", q.Interrupt.ID, printable(q.thread.Thread), q.thread.Since.Local().Format(time.DateTime))
	if text := cmp.Or(client.QuestionText(q.Interrupt), q.Interrupt.Message); text != "" {
		fmt.Fprintf(w, "  %s\n", printable(text))
	}
	if q.Call != nil {
		fmt.Fprintf(w, "  it would call %s %s\n", printable(q.Call.Name), printable(q.Call.Arguments))
	}
	switch ways := client.AnswersTo(q.Interrupt); {
	case ways.Otherwise == client.AnyAnswer:
		fmt.Fprintln(w, "  it takes any text and any JSON")
	case ways.Otherwise == client.ObjectAnswer:
		fmt.Fprintln(w, "  it takes any JSON object")
	case ways.Otherwise == client.SchemaAnswer && q.Interrupt.Reason != protocol.ReasonToolCall:
		fmt.Fprintf(w, "  it takes JSON that fits %s\n", printable(string(q.Interrupt.ResponseSchema)))
	}
	if q.Stale {
		fmt.Fprintln(w, "  it has expired, and can only be cancelled")
	}
	if q.Draft != nil {
		fmt.Fprintln(w, "  it has an answer, which waits for those to the thread's others")
	}
}

// printable has no character in it that moves a cursor, changes colours, or
// turns the order of what is read.
func printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// prompt asks about one question after the other, until there is none left or
// input ends.
func prompt(ctx context.Context, in *client.Inbox, questions []question, lines *bufio.Scanner, w io.Writer) error {
	for i, q := range questions {
		fmt.Fprintf(w, "\n%d of %d: ", i+1, len(questions))
		show(w, q)
		for {
			d, over, ok := ask(q, lines, w)
			if over {
				fmt.Fprintln(w)
				return lines.Err()
			}
			if !ok {
				break
			}
			// What is refused is said, and asked again.
			if err := decide(ctx, in, questions, d, w); err == nil {
				break
			} else if ctx.Err() != nil {
				return ctx.Err()
			} else {
				fmt.Fprintf(w, "  %s\n", printable(err.Error()))
			}
		}
	}
	return nil
}

// ask asks for one answer. over: nothing more is to be asked; not ok: this
// question is passed over.
func ask(q question, lines *bufio.Scanner, w io.Writer) (d decision, over, ok bool) {
	ways := waysOf(q)
	for {
		for _, each := range ways {
			fmt.Fprintf(w, "  %s  %s\n", each.key, printable(each.words))
		}
		key, more := line(lines, w, "  s  skip\n  q  quit\n  > ")
		if !more || key == "q" {
			return decision{}, true, false
		}
		if key == "s" {
			return decision{}, false, false
		}
		at := slices.IndexFunc(ways, func(each way) bool { return each.key == key })
		if at < 0 {
			continue
		}
		chosen := ways[at]
		if chosen.asks != "" {
			text, more := line(lines, w, "  "+chosen.asks+", on one line: ")
			if !more {
				return decision{}, true, false
			}
			if chosen.decision.payload, more = chosen.read(text); !more {
				fmt.Fprintln(w, "  that is no JSON")
				continue
			}
		}
		return chosen.decision, false, true
	}
}

func line(lines *bufio.Scanner, w io.Writer, prompt string) (text string, more bool) {
	fmt.Fprint(w, prompt)
	if !lines.Scan() {
		return "", false
	}
	return strings.TrimSpace(lines.Text()), true
}
