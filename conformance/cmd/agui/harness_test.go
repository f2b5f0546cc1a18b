package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// parrot answers every input with a run that says nothing, or, if it is told to,
// with one that never ends.
func parrot(t *testing.T, endless bool) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var input struct{ ThreadID, RunID string }
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&input) != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"type\":\"RUN_STARTED\",\"threadId\":%q,\"runId\":%q}\n\n", input.ThreadID, input.RunID)
		if !endless {
			fmt.Fprintf(w, "data: {\"type\":\"RUN_FINISHED\",\"threadId\":%q,\"runId\":%q}\n\n", input.ThreadID, input.RunID)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func agui(args ...string) (status int, out, complaints string) {
	var stdout, stderr bytes.Buffer
	status = run(append([]string{"test"}, args...), strings.NewReader(""), &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

func TestExitStatus(t *testing.T) {
	good, bad := parrot(t, false), parrot(t, true)
	for _, test := range []struct {
		name   string
		args   []string
		status int
	}{
		{"all pass", []string{"--url", good, "--case", "lifecycle/boundaries"}, 0},
		{"one fails", []string{"--url", bad, "--case", "lifecycle/boundaries"}, 1},
		{"all are skipped", []string{"--url", good, "--case", "faults"}, 2},
		{"nobody is there", []string{"--url", "http://127.0.0.1:1", "--case", "lifecycle/boundaries"}, 2},
		{"help", []string{"--help"}, 0},
		{"one case of two is unknown", []string{"--url", good, "--case", "lifecycle/boundaries,lifecycle/nonsense"}, 2},
		{"no case of that level", []string{"--url", good, "--case", "lifecycle/boundaries", "--level", "OURS"}, 2},
		{"no URL", nil, 2},
		{"no scheme", []string{"--url", "127.0.0.1:8080"}, 2},
		{"wrong scheme", []string{"--url", "ftp://127.0.0.1/"}, 2},
		{"no such case", []string{"--url", good, "--case", "lifecycle/nonsense"}, 2},
		{"no such level", []string{"--url", good, "--level", "MAY"}, 2},
		{"no such format", []string{"--url", good, "--format", "yaml"}, 2},
		{"no such transport", []string{"--url", good, "--over", "pigeon"}, 2},
		{"transport and URL", []string{"--url", good, "--over", "binding"}, 2},
		{"no such profile", []string{"--url", good, "--profile", "nowhere.json"}, 2},
		{"no cases there", []string{"--url", good, "--cases", t.TempDir()}, 2},
		{"odd header", []string{"--url", good, "--header", "Authorization"}, 2},
		{"odd argument", []string{"--url", good, "more"}, 2},
	} {
		if status, out, complaints := agui(test.args...); status != test.status {
			t.Errorf("%s: status %d, expected %d\n%s%s", test.name, status, test.status, out, complaints)
		}
	}
}

func TestFailureIsTold(t *testing.T) {
	_, out, progress := agui("--url", parrot(t, true), "--case", "lifecycle/boundaries")
	for _, want := range []string{
		"FAILED  lifecycle/boundaries over sse", "https://github.com/aguiws/aguiws/blob/main/conformance/RULES.md#run-boundaries", "cases/lifecycle.txtar:", `A< {"type":"RUN_STARTED"`,
		"again: go run github.com/aguiws/aguiws/conformance/cmd/agui test --url http://127.0.0.1:", "--over sse --case lifecycle/boundaries", "lifecycle    sse              0       1       0",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the report does not have %q:\n%s", want, out)
		}
	}
	if !strings.Contains(progress, "failed  sse        MUST     lifecycle/boundaries") {
		t.Errorf("progress: %s", progress)
	}
}

func TestReportsCanBeRead(t *testing.T) {
	url := parrot(t, true)
	_, out, _ := agui("--url", url, "--case", "lifecycle", "--format", "json")
	var report struct {
		Summary struct{ Passed, Failed, Skipped, Blocked int }
		Results []struct {
			Case, Status, Link, Rerun string
			Violations                []struct{ Rule, Message, Link string }
			Frames                    []struct{ Dir, Text string }
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	if n := len(report.Results); n == 0 || report.Summary.Failed == 0 || report.Summary.Passed+report.Summary.Failed+report.Summary.Skipped+report.Summary.Blocked != n {
		t.Errorf("%+v of %d", report.Summary, n)
	}
	if r := report.Results[0]; r.Status != "failed" || len(r.Violations) == 0 || r.Violations[0].Link == "" || len(r.Frames) == 0 || r.Rerun == "" {
		t.Errorf("a failure is %+v", r)
	}
	_, out, _ = agui("--url", url, "--case", "lifecycle", "--format", "junit")
	var suites struct {
		Failures int `xml:"failures,attr"`
		Suite    []struct {
			Case []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Text string `xml:",chardata"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(out), &suites); err != nil {
		t.Fatal(err)
	}
	if suites.Failures != report.Summary.Failed || len(suites.Suite) != 1 || len(suites.Suite[0].Case) != len(report.Results) {
		t.Errorf("%d failures in %d suites", suites.Failures, len(suites.Suite))
	}
}

func TestList(t *testing.T) {
	status, out, _ := agui("--list", "--case", "interrupts/partial")
	if status != 0 || !strings.Contains(out, "interrupts/partial") || !strings.HasSuffix(out, "1 cases\n") {
		t.Errorf("status %d: %s", status, out)
	}
}

// The line that tries a failure again has all that it takes, and no credential.
func TestAgainIsComplete(t *testing.T) {
	_, out, _ := agui("--url", parrot(t, true), "--case", "lifecycle/boundaries", "--timeout", "7s", "--header", "Authorization: Bearer secret", "--header", "X-Who: me")
	if want := "--timeout 7s --header 'Authorization: …' --header 'X-Who: …'"; !strings.Contains(out, want) || strings.Contains(out, "secret") {
		t.Errorf("the report does not have %s, or has the secret:\n%s", want, out)
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"help"}, {"-h"}, {"verify", "--help"}, {"validate", "-h"}, {"test", "-help"}} {
		var stdout, stderr bytes.Buffer
		status := run(args, strings.NewReader(""), &stdout, &stderr)
		if text := stdout.String() + stderr.String(); status != 0 || !strings.Contains(text, "usage:") {
			t.Errorf("%v: status %d: %s", args, status, text)
		}
	}
}

// Cases and commands of one's own.
func TestOwnCases(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("own.txtar", "-- own/nothing-said --\nrule: run-boundaries\nlevel: OURS\nabout: It says nothing.\nA> run r1 say hello\nA< ... RUN_FINISHED\nA! TEXT_MESSAGE_START\n")
	profile := write("profile.json", `{"name":"parrot","commands":{"say":"polly: {}"}}`)
	url := parrot(t, false)
	if status, out, complaints := agui("--url", url, "--cases", dir, "--case", "own/*", "--profile", profile); status != 0 {
		t.Errorf("status %d\n%s%s", status, out, complaints)
	}
	restart := ": > " + filepath.Join(dir, "restarted")
	write("again.txtar", "-- own/again --\nrule: run-again\nlevel: OURS\nabout: x\nA> run r1 say hello\nA< ... END\nrestart\nA> run r2 say hello\nA< ... RUN_FINISHED\n")
	if status, out, complaints := agui("--url", url, "--cases", dir, "--case", "own/again", "--restart-cmd", restart); status != 1 || !strings.Contains(out, "the server was not replaced") {
		t.Errorf("status %d\n%s%s", status, out, complaints)
	}
	if _, err := os.Stat(filepath.Join(dir, "restarted")); err != nil {
		t.Error(err)
	}
	write("wrong.txtar", "-- own/wrong --\nrule: run-again\nlevel: OURS\nabout: x\nA> run r1 say hello\nA< RUN_FINISHED\n")
	if _, out, _ := agui("--url", url, "--cases", dir, "--case", "own/wrong"); !strings.Contains(out, "at "+filepath.Join(dir, "wrong.txtar")+":1, line 6") {
		t.Errorf("it does not say where the case is:\n%s", out)
	}
	restart = "echo no such unit >&2; exit 5"
	if status, out, complaints := agui("--url", url, "--cases", dir, "--case", "own/again", "--restart-cmd", restart); status != 1 || !strings.Contains(out, "exit status 5: no such unit") {
		t.Errorf("status %d\n%s%s", status, out, complaints)
	}
}
