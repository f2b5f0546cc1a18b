// Package pythonclient is the lane of the client for Python: client/python, under
// Debian's Python, drives the command.
package pythonclient

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

func TestMain(m *testing.M) { os.Exit(command.Main(m)) }

const (
	patience = 2 * time.Minute
	guarded  = "[{token: the token of the lane, user: ann, scopes: [read, run]}]"
)

// python is a Python that has websockets: the one in PATH may be somebody's own, without it.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import sys, websockets; assert sys.version_info >= (3, 10)").Run() == nil {
			return name
		}
	}
	command.Missing(t, "python", "install Python 3.10 or later with websockets, such as Debian's python3-websockets")
	return ""
}

// script is a Python program of this folder that is killed when ctx ends. A resource that
// it leaves open is told, and a warning of Python's own is not hidden.
func script(ctx context.Context, t *testing.T, python, url string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(ctx, python, append([]string{"-X", "dev"}, args...)...)
	cmd.Env = append(os.Environ(), "AGUIWS_URL="+url, "PYTHONDONTWRITEBYTECODE=1",
		"PYTHONPATH="+filepath.Join(command.Root(t), "client", "python"))
	return cmd
}

func TestPythonClient(t *testing.T) {
	suite.Full(t)
	python := python(t)
	server := command.Start(t, command.Options{})
	locked := command.Start(t, command.Options{Args: []string{"--auth", "tokens", "--tokens", guarded}})
	held := filepath.Join(t.TempDir(), "held")

	ctx, cancel := context.WithTimeout(t.Context(), 5*patience)
	defer cancel()
	cmd := script(ctx, t, python, server.Socket(), "-m", "unittest", "-v", "test_client")
	cmd.Env = append(cmd.Env, "AGUIWS_GUARDED="+locked.Socket(), "AGUIWS_EFFECTS="+server.EffectsFile(),
		"AGUIWS_HELD="+held, command.Frames(t))
	out, err := cmd.CombinedOutput()
	command.KeepOutput(t, out)
	if err != nil || bytes.Contains(out, []byte("ResourceWarning")) {
		t.Fatalf("%v\n%s", err, out)
	}
	sameView(t, server.Socket(), held)
}

// sameView holds what the Python client holds of a thread, of which the agent has said
// everything it can, to what this project's own does.
func sameView(t *testing.T, url, held string) {
	t.Helper()
	text, err := os.ReadFile(held)
	if err != nil {
		t.Fatal(err)
	}
	var theirs struct {
		Thread string
		View   json.RawMessage
	}
	if err := json.Unmarshal(text, &theirs); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c, err := client.Dial(ctx, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	thread, err := c.Follow(ctx, theirs.Thread, nil)
	if err != nil {
		t.Fatal(err)
	}
	var found client.View // through the Go client's form of it
	if err := json.Unmarshal(theirs.View, &found); err != nil {
		t.Fatal(err)
	}
	ours := thread.View()
	if a, b := plain(t, found), plain(t, ours); !reflect.DeepEqual(a, b) || len(ours.Messages) < 10 {
		t.Errorf("the Python client holds\n%s\nand the Go client\n%s", theirs.View, mustJSON(t, ours))
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func plain(t *testing.T, v client.View) (values any) {
	t.Helper()
	if err := json.Unmarshal(mustJSON(t, v), &values); err != nil {
		t.Fatal(err)
	}
	return values
}

// A server is killed while a question waits. One client lives through it, another process
// answers, and the effect takes place once.
func TestPythonClientOutlivesTheServer(t *testing.T) {
	suite.Full(t)
	python := python(t)
	redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
	server := command.Start(t, command.Options{Redis: redis.URL()})
	held := filepath.Join(t.TempDir(), "held")
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()

	asking := script(ctx, t, python, server.Socket(), "outlive.py", "ask", held)
	var cries bytes.Buffer
	asking.Stderr = &cries
	says, err := asking.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := asking.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(says)
	lines.Scan()
	question := lines.Text()
	server.Kill()
	server.Restart()

	out, err := script(ctx, t, python, server.Socket(), "outlive.py", "answer", held).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != question {
		t.Errorf("the process that answers: %v, of %q\n%s", err, question, out)
	}
	lines.Scan()
	if err := asking.Wait(); err != nil || lines.Text() != "I have called pay." {
		t.Errorf("the process that asked: %v, %q\n%s", err, lines.Text(), &cries)
	}
	if n := len(command.Effects(t, server.EffectsFile())); n != 1 {
		t.Errorf("the call was carried out %d times", n)
	}
}
