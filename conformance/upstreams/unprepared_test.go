package upstreams

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
)

// unprepared are agents as their makers' documents have them, which ask in ways of their own.
var unprepared = []struct {
	name    string
	program string
	file    string
	folder  string // of its packages; "": it needs none
	args    []string
	env     []string
}{
	{name: "node", program: "node", file: "unprepared/agent.mjs"},
	{name: "python3", program: "python3", file: "unprepared/agent.py"},
	{name: "langgraph", program: "node", file: "langgraph/server.mjs", folder: "langgraph", args: []string{"0"}, env: []string{"GRAPHS=asking.mjs"}},
	{name: "mastra", program: "node", file: "mastra/asking.mjs", folder: "mastra", args: []string{"0"}},
}

// TestUnprepared has people answer agents that know nothing of the gateway, which is told
// their URL alone.
func TestUnprepared(t *testing.T) {
	suite.Full(t)
	command.NodeLane(t)
	browser := command.Chromium(t)
	pages := pages(t)
	cli := filepath.Join(t.TempDir(), "inbox-cli")
	if out, err := exec.Command("go", "build", "-o", cli, "github.com/aguiws/aguiws/examples/inbox-cli").CombinedOutput(); err != nil {
		t.Fatalf("building inbox-cli: %v\n%s", err, out)
	}
	for _, each := range unprepared {
		t.Run(each.name, func(t *testing.T) {
			if _, err := exec.LookPath(each.program); err != nil {
				command.Missing(t, each.program, "install "+each.program)
			}
			if each.folder != "" {
				installed(t, each.folder)
			}
			effects := filepath.Join(t.TempDir(), "effects")
			cmd := exec.Command(each.program, slices.Concat([]string{each.file}, each.args, []string{effects})...)
			cmd.Env = slices.Concat(os.Environ(), each.env)
			gateway := command.Start(t, command.Options{Args: []string{"--upstream", ready(t, cmd), "--origins", pages}})
			env := []string{
				"AGUIWS_TARGET=" + each.name,
				"AGUIWS_URLS=" + gateway.URL(),
				"AGUIWS_EFFECTS=" + effects,
				"AGUIWS_INBOX_CLI=" + cli,
				"AGUIWS_PAGES=" + pages,
				"AGUIWS_BROWSER=" + browser,
				"AGUIWS_SHOTS=" + command.Artifacts(t),
			}
			args := []string{"--test-concurrency=1"}
			if *only != "" {
				args = append(args, "--test-name-pattern="+*only)
			}
			command.NodeTests(t, env, append(args, "unprepared.test.mjs", "unprepared-copilotkit.test.mjs")...)
		})
	}
}

// A reader who starts the agent of the quickstart sees no traceback in its terminal. The
// connection closes behind whatever a request has printed.
func TestThePlainAgentOfPythonPrintsNoFault(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		command.Missing(t, "python3", "install python3")
	}
	cmd := exec.Command("python3", "unprepared/agent.py", filepath.Join(t.TempDir(), "effects"))
	var printed bytes.Buffer
	cmd.Stderr = &printed
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err, printed.String())
	}
	url := strings.TrimPrefix(strings.TrimSpace(line), "ready ")
	response, err := http.Post(url, "application/json", strings.NewReader(`{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"send ann"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	told, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil || !bytes.Contains(told, []byte("RUN_FINISHED")) {
		t.Fatalf("told %q, %v", told, err)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait()
	if printed.Len() > 0 {
		t.Errorf("it printed\n%s", &printed)
	}
}

// An agent that ends behind its action, and before it has kept that, gets the answer again:
// the service drops the second request.
func TestThePlainAgentOfPythonActsOnceAcrossACrash(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		command.Missing(t, "python3", "install python3")
	}
	effects, asked := filepath.Join(t.TempDir(), "effects"), filepath.Join(t.TempDir(), "asked.json")
	post := func(rest string) string {
		t.Helper()
		agent := exec.Command("python3", "unprepared/agent.py", effects, "0", asked)
		url := ready(t, agent)
		response, err := http.Post(url, "application/json", strings.NewReader(`{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"send ann"}]`+rest+`}`))
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		told, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		_ = agent.Process.Kill()
		return string(told)
	}
	question := regexp.MustCompile(`"interrupts": \[\{"id": "([^"]+)"`).FindStringSubmatch(post(""))
	open, err := os.ReadFile(asked)
	if question == nil || err != nil {
		t.Fatal("it does not ask", err)
	}
	for range 2 {
		if err := os.WriteFile(asked, open, 0o600); err != nil { // as before the answer
			t.Fatal(err)
		}
		if told := post(`,"resume":[{"interruptId":"` + question[1] + `","status":"resolved","payload":{"approved":true}}]`); !strings.Contains(told, "Sent to ann") {
			t.Errorf("it says %s", told)
		}
	}
	if sent, err := os.ReadFile(effects); err != nil || bytes.Count(sent, []byte("\n")) != 1 {
		t.Errorf("it has sent %q, %v", sent, err)
	}
}
