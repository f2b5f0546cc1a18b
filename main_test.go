package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestSettings(t *testing.T) {
	s, err := readSettings([]string{"serve", "--addr", "127.0.0.1:1", "--lease=3s"},
		env("AGUIWS_ADDR", "127.0.0.1:2", "AGUIWS_REDIS", "redis://r", "AGUIWS_DRAIN_TIMEOUT", "5s", "AGUIWS_ORIGINS", "https://a, https://b"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if s.addr != "127.0.0.1:1" || s.redis != "redis://r" || s.lease != 3*time.Second || s.drain != 5*time.Second || len(s.origins) != 2 || s.agent != "script" {
		t.Errorf("got %+v", s)
	}
}

func TestSettingsAreChecked(t *testing.T) {
	for _, args := range [][]string{
		{"start"}, {"--nonsense"}, {"serve", "more"}, {"--busy", "never"}, {"--lease", "1ms"}, {"--lease", "soon"}, {"--drain-timeout", "0"},
	} {
		if _, err := readSettings(args, env(), io.Discard); err == nil {
			t.Errorf("%q passes", args)
		}
	}
	if _, err := readSettings(nil, env("AGUIWS_LEASE", "soon"), io.Discard); err == nil || !strings.Contains(err.Error(), "AGUIWS_LEASE") {
		t.Errorf("got %v", err)
	}
	var usage strings.Builder
	if _, err := readSettings([]string{"--help"}, env(), &usage); !errors.Is(err, errHelp) || !strings.Contains(usage.String(), "-redis") {
		t.Errorf("got %v, %s", err, usage.String())
	}
}

func TestVersion(t *testing.T) {
	var out strings.Builder
	if err := run(context.Background(), []string{"version"}, env(), &out, io.Discard); err != nil || !strings.HasPrefix(out.String(), "aguiws ") {
		t.Errorf("got %q, %v", out.String(), err)
	}
}

func TestRefusesToStart(t *testing.T) {
	for name, args := range map[string][]string{
		"public address": {"--addr", "0.0.0.0:0"},
		"no address":     {"--addr", "127.0.0.1:99999"},
		"unknown agent":  {"--agent", "nobody"},
		"no store":       {"--redis", "mysql://here"},
	} {
		var out strings.Builder
		if err := run(context.Background(), args, env(), &out, io.Discard); err == nil || out.Len() > 0 {
			t.Errorf("%s: %v, said %q", name, err, out.String())
		}
	}
}

// The command as its user meets it: it says where to go and what will be lost,
// serves a run, and drains when it is told to end.
func TestServe(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	effects := filepath.Join(t.TempDir(), "effects")
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"--addr", "127.0.0.1:0", "--effects", effects}, env(), w, io.Discard)
		w.Close()
	}()
	lines := bufio.NewScanner(r)
	lines.Scan()
	address := regexp.MustCompile(`http://([\d.:]+)/`).FindStringSubmatch(lines.Text())
	if address == nil {
		t.Fatalf("no address to open: %q, %v", lines.Text(), <-ended)
	}
	lines.Scan()
	if said := lines.Text(); !strings.Contains(said, "will not survive") || !strings.Contains(said, "--redis") {
		t.Errorf("said %q", said)
	}

	dialing, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	ws, _, err := websocket.Dial(dialing, "ws://"+address[1]+"/agui/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	input := `{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"/effect"}]}`
	if err := ws.Write(dialing, websocket.MessageText, []byte(input)); err != nil {
		t.Fatal(err)
	}
	for kind := ""; kind != "RUN_FINISHED"; {
		_, data, err := ws.Read(dialing)
		if err != nil {
			t.Fatal(err)
		}
		var e struct{ Type string }
		if err := json.Unmarshal(data, &e); err != nil || e.Type == "RUN_ERROR" {
			t.Fatalf("%s: %v", data, err)
		}
		kind = e.Type
	}
	if data, err := os.ReadFile(effects); err != nil || strings.Count(string(data), "\n") != 1 {
		t.Errorf("effects %q, %v", data, err)
	}

	stop()
	wait, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, _, err := ws.Read(wait); websocket.CloseStatus(err) != websocket.StatusServiceRestart {
		t.Errorf("the socket ended with %v", err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// The crash hook kills the process, as often as it is asked to wait for.
func TestCrashHook(t *testing.T) {
	if at := os.Getenv("TEST_CRASH_AT"); at != "" {
		hook := crashHook(at)
		hook("other")
		hook("here")
		os.Stdout.WriteString("once")
		hook("here")
		os.Stdout.WriteString("twice")
		os.Exit(0)
	}
	for at, said := range map[string]string{"here": "", "here:2": "once", "never": "oncetwice"} {
		command := exec.Command(os.Args[0], "-test.run=^TestCrashHook$")
		command.Env = append(os.Environ(), "TEST_CRASH_AT="+at)
		out, err := command.Output()
		killed := false
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			status, _ := exit.Sys().(syscall.WaitStatus)
			killed = status.Signal() == syscall.SIGKILL
		}
		if string(out) != said || killed != (at != "never") {
			t.Errorf("%s: said %q, killed %v, %v", at, out, killed, err)
		}
	}
	if crashHook("") != nil {
		t.Error("a hook without a point")
	}
}
