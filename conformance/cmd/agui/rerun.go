package main

import (
	"strings"

	"github.com/aguiws/aguiws/conformance"
)

// rerun is the command line that tries one result again.
func (o *testRun) rerun(r conformance.Result) string {
	words := []string{"go", "run", "./conformance/cmd/agui", "test", "--url", o.url, "--over", r.Over, "--case", r.Case.Name}
	for _, flag := range []struct{ name, value string }{
		{"--profile", o.profile}, {"--cases", o.cases}, {"--effects", o.effects}, {"--restart-cmd", o.restart}, {"--drain-cmd", o.drain},
	} {
		if flag.value != "" {
			words = append(words, flag.name, flag.value)
		}
	}
	for i, word := range words {
		if strings.ContainsAny(word, " '\"$&;|<>*?()\\") {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	line := strings.Join(words, " ")
	if len(o.headers) > 0 {
		line += " (and the headers)" // they may be credentials, which no report should hold
	}
	return line
}
