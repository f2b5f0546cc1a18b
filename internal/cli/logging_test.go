package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/aguiws/aguiws/internal/build"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// line is one of a log in JSON.
type line map[string]any

// lines are what the log holds, each of which must be JSON.
func (l *logged) lines(t *testing.T) (list []line) {
	t.Helper()
	for text := range strings.Lines(l.String()) {
		var each line
		if err := json.Unmarshal([]byte(text), &each); err != nil {
			t.Errorf("not JSON: %s", text)
		}
		list = append(list, each)
	}
	return list
}

// says waits until the log has a message, and returns its line.
func (c *started) says(message string) line {
	c.t.Helper()
	var said line
	eventually(c.t, message, func() bool {
		lines := c.log.lines(c.t)
		i := slices.IndexFunc(lines, func(l line) bool { return l["msg"] == message })
		if i >= 0 {
			said = lines[i]
		}
		return i >= 0
	})
	return said
}

// Whoever wants to end the process, and began it by something that is its parent, finds its
// number where its address is.
func TestProcessIsNamed(t *testing.T) {
	c := start(t, nil)
	c.end()
	if want := fmt.Sprintf("aguiws: open http://%s/ (process %d)", c.addr, os.Getpid()); c.said[0] != want {
		t.Errorf("said %q, not %q", c.said[0], want)
	}
	c = start(t, nil, "--log-format", "json")
	if pid := c.says("serving")["pid"]; pid != float64(os.Getpid()) {
		t.Errorf("pid %v", pid)
	}
}

// The log begins with what runs here and on what, and says no password.
func TestFirstLine(t *testing.T) {
	redis := redistest.Start(t, redistest.Options{TCP: true}) // whose default user takes any password
	url := strings.Replace(redis.URL(), "redis://", "redis://default:SECRET-4711@", 1)
	c := start(t, env("AGUIWS_REDIS", url), "--log-format", "json", "--metrics-addr", "127.0.0.1:0")
	c.end()
	if len(c.said) > 0 {
		t.Errorf("said %q beside the log", c.said)
	}
	first := c.log.lines(t)[0]
	for name, want := range map[string]any{
		"msg": "starting", "version": build.Version(), "go": runtime.Version(), "addr": "127.0.0.1:0", "metricsAddr": "127.0.0.1:0",
		"store": redis.URL(), "auth": "none", "agents": "script",
	} {
		if first[name] != want {
			t.Errorf("%s is %v, not %v", name, first[name], want)
		}
	}
	if strings.Contains(c.log.String(), "SECRET") {
		t.Errorf("the log tells the password:\n%s", c.log)
	}
}

// What other libraries print, and the error that ends the command, are lines of
// the log as well.
func TestEveryLineIsJSON(t *testing.T) {
	var log logged
	err := run(context.Background(), []string{"--log-format", "json", "--agent", "nobody"}, env("AGUIWS_LEASSE", "1s"), io.Discard, &log)
	if lines := log.lines(t); err == nil || len(lines) == 0 || lines[len(lines)-1]["error"] != err.Error() {
		t.Errorf("%v; logged %s", err, &log)
	}
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert"), filepath.Join(dir, "key")
	certify(t, cert, key, 1)
	c := start(t, env(), "--log-format", "json", "--tls-cert", cert, "--tls-key", key)
	conn, err := net.Dial("tcp", c.addr)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(conn, "this is no handshake\r\n\r\n")
	io.Copy(io.Discard, conn)
	conn.Close()
	eventually(t, "net/http's message in the log", func() bool { return strings.Contains(c.log.String(), "TLS handshake error") })
	c.log.lines(t)
}

// until reads frames until one is of the type.
func until(t *testing.T, ws *websocket.Conn, kind string) line {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		_, data, err := ws.Read(ctx)
		if err != nil {
			t.Fatalf("waiting for %s: %v", kind, err)
		}
		var frame line
		if err := json.Unmarshal(data, &frame); err != nil {
			t.Fatal(err)
		}
		if frame["type"] == kind {
			return frame
		}
	}
}

// A store that stands still is one warning, and its return another, however many
// meet it. Sockets are told of both.
func TestLogOfAnOutage(t *testing.T) {
	suite.Full(t)
	redis := redistest.Start(t, redistest.Options{TCP: true})
	c := start(t, env("AGUIWS_REDIS", redis.URL()), "--log-format", "json")
	var sockets []*websocket.Conn
	for i := range 5 {
		ws := c.dial(nil)
		c.converse(ws, fmt.Sprintf(`{"threadId":"t%d","runId":"r","messages":[{"id":"m","role":"user","content":"/say hello"}]}`, i))
		sockets = append(sockets, ws)
	}
	binding := &websocket.DialOptions{Subprotocols: []string{"agui.v1.json"}}
	watching := c.dial(binding)
	before := len(c.log.lines(t))
	redis.Freeze()
	for i, ws := range sockets {
		frame := fmt.Sprintf(`{"threadId":"t%d","runId":"r2","messages":[{"id":"m2","role":"user","content":"/say hello"}]}`, i)
		if last := c.converse(ws, frame); !strings.Contains(last, "store_unavailable") {
			t.Errorf("while the store stands still: %s", last)
		}
	}
	down := c.says("the store does not answer")
	if down["error"] == nil || down["level"] != "WARN" {
		t.Errorf("it says %v", down)
	}
	if told := until(t, watching, "ws.store"); told["available"] != false {
		t.Errorf("told %v", told)
	}
	late := c.dial(binding)
	if told := until(t, late, "ws.store"); told["available"] != false {
		t.Errorf("a socket that came later was told %v", told)
	}
	for i, ws := range sockets {
		c.converse(ws, fmt.Sprintf(`{"threadId":"t%d","runId":"r3","messages":[]}`, i))
	}
	redis.Thaw()
	for _, ws := range []*websocket.Conn{watching, late} {
		if told := until(t, ws, "ws.store"); told["available"] != true {
			t.Errorf("told %v", told)
		}
	}
	up := c.says("the store answers again")
	if calls, _ := up["failedCalls"].(float64); calls < 2 || up["after"] == nil {
		t.Errorf("it says %v", up)
	}
	for _, l := range c.log.lines(t)[before:] {
		if l["msg"] != down["msg"] && l["msg"] != up["msg"] {
			t.Errorf("it also says %v", l)
		}
	}
}

// A proxy that must be there and is not listed is told of at the start.
func TestWarnOfProxy(t *testing.T) {
	for _, c := range []struct {
		args []string
		warn bool
	}{
		{[]string{"--hosts", "agents.example"}, true},
		{[]string{"--hosts", "agents.example", "--addr", "[::1]:0"}, true},
		{[]string{"--hosts", "agents.example", "--trusted-proxies", "127.0.0.1/32"}, false},
		{[]string{"--hosts", "agents.example", "--addr", "0.0.0.0:0", "--auth", "tokens", "--token-file", "x"}, false},
		{nil, false},
	} {
		s, err := readSettings(c.args, env(), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		s.warnOfProxy(slog.New(slog.NewTextHandler(&log, nil)))
		if strings.Contains(log.String(), "--trusted-proxies 127.0.0.1/32") != c.warn {
			t.Errorf("%v: %s", c.args, &log)
		}
	}
}
