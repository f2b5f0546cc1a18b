package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// devRole is the variable that makes the test binary one of the programs around aguiws dev.
const devRole = "TEST_DEV_ROLE"

// playDev is one of these programs, and returns its exit code. An agent is a process that
// starts another one, which serves, as npm and reloaders do; neither of a stubborn pair hears a signal.
func playDev(role string) int {
	switch role {
	case "aguiws":
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(ctx, stop)
		return Main(ctx, os.Args[1:], append(os.Environ(), devRole+"=stubborn"), os.Stdout, os.Stderr)
	case "broken":
		fmt.Fprintln(os.Stderr, "no module named graph")
		return 3
	case "serves stubborn":
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
	case "stubborn":
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
		fallthrough
	case "agent":
		inner := exec.Command(os.Args[0], os.Args[1:]...)
		inner.Env = append(os.Environ(), devRole+"=serves "+role)
		inner.Stdout, inner.Stderr = os.Stdout, os.Stderr
		if inner.Run() != nil {
			return 4
		}
		return 0
	}
	fmt.Println("settings:", os.Getenv("AGUIWS_ADDR"))
	goOn := make(chan struct{})
	err := http.ListenAndServe(os.Args[1], http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			ThreadID, RunID string
			Messages        []struct{ Content string }
		}
		if json.NewDecoder(r.Body).Decode(&in) != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		if in.ThreadID == "" { // who waits goes on
			close(goOn)
			return
		}
		for _, event := range []string{begins, `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m-RUN_ID","role":"assistant","delta":"of ` + strconv.Itoa(os.Getppid()) + `"}`, ends} {
			if event == ends && len(in.Messages) > 0 && in.Messages[0].Content == "wait" {
				_ = http.NewResponseController(w).Flush()
				<-goOn
			}
			fmt.Fprintf(w, "data: %s\n\n", strings.NewReplacer("THREAD", in.ThreadID, "RUN_ID", in.RunID).Replace(event))
		}
	}))
	fmt.Fprintln(os.Stderr, err)
	return 5
}

// freeAddress is one on which nobody listens now. Tests of other packages run beside these and
// listen on free ports of 127.0.0.1: the address is another one if the system has it.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.77:0")
	if err != nil {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// agentAt connects to an agent. ended fails the test if the agent's process goes on.
func agentAt(t *testing.T, at string) (ended func()) {
	t.Helper()
	conn, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		defer conn.Close()
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		if _, err := conn.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("the agent outlives its server")
		}
	}
}

// An agent that was killed is started again, without what it has left behind, and the server
// before it goes on.
func TestDevStartsItsAgentAgain(t *testing.T) {
	at := freeAddress(t)
	c := start(t, env(devRole, "agent"), "dev", "--upstream", "http://"+at+"/", "--", os.Args[0], at)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if status, body := get(t, client, "http://"+c.addr+"/", ""); status != 200 || !strings.Contains(body, "<html") {
		t.Errorf("the page: %d %s", status, body)
	}
	pid := c.pidOfAnswer(client, "a")
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	for late := time.Now().Add(patience); strings.Count(c.log.String(), "the agent answers") < 2; time.Sleep(time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("it is not there again:\n%s", c.log)
		}
	}
	if again := c.pidOfAnswer(client, "b"); again == pid {
		t.Errorf("%d answers again", pid)
	}
	ended := agentAt(t, at)
	c.end()
	ended()
	if log := c.log.String(); !strings.Contains(log, `why="signal: killed"`) {
		t.Errorf("the log:\n%s", log)
	}
	// The settings of the server are none of the agent's.
	if said := strings.Join(c.said, "\n") + "\n"; strings.Count(said, "agent | settings: \n") != 2 {
		t.Errorf("it said:\n%s", said)
	}
}

// pidOfAnswer has the agent run, and returns the process that it says it is of.
func (c *started) pidOfAnswer(client *http.Client, thread string) int {
	c.t.Helper()
	resp, err := client.Post("http://"+c.addr+"/agui", "application/json", strings.NewReader(`{"threadId":"`+thread+`","runId":"r","messages":[{"id":"m","role":"user","content":"hi"}]}`))
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	found := regexp.MustCompile(`"of (\d+)"`).FindSubmatch(body)
	if err != nil || found == nil {
		c.t.Fatalf("it answers %s, %v", body, err)
	}
	pid, err := strconv.Atoi(string(found[1]))
	if err != nil {
		c.t.Fatal(err)
	}
	return pid
}

