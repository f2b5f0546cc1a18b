package cli

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/aguiws/aguiws/redisstore/redistest"
)

func env(pairs ...string) (e environment) {
	for i := 0; i < len(pairs); i += 2 {
		e = append(e, pairs[i]+"="+pairs[i+1])
	}
	return e
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
		"policy of none": {"--unanswered", "clerk=cancel"},
		"no store":       {"--redis", "mysql://here"},
	} {
		var out strings.Builder
		if err := run(context.Background(), args, env(), &out, io.Discard); err == nil || out.Len() > 0 {
			t.Errorf("%s: %v, said %q", name, err, out.String())
		}
	}
}

// patience is how long a test waits for what must come, also on a machine that
// does much else.
const patience = 30 * time.Second

// started is a command that serves.
type started struct {
	t     *testing.T
	addr  string
	said  []string // complete when it has ended
	log   *logged
	read  chan struct{} // closed when all that it said was read
	stop  context.CancelFunc
	ended chan error
}

// start runs the command and waits until it says where it serves. It is stopped
// when the test ends.
func start(t *testing.T, env environment, args ...string) *started {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	c := &started{t: t, log: &logged{}, read: make(chan struct{}), stop: stop, ended: make(chan error, 1)}
	serving := make(chan string, 1)
	c.log.serving = serving
	r, w := io.Pipe()
	go func() {
		err := run(ctx, args, append(env, "AGUIWS_ADDR=127.0.0.1:0"), w, c.log)
		w.Close()
		<-c.read
		close(serving)
		c.ended <- err
	}()
	go func() {
		defer close(c.read)
		for lines := bufio.NewScanner(r); lines.Scan(); {
			c.said = append(c.said, lines.Text())
			announced(lines.Text(), serving)
		}
	}()
	if c.addr = <-serving; c.addr == "" {
		t.Fatalf("no address to open: %q, %v", c.said, <-c.ended)
	}
	t.Cleanup(c.end)
	return c
}

// announced hands out the address that a line says.
func announced(line string, serving chan<- string) {
	if found := regexp.MustCompile(`(?:aguiws: open |"msg":"serving".*)https?://([\d.:]+)/`).FindStringSubmatch(line); found != nil {
		serving <- found[1]
	}
}

// logged is what the command has logged so far.
type logged struct {
	mu      sync.Mutex
	b       strings.Builder
	serving chan<- string
}

func (l *logged) Write(p []byte) (int, error) {
	announced(string(p), l.serving)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// aside is the address on which something else is served, as the log says.
func (c *started) aside(setting string) string {
	c.t.Helper()
	found := regexp.MustCompile(`"serving aside" setting=` + setting + ` addr=(\S+)`).FindStringSubmatch(c.log.String())
	if found == nil {
		c.t.Fatalf("the log does not say where %s is:\n%s", setting, c.log)
	}
	return found[1]
}

// end stops the command and waits for it.
func (c *started) end() {
	c.t.Helper()
	c.stop()
	if c.ended == nil {
		return
	}
	if err := <-c.ended; err != nil {
		c.t.Error(err)
	}
	c.ended = nil
	<-c.read
}

// dial opens a socket.
func (c *started) dial(opts *websocket.DialOptions) *websocket.Conn {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ws, _, err := websocket.Dial(ctx, "ws://"+c.addr+"/agui/ws", opts)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { ws.CloseNow() })
	return ws
}

// converse sends frames, each after the end of the run that the one before
// asked for, and returns what came last.
func (c *started) converse(ws *websocket.Conn, frames ...string) string {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	last := ""
	for _, frame := range frames {
		if err := ws.Write(ctx, websocket.MessageText, []byte(frame)); err != nil {
			c.t.Fatal(err)
		}
		for over := false; !over; {
			_, data, err := ws.Read(ctx)
			if err != nil {
				c.t.Fatal(err)
			}
			last = string(data)
			over = strings.Contains(last, `"RUN_FINISHED"`) || strings.Contains(last, `"RUN_ERROR"`) || strings.Contains(last, `"ws.error"`)
		}
	}
	return last
}

