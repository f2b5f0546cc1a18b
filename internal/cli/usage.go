package cli

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/internal/child"
)

// printUsage lists the commands and the settings.
func printUsage(w io.Writer, table []setting) {
	fmt.Fprint(w, `Usage: aguiws [serve] [flags]     serves an agent
       aguiws dev [flags] -- COMMAND ARGUMENTS…
                                  starts an agent, starts it again when it ends, and serves
                                  in front of it
       aguiws check [flags]       tests the settings and what they name, and says what it found
       aguiws record [flags]      says something to an upstream once, and keeps the bytes of
                                  the answer: for a report, or for a test
       aguiws show [flags] THREAD prints what Redis holds of a thread: its runs, its queue,
                                  its open questions, and how far a waiting run has come
       aguiws erase --user NAME [flags]
                                  takes a person out of Redis, says in counts what has gone,
                                  and exits with 1 if something is left
       aguiws config init [dev|production|gateway] [FILE]
                                  writes a commented configuration file, aguiws.yaml if no
                                  other is named; - is standard output
       aguiws healthz URL         asks a server's /healthz or /readyz, and exits with 1
                                  if the server is not well
       aguiws version             says version, commit and date

Every setting is a flag, a variable of the environment (--drain-timeout is
AGUIWS_DRAIN_TIMEOUT) and a key of the configuration file (drain-timeout: 20s).
Flags win over the environment, and the environment over the file. The server
warns of a variable AGUIWS_… that is no setting.

check sends a message to an upstream that --upstream names on the command line, and
says what comes of it. To an upstream that is configured elsewhere it only connects,
unless --message is given.

dev expects the agent at --upstream, or at `+devUpstream+` when no upstream is set. It tells
the agent to end by SIGTERM, and kills what is left of it after `+child.Grace.String()+`. The agent gets the
environment without the variables AGUIWS_….

Flags of record:
`)
	printSettings(w, newSettings().recording.table())
	fmt.Fprint(w, "\nFlags of check, beside --message:\n")
	printSettings(w, newSettings().checking.table())
	fmt.Fprint(w, "\nFlags of show, beside --redis and --redis-prefix:\n")
	printSettings(w, newSettings().forShow())
	fmt.Fprint(w, "\nFlags of erase, beside those that reach Redis:\n")
	printSettings(w, newSettings().erasing.table())
	fmt.Fprint(w, `
All:

  --config file
`)
	wrap(w, configHelp)
	for _, group := range groups {
		fmt.Fprintf(w, "\n%s:\n", group)
		printSettings(w, slices.DeleteFunc(slices.Clone(table), func(each setting) bool { return each.group != group }))
	}
}

func printSettings(w io.Writer, list []setting) {
	for _, each := range list {
		fmt.Fprintf(w, "  %s\n", strings.TrimSpace("--"+each.name+" "+each.value.kind()))
		text := each.help
		if def := shownDefault(each); def != "" {
			text += " (default " + def + ")"
		}
		wrap(w, text)
	}
}

// link is one of the texts, whose page stands behind its words on a terminal.
var link = regexp.MustCompile(`\[([^\]]*)\]\(([^)]*)\)`)

// wrap writes a text indented, without its marks.
func wrap(w io.Writer, text string) {
	line := ""
	text = link.ReplaceAllString(strings.ReplaceAll(text, "`", ""), "$1 ($2)")
	for word := range strings.FieldsSeq(text) {
		if len(line)+len(word) > 68 {
			fmt.Fprintln(w, "       "+line)
			line = ""
		}
		line += " " + word
	}
	fmt.Fprintln(w, "       "+line)
}

// shownDefault is what a setting is when it is not set; "" for nothing.
func shownDefault(s setting) string {
	if s.value.kind() == "" {
		return "" // a switch is off
	}
	return s.value.String()
}
