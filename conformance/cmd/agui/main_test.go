package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	input := write("input.json", `{"threadId":"t","runId":"r","messages":[]}`)
	bad := write("bad.json", `{"threadId":"t","messages":[{"id":"1","role":"user"}],"x":1}`)
	event := write("event.json", `{"type":"RAW","event":null}`)
	lines := write("lines.jsonl", "{\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n{\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n")
	array := write("array.json", ` [{"type":"RUN_STARTED","threadId":"t","runId":"r"},{"type":"STEP_FINISHED","stepName":"s"}]`)
	inexact := write("inexact.json", `[{"type":"RUN_STARTED","threadId":"t","runId":"r","x":1}]`)
	cut := write("cut.json", `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`)
	empty := write("empty.json", "")

	for _, test := range []struct {
		name   string
		args   []string
		stdin  string
		status int
		out    string // $ is the directory
	}{
		{"valid input", []string{"validate", "--type", "RunAgentInput", input}, "", 0, `{"file":"$/input.json","ok":true,"problems":[]}`},
		{"invalid input", []string{"validate", "--type=RunAgentInput", input, bad}, "", 1,
			`{"file":"$/input.json","ok":true,"problems":[]}` + "\n" +
				`{"file":"$/bad.json","ok":false,"problems":[{"pointer":"/messages/0","message":"the member \"content\" is required"},{"pointer":"/x","message":"the member is not defined here"},{"pointer":"","message":"the member \"runId\" is required"}]}`},
		{"event by default", []string{"validate", event}, "", 0, `{"file":"$/event.json","ok":true,"problems":[]}`},
		{"standard input", []string{"validate", "--type", "Role", "-"}, `"user"`, 0, `{"file":"-","ok":true,"problems":[]}`},
		{"no file", []string{"validate", filepath.Join(dir, "none")}, "", 1, `{"file":"$/none","ok":false,"problems":[{"pointer":"","message":"open $/none: no such file or directory"}]}`},
		{"unknown definition", []string{"validate", "--type", "Nonsense", event}, "", 2, ""},
		{"no arguments", nil, "", 2, ""},
		{"no files", []string{"verify"}, "", 2, ""},
		{"unknown command", []string{"bless", event}, "", 2, ""},
		{"lines", []string{"verify", lines}, "", 0, `{"file":"$/lines.jsonl","ok":true}`},
		{"array", []string{"verify", array}, "", 1, `{"file":"$/array.json","ok":false,"index":1,"rule":"not-open","message":"step \"s\" was not started"}`},
		{"inexact", []string{"verify", inexact}, "", 1, `{"file":"$/inexact.json","ok":false,"index":0,"rule":"malformed","message":"/x: the member is not defined here"}`},
		{"truncated", []string{"verify", cut}, "", 1, `{"file":"$/cut.json","ok":false,"index":1,"rule":"truncated","message":"the stream ended before run \"r\" did"}`},
		{"empty stream", []string{"verify", empty}, "", 1, `{"file":"$/empty.json","ok":false,"index":0,"rule":"truncated","message":"the stream ended before a run began"}`},
		{"no JSON", []string{"verify", "-"}, `{"type":`, 1, `{"file":"-","ok":false,"rule":"unreadable","message":"event 0: unexpected EOF"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			status := run(test.args, strings.NewReader(test.stdin), &stdout, &stderr)
			if status != test.status {
				t.Errorf("status %d, expected %d: %s", status, test.status, stderr.String())
			}
			if got, want := strings.TrimSpace(stdout.String()), strings.ReplaceAll(test.out, "$", dir); got != want {
				t.Errorf("printed\n%s\nexpected\n%s", got, want)
			}
			if (stderr.Len() > 0) != (test.status == 2) {
				t.Errorf("complained %q", stderr.String())
			}
		})
	}
}
