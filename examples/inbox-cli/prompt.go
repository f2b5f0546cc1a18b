package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
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
	fmt.Fprintf(w, "  %s\n", printable(q.Interrupt.Message))
	if q.Call != nil {
		fmt.Fprintf(w, "  it would call %s %s\n", printable(q.Call.Name), printable(q.Call.Arguments))
	}
	if wantsData(q) {
		fmt.Fprintf(w, "  it wants JSON that fits %s\n", printable(string(q.Interrupt.ResponseSchema)))
	}
	if q.Stale {
		fmt.Fprintln(w, "  it has expired, and can only be cancelled")
	}
	if q.Draft != nil {
		fmt.Fprintln(w, "  it has an answer, which waits for those to the thread's others")
	}
}

// wantsData: neither yes nor no would do.
func wantsData(q question) bool {
	return q.Interrupt.Reason != protocol.ReasonToolCall && !q.Interrupt.ResponseSchema.IsZero()
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
	choices := "[a]pprove, [d]ecline, [e]dit the arguments, [c]ancel, [s]kip, [q]uit"
	switch {
	case q.Stale:
		choices = "[c]ancel, [s]kip, [q]uit"
	case wantsData(q):
		choices = "[j]son, [c]ancel, [s]kip, [q]uit"
	case q.Call == nil:
		choices = "[a]pprove, [d]ecline, [c]ancel, [s]kip, [q]uit"
	}
	for {
		choice, more := line(lines, w, "  "+choices+": ")
		if !more {
			return decision{}, true, false
		}
		if choice == "" || !strings.Contains(choices, "["+choice+"]") {
			continue
		}
		d := decision{id: q.Interrupt.ID}
		switch choice {
		case "a":
			d.payload = `{"approved":true}`
		case "d":
			d.payload = `{"approved":false}`
		case "e", "j":
			text, more := line(lines, w, "  JSON, on one line: ")
			if !more {
				return decision{}, true, false
			}
			if !json.Valid([]byte(text)) {
				fmt.Fprintln(w, "  that is no JSON")
				continue
			}
			d.payload = text
			if choice == "e" {
				d.payload = `{"approved":true,"editedArgs":` + text + `}`
			}
		case "c": // without a payload it is withdrawn
		case "s":
			return decision{}, false, false
		case "q":
			return decision{}, true, false
		}
		return d, false, true
	}
}

func line(lines *bufio.Scanner, w io.Writer, prompt string) (text string, more bool) {
	fmt.Fprint(w, prompt)
	if !lines.Scan() {
		return "", false
	}
	return strings.TrimSpace(lines.Text()), true
}