func said(run, text string) string {
	return fmt.Sprintf(`{"threadId":"thread-1","runId":%q,"messages":[{"id":"m-%s","role":"user","content":%q}]}`, run, run, text)
}

// The command as its user meets it: it says where to go and what will be lost,
// serves a run, and drains when it is told to end.
func TestServe(t *testing.T) {
	effects := filepath.Join(t.TempDir(), "effects")
	c := start(t, env(), "--effects", effects)
	ws := c.dial(nil)
	if last := c.converse(ws, said("r", "/effect")); !strings.Contains(last, `"RUN_FINISHED"`) {
		t.Fatal(last)
	}
	if data, err := os.ReadFile(effects); err != nil || strings.Count(string(data), "\n") != 1 {
		t.Errorf("effects %q, %v", data, err)
	}
	c.stop()
	wait, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, _, err := ws.Read(wait); websocket.CloseStatus(err) != websocket.StatusServiceRestart {
		t.Errorf("the socket ended with %v", err)
	}
	c.end()
	if said := strings.Join(c.said, "\n"); !strings.Contains(said, "will not survive") || !strings.Contains(said, "--redis") {
		t.Errorf("said %q", said)
	}
	if log := c.log.String(); !strings.Contains(log, `"executions go on" mode=auto chosen=replay why="the store dies with the process`) {
		t.Errorf("the log does not say what the mode came to:\n%s", log)
	}
}

// What auto comes to on a store that lasts is said as well, and what somebody chose.
func TestModeIsExplained(t *testing.T) {
	for _, tt := range []struct {
		mode    string
		durable bool
		says    string
	}{
		{"auto", true, `mode=auto chosen=durable why="the store outlives the process`},
		{"durable", true, "mode=durable chosen=durable"},
		{"blocking", true, `mode=blocking chosen=blocking why="agents wait in this process`},
	} {
		var log strings.Builder
		(&settings{mode: tt.mode}).explainMode(slog.New(slog.NewTextHandler(&log, nil)), tt.durable)
		if !strings.Contains(log.String(), tt.says) {
			t.Errorf("%+v: %s", tt, log.String())
		}
	}
}

// get asks for a path, as a name, with headers.
func get(t *testing.T, client *http.Client, url, host string, headers ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestServesAside(t *testing.T) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	c := start(t, env(), "--metrics-addr", "127.0.0.1:0", "--pprof-addr", "127.0.0.1:0")
	metrics, pprof := c.aside("metrics-addr"), c.aside("pprof-addr")
	for _, want := range []struct {
		url, host string
		status    int
		holds     string
	}{
		{"http://" + metrics + "/metrics", "10.1.2.3", 200, "aguiws_runs_ended_total"},
		{"http://" + metrics + "/readyz", "10.1.2.3", 200, "ready"},
		{"http://" + metrics + "/agui/capabilities", "", 404, ""},
		{"http://" + c.addr + "/metrics", "", 200, "aguiws_sockets"},
		{"http://" + c.addr + "/debug/pprof/", "", 404, ""},
		{"http://" + pprof + "/debug/pprof/goroutine?debug=1", "", 200, "goroutine profile"},
		{"http://" + pprof + "/debug/pprof/goroutine?debug=1", "rebind.example", 403, ""},
		{"http://" + pprof + "/metrics", "", 404, ""},
	} {
		if strings.HasPrefix(want.holds, "aguiws_") {
			c.converse(c.dial(nil), said("r", "/say hello")) // so that there is one
		}
		status, body := get(t, client, want.url, want.host)
		for late := time.Now().Add(patience); strings.HasPrefix(want.holds, "aguiws_") && !strings.Contains(body, want.holds) && time.Now().Before(late); {
			status, body = get(t, client, want.url, want.host) // a run is counted after its end is said
		}
		if status != want.status || !strings.Contains(body, want.holds) {
			t.Errorf("%s as %q: %d %.200s", want.url, want.host, status, body)
		}
	}
}

