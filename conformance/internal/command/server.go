package command

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aguiws/aguiws/redisstore/redistest"
)

// patience is how long a process may take to do what it must, also on a machine
// that does much else.
const patience = 2 * time.Minute

// Options of a server. The zero value: the embedded store, the default lease.
type Options struct {
	Redis   string        // --redis
	Effects string        // --effects; a file of the test's own when empty
	Lease   time.Duration // --lease; the command's default when zero
	CrashAt string        // AGUIWS_CRASH_AT of the first process; Restart clears it
	Binary  string        // of another build; the tree's own when empty
	Args    []string      // further arguments
}

// Server is one aguiws process after another on one port. Its methods may be
// called by one goroutine at a time.
type Server struct {
	t    testing.TB
	opts Options
	port int

	cmd    *exec.Cmd
	exited chan struct{}
	output output
}

// Start starts a server that is killed when the test ends, and returns when it
// is ready. Its output is logged if the test fails; a panic or a data race in it
// fails the test.
func Start(t testing.TB, opts Options) *Server {
	t.Helper()
	if opts.Effects == "" {
		opts.Effects = filepath.Join(t.TempDir(), "effects")
	}
	s := &Server{t: t, opts: opts, port: redistest.FreePort(t)}
	t.Cleanup(func() {
		s.Kill()
		if alarm := s.output.Alarm(); alarm != "" {
			t.Errorf("the server on port %d: %s", s.port, alarm)
		}
		if t.Failed() {
			t.Logf("output of the server on port %d:\n%s", s.port, s.output.String())
		}
	})
	s.start(opts.CrashAt)
	return s
}

// Addr is host and port.
func (s *Server) Addr() string { return "127.0.0.1:" + strconv.Itoa(s.port) }

// URL is the address of the page.
func (s *Server) URL() string { return "http://" + s.Addr() }

// Socket is the address of the WebSocket binding.
func (s *Server) Socket() string { return "ws://" + s.Addr() + "/agui/ws" }

// EffectsFile is where the script agent leaves a line for each effect.
func (s *Server) EffectsFile() string { return s.opts.Effects }

// Resident is what the kernel counts as the process's memory: now, and when it was
// most. Without /proc the test is skipped.
func (s *Server) Resident() (now, most int64) {
	s.t.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/status")
	if errors.Is(err, fs.ErrNotExist) && runtime.GOOS != "linux" {
		s.t.Skip("without /proc nobody says how much memory a process has")
	} else if err != nil {
		s.t.Fatalf("command: %v", err)
	}
	for line := range strings.Lines(string(status)) {
		name, rest, _ := strings.Cut(line, ":")
		kib, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
		switch name {
		case "VmRSS":
			now = kib << 10
		case "VmHWM":
			most = kib << 10
		}
	}
	return now, most
}

// Written is how many bytes the processes have written to their output.
func (s *Server) Written() int64 { return s.output.written() }

// Output is the end of it.
func (s *Server) Output() string { return s.output.String() }

// Kill ends the process as kill -9 does and waits until it is gone.
func (s *Server) Kill() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		<-s.exited
	}
}

// Terminate sends SIGTERM and waits for the end, which must be a clean one.
func (s *Server) Terminate() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatalf("command: %v", err)
	}
	s.AwaitExit()
	if code := s.cmd.ProcessState.ExitCode(); code != 0 {
		s.t.Errorf("after SIGTERM the server ended with %d", code)
	}
}

// AwaitExit waits until the process has ended by itself.
func (s *Server) AwaitExit() {
	s.t.Helper()
	select {
	case <-s.exited:
	case <-time.After(patience):
		s.t.Fatal("command: the server goes on, and should have ended")
	}
}

// Restart starts the server again, on the same port and the same store, and
// returns when it is ready. It kills one that runs.
func (s *Server) Restart() {
	s.t.Helper()
	s.RestartDoomed("")
}

// RestartDoomed is Restart, and the process kills itself at the named point. It
// may be there, in a run that it took over, before anyone could see it ready.
func (s *Server) RestartDoomed(crashAt string) {
	s.t.Helper()
	s.Kill()
	s.start(crashAt)
}

func (s *Server) start(crashAt string) {
	s.t.Helper()
	args := []string{"--addr", s.Addr(), "--effects", s.opts.Effects}
	if s.opts.Redis != "" {
		args = append(args, "--redis", s.opts.Redis)
	}
	if s.opts.Lease > 0 {
		args = append(args, "--lease", s.opts.Lease.String())
	}
	binary := s.opts.Binary
	if binary == "" {
		binary = build(s.t)
	}
	cmd := exec.Command(binary, append(args, s.opts.Args...)...)
	cmd.Env = append(os.Environ(), "AGUIWS_CRASH_AT="+crashAt)
	cmd.Stdout, cmd.Stderr = &s.output, &s.output
	if err := cmd.Start(); err != nil {
		s.t.Fatalf("command: %v", err)
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(exited)
	}()
	s.cmd, s.exited = cmd, exited
	if err := s.awaitReady(); err != nil && !(crashAt != "" && errors.Is(err, errEnded)) {
		s.t.Fatalf("command: %v\n%s", err, s.output.String())
	}
}

var errEnded = errors.New("the server has ended")

func (s *Server) awaitReady() error {
	client := http.Client{Timeout: time.Second}
	defer client.CloseIdleConnections()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	deadline := time.After(patience)
	for {
		select {
		case <-s.exited:
			return errEnded
		case <-deadline:
			return errors.New("the server does not become ready")
		case <-poll.C:
		}
		answer, err := client.Get(s.URL() + "/readyz")
		if err != nil {
			continue
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			return nil
		}
	}
}

// output keeps the end of what the processes wrote, and whether they cried out.
type output struct {
	mu    sync.Mutex
	b     bytes.Buffer
	all   int64
	alarm string
}

const outputKept = 64 << 10

// alarms are what the Go runtime writes when a program is wrong, whatever the
// tests find.
var alarms = regexp.MustCompile(`(?m)^(WARNING: DATA RACE|panic: .*|fatal error: .*)`)

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if found := alarms.Find(p); found != nil && o.alarm == "" {
		o.alarm = string(found)
	}
	o.b.Write(p)
	o.all += int64(len(p))
	if over := o.b.Len() - outputKept; over > 0 {
		o.b.Next(over)
	}
	return len(p), nil
}

// Alarm is the first alarm, "" if there was none.
func (o *output) Alarm() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.alarm
}

func (o *output) written() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}
