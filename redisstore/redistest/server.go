package redistest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// startLimit is how long a server may take until it answers.
const startLimit = 30 * time.Second

// Options of a server. The zero value: no persistence, on a unix socket.
type Options struct {
	AOF  string   // appendfsync with appendonly yes: "everysec", "always" or "no"; "" turns persistence off
	TCP  bool     // listen on a free port of 127.0.0.1 instead of a socket
	Args []string // further arguments of redis-server, as "--name", "value"
}

// Server is a running redis-server. Its methods may be called by one goroutine
// at a time.
type Server struct {
	t    testing.TB
	opts Options
	dir  string
	port int

	cmd    *exec.Cmd
	exited chan struct{}
	output *output
}

// Start starts a server that is stopped when the test ends.
func Start(t testing.TB, opts Options) *Server {
	t.Helper()
	binary(t)
	// Not t.TempDir: its name may be longer than a socket's path can be.
	dir, err := os.MkdirTemp("", "redistest")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{t: t, opts: opts, dir: dir}
	if opts.TCP {
		s.port = FreePort(t)
	}
	t.Cleanup(func() {
		s.Kill()
		_ = os.RemoveAll(dir)
	})
	s.Restart()
	return s
}

func binary(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		if strings.Contains(os.Getenv("AGUIWS_REQUIRE"), "redis") {
			t.Fatal("redistest: AGUIWS_REQUIRE wants redis, and redis-server is not installed")
		}
		t.Skip("redistest: redis-server is not installed (AGUIWS_REQUIRE=redis makes this a failure)")
	}
	return path
}

// URL returns the server's address for redisstore.Open.
func (s *Server) URL() string {
	if s.opts.TCP {
		return "redis://127.0.0.1:" + strconv.Itoa(s.port)
	}
	return "unix://" + s.socket()
}

func (s *Server) socket() string { return filepath.Join(s.dir, "s") }

// address is the socket's path, or host and port.
func (s *Server) address() string {
	if s.opts.TCP {
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port))
	}
	return s.socket()
}

// Port is where a server listens that was started with Options.TCP.
func (s *Server) Port() int { return s.port }

// Kill ends the server at once, as kill -9 does, and waits until it is gone.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill()
	<-s.exited
	s.cmd = nil
}

// Restart starts the server on the same address and the same data, killing it
// before if it runs. It returns when the server answers.
func (s *Server) Restart() {
	s.t.Helper()
	s.Kill()
	args := []string{"--dir", s.dir, "--save", "", "--daemonize", "no"}
	if s.opts.TCP {
		args = append(args, "--bind", "127.0.0.1", "--port", strconv.Itoa(s.port))
	} else {
		args = append(args, "--port", "0", "--unixsocket", s.socket())
		_ = os.Remove(s.socket()) // a killed server leaves it
	}
	if s.opts.AOF != "" {
		args = append(args, "--appendonly", "yes", "--appendfsync", s.opts.AOF)
	}
	s.launch(append(args, s.opts.Args...))
}

// launch starts the process and returns when it answers.
func (s *Server) launch(args []string) {
	s.t.Helper()
	s.output = &output{}
	s.cmd = exec.Command(binary(s.t), args...)
	s.cmd.Stdout, s.cmd.Stderr = s.output, s.output
	s.cmd.SysProcAttr = dieWithUs()
	if err := s.cmd.Start(); err != nil {
		s.t.Fatalf("redistest: %v", err)
	}
	s.exited = make(chan struct{})
	go func(cmd *exec.Cmd, exited chan struct{}) {
		_ = cmd.Wait()
		close(exited)
	}(s.cmd, s.exited)
	if err := s.await(); err != nil {
		s.t.Fatalf("redistest: %v\n%s", err, s.output)
	}
}

// await polls until the server answers PING, which it refuses while it loads.
func (s *Server) await() error {
	for deadline := time.Now().Add(startLimit); ; {
		select {
		case <-s.exited:
			return fmt.Errorf("redis-server has exited")
		default:
		}
		answer, err := s.Do("PING")
		if err == nil && answer == "+PONG" {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("redis-server does not answer: %q, %v", answer, err)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// Do sends one command on a connection of its own, and returns the first line of
// the answer, or the text when the answer is one. It is for what a client would
// not send.
func (s *Server) Do(command ...string) (string, error) {
	network := "unix"
	if s.opts.TCP {
		network = "tcp"
	}
	conn, err := net.DialTimeout(network, s.address(), time.Second)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(startLimit)); err != nil {
		return "", err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "*%d\r\n", len(command))
	for _, word := range command {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(word), word)
	}
	if _, err := conn.Write(b.Bytes()); err != nil {
		return "", err
	}
	r := bufio.NewReader(conn)
	line, err := r.ReadString('\n')
	if err != nil {
		return "", err
	}
	line = strings.TrimRight(line, "\r\n")
	size, err := strconv.Atoi(strings.TrimPrefix(line, "$"))
	if !strings.HasPrefix(line, "$") || err != nil || size < 0 {
		return line, nil
	}
	text := make([]byte, size)
	_, err = io.ReadFull(r, text)
	return string(text), err
}

// output keeps what a server wrote, for when it fails.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}
