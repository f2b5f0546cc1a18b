package main

import (
	"os"
	"strings"
	"time"

	"github.com/aguiws/aguiws/conformance"
)

// defaultTimeout is how long a server may take for a step.
const defaultTimeout = 10 * time.Second

// rerun is the command line that tries one result again. Headers may be credentials,
// which no report should hold: their values are left out.
func (o *testRun) rerun(r conformance.Result) string {
	words := append(program(), "test", "--url", o.url, "--over", r.Over, "--case", r.Case.Name)
	timeout := ""
	if o.timeout != defaultTimeout {
		timeout = o.timeout.String()
	}
	for _, flag := range []struct{ name, value string }{
		{"--profile", o.profile}, {"--cases", o.cases}, {"--effects", o.effects}, {"--restart-cmd", o.restart}, {"--drain-cmd", o.drain}, {"--timeout", timeout},
	} {
		if flag.value != "" {
			words = append(words, flag.name, flag.value)
		}
	}
	for _, header := range o.headers {
		name, _, _ := strings.Cut(header, ":")
		words = append(words, "--header", name+": …")
	}
	for i, word := range words {
		if strings.ContainsAny(word, " '\"$&;|<>*?()\\") {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// program is how this program was called. What go run makes is gone afterwards, so
// that is called by its name, which is good in any folder of a module that has it.
func program() []string {
	if self, err := os.Executable(); err == nil && !strings.Contains(self, "go-build") {
		return []string{self}
	}
	return []string{"go", "run", "github.com/aguiws/aguiws/conformance/cmd/agui"}
}