// What keeps an agent from ever answering is an error that says what to do.
func TestDevGivesUp(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	free := "http://" + freeAddress(t) + "/"
	for name, of := range map[string]struct {
		args []string
		want string
	}{
		"no command":    {[]string{}, "dev: the agent's command is missing: aguiws dev [flags] -- COMMAND ARGUMENTS…"},
		"no such":       {[]string{"--upstream", free, "--", "no-such-agent"}, `dev: the agent cannot be started: exec: "no-such-agent"`},
		"no upstream":   {[]string{"--agent", "script", "--", os.Args[0]}, `dev: --agent "script": there is no upstream of that name`},
		"taken":         {[]string{"--upstream", "http://" + l.Addr().String() + "/", os.Args[0]}, "dev: http://" + l.Addr().String() + "/ answers before the agent is started"},
		"dies at once":  {[]string{"--upstream", free, os.Args[0]}, "ended 3 times before it answered at " + free + ": exit status 3. It said last:\n  no module named graph"},
		"wrong setting": {[]string{"--upstream", free + "#history=old", os.Args[0]}, "history"},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(t.Context(), append([]string{"dev"}, of.args...), env(devRole, "broken"), io.Discard, io.Discard)
			if err == nil || !strings.Contains(err.Error(), of.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// What the agent does when the server is told to end ends in order.
func TestDevDrainsBeforeItsAgentEnds(t *testing.T) {
	at := freeAddress(t)
	c := start(t, env(devRole, "agent"), "dev", "--upstream", "http://"+at+"/", "--", os.Args[0], at)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Post("http://"+c.addr+"/agui", "application/json", strings.NewReader(`{"threadId":"a","runId":"r","messages":[{"id":"m","role":"user","content":"wait"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	events := bufio.NewScanner(resp.Body)
	for events.Scan() && !strings.Contains(events.Text(), "TEXT_MESSAGE_CONTENT") {
	}
	c.stop()
	for late := time.Now().Add(patience); !strings.Contains(c.log.String(), "msg=draining"); time.Sleep(time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("it does not drain:\n%s", c.log)
		}
	}
	if resp, err := client.Post("http://"+at+"/", "application/json", strings.NewReader("{}")); err != nil {
		t.Errorf("the agent has not outlived the signal: %v", err)
	} else {
		resp.Body.Close()
	}
	last := ""
	for events.Scan() {
		last += events.Text()
	}
	if !strings.Contains(last, "RUN_FINISHED") || strings.Contains(last, "RUN_ERROR") {
		t.Errorf("the run ends with %s", last)
	}
	c.end()
}

// Signals leave no process of the agent behind, whatever it makes of them. A second one ends
// it in the midst of what it does.
func TestDevEndsItsAgent(t *testing.T) {
	at := freeAddress(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0], "dev", "--addr", "127.0.0.1:0", "--drain-timeout", "1h", "--upstream", "http://"+at+"/", "--", os.Args[0], at)
	c.Env = append(os.Environ(), devRole+"=aguiws")
	out, err := c.StdoutPipe()
	if err == nil {
		c.Stderr = c.Stdout
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	behind := func(words string) string {
		for lines.Scan() {
			if _, rest, found := strings.Cut(lines.Text(), words); found {
				return rest
			}
		}
		t.Fatalf("it does not say %q", words)
		return ""
	}
	page, _, _ := strings.Cut(behind("aguiws: open "), " ")
	resp, err := http.Post(page+"agui", "application/json", strings.NewReader(`{"threadId":"a","runId":"r","messages":[{"id":"m","role":"user","content":"wait"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	err = c.Process.Signal(os.Interrupt)
	behind("msg=draining ")
	ended := agentAt(t, at)
	if err = errors.Join(err, c.Process.Signal(os.Interrupt)); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	if err := c.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
	ended()
}