// What people say, and what they prove who they are with, is in no line of the
// log, however talkative it is.
func TestLogKeepsSecrets(t *testing.T) {
	const secret = "SECRET-4711"
	file := filepath.Join(t.TempDir(), "tokens.yaml")
	if err := os.WriteFile(file, []byte("- {token: "+secret+"-token, user: ann}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := start(t, env("AGUIWS_AUTH", "tokens", "AGUIWS_TOKEN_FILE", file), "--log-level", "debug", "--log-format", "json")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	header := func(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }
	offer := "agui.bearer." + base64.RawURLEncoding.EncodeToString([]byte(secret+"-token"))

	ws := c.dial(&websocket.DialOptions{HTTPHeader: header(secret + "-token")})
	c.converse(ws, said("run-1", "/say "+secret), said("run-2", "/fail "+secret), said("run-3", "/panic "+secret),
		`{"threadId":"thread-1","runId":"run-4","messages":[{"id":"m4","role":"user","content":"/state {\"a\":\"`+secret+`\"}"}],"state":{"`+secret+`":1},"forwardedProps":{"p":"`+secret+`"}}`,
		said("run-5", `/tool mail {"to":"`+secret+`"}`), said("run-6", secret))
	full := c.dial(&websocket.DialOptions{HTTPHeader: http.Header{"Origin": {"http://" + c.addr}}, Subprotocols: []string{"agui.v1.json", offer}})
	c.converse(full, `{"threadId":"thread-1","runId":"run-7","messages":[],"resume":[{"interruptId":"`+secret+`","status":"resolved","payload":{"a":"`+secret+`"}}]}`,
		`{"type":"`+secret+`"}`, secret, `{"threadId":7,"`+secret+`":"`+secret+`"}`)
	for _, url := range []string{"/agui/capabilities", "/agui/capabilities?token=" + secret, "/" + secret} {
		get(t, client, "http://"+c.addr+url, "", "Authorization", "Bearer "+secret, "Cookie", "session="+secret)
	}
	ws.CloseNow()
	full.CloseNow()
	c.end()
	log := c.log.String()
	for _, want := range []string{`"run-3"`, `"thread-1"`, `"draining"`} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not say %s:\n%s", want, log)
		}
	}
	for line := range strings.Lines(log) {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
		if strings.Contains(line, secret) || strings.Contains(line, offer[len("agui.bearer."):]) {
			t.Errorf("the log tells: %s", line)
		}
	}
}

// A start says what waits in a store that outlives the process.
func TestStartSaysWhatWaits(t *testing.T) {
	redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
	first := start(t, env(), "--redis", redis.URL())
	eventually(t, "an empty store is said", func() bool {
		return strings.Contains(first.log.String(), `msg="what waits" questions=0 oldest="" queued=0`)
	})
	response, err := http.Post("http://"+first.addr+"/agui", "application/json", strings.NewReader(
		`{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"/confirm go on?"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(response.Body); err != nil || !strings.Contains(string(text), `"interrupt"`) {
		t.Fatalf("%s %v", text, err)
	}
	response.Body.Close()
	first.end()
	second := start(t, env(), "--redis", redis.URL())
	eventually(t, "the question is said", func() bool { return strings.Contains(second.log.String(), `msg="what waits" questions=1 oldest=2`) })
}

func TestLingerReachesTheRunner(t *testing.T) {
	for text, want := range map[string]time.Duration{"0s": -1, "20ms": 20 * time.Millisecond} {
		s, err := readSettings([]string{"serve", "--linger", text}, env(), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.runnerOptions(&agentSet{}, nil, nil, slog.New(slog.DiscardHandler)).Linger; got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}
