package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/server"
)

// TestMain makes the test binary a server when it is started as one.
func TestMain(m *testing.M) {
	if kind := os.Getenv("BENCH_SERVE"); kind != "" {
		if err := serve(kind, os.Getenv("BENCH_REDIS")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// serve serves until standard input ends. Each line of it is answered with what
// the process holds.
func serve(kind, redis string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	switch kind {
	case "bare":
		go http.Serve(l, http.HandlerFunc(bare))
	case "aguiws":
		store, err := redisstore.Open(context.Background(), redis, nil)
		if err != nil {
			return err
		}
		defer store.Close()
		quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
		agent := adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil })
		runner, err := adapter.NewRunner(store, &adapter.Options{Agents: map[string]adapter.Agent{"": agent}, Logger: quiet})
		if err != nil {
			return err
		}
		s, err := server.New(runner, &server.Options{Logger: quiet, Sockets: 1 << 20})
		if err != nil {
			return err
		}
		go s.Serve(l)
		defer func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			s.Shutdown(ctx)
		}()
	}
	fmt.Println(l.Addr())
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		debug.FreeOSMemory()
		debug.FreeOSMemory() // a stack shrinks by half a collection
		debug.FreeOSMemory()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Println(resident(), m.HeapInuse, m.StackInuse, runtime.NumGoroutine())
	}
	return nil
}

func bare(w http.ResponseWriter, r *http.Request) {
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer c.CloseNow()
	for {
		if _, _, err := c.Read(r.Context()); err != nil {
			return
		}
	}
}

// resident is what the kernel counts for this process, in bytes.
func resident() int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	kib, _ := strconv.Atoi(strings.Fields(after)[0])
	return kib << 10
}

// process is such a server, seen from here.
type process struct {
	b    *testing.B
	addr string
	in   io.WriteCloser
	out  *bufio.Reader
	cmd  *exec.Cmd
}

func launch(b *testing.B, kind, redis string) *process {
	b.Helper()
	p := &process{b: b, cmd: exec.Command(os.Args[0])}
	p.cmd.Env = append(os.Environ(), "BENCH_SERVE="+kind, "BENCH_REDIS="+redis)
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	p.in, p.out = in, bufio.NewReader(out)
	p.addr = p.line()
	return p
}

func (p *process) line() string {
	text, err := p.out.ReadString('\n')
	if err != nil {
		p.b.Fatalf("the server has ended: %v", err)
	}
	return strings.TrimSpace(text)
}

func (p *process) end() {
	p.in.Close()
	_ = p.cmd.Wait()
}

// usage is what a server holds.
type usage struct{ resident, heap, stack, goroutines int }

func (p *process) usage() (u usage) {
	fmt.Fprintln(p.in)
	if _, err := fmt.Sscan(p.line(), &u.resident, &u.heap, &u.stack, &u.goroutines); err != nil {
		p.b.Fatal(err)
	}
	return u
}

// open opens a socket with as little of a client as will do, and leaves it.
func open(addr, protocol, attach string, pinged func()) (net.Conn, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	request := "GET /agui/ws HTTP/1.1\r\nHost: " + addr + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
	if protocol != "" {
		request += "Sec-WebSocket-Protocol: " + protocol + "\r\n"
	}
	if _, err := c.Write([]byte(request + "\r\n")); err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(c, 512)
	wait := "\r\n\r\n"
	if attach != "" {
		// Masked with zeros, which leaves it as it is.
		frame := append([]byte{0x81, 0x80 | byte(len(attach)), 0, 0, 0, 0}, attach...)
		if _, err := c.Write(frame); err != nil {
			return nil, err
		}
		wait = `"ws.live"`
	}
	c.SetReadDeadline(time.Now().Add(30 * time.Second))
	got := ""
	for !strings.Contains(got, wait) {
		b, err := r.ReadByte()
		if err != nil {
			return nil, fmt.Errorf("%w after %q", err, got)
		}
		got += string(b)
	}
	if _, err := r.Discard(r.Buffered()); err != nil { // the rest of ws.live
		return nil, err
	}
	c.SetReadDeadline(time.Time{})
	go pong(c, r, pinged)
	return c, nil
}

// pong answers pings until the connection is closed, and tells of each.
func pong(c net.Conn, r *bufio.Reader, pinged func()) {
	for {
		head, err := r.Peek(2)
		if err != nil {
			return
		}
		length := int(head[1])
		payload, err := r.Peek(2 + length)
		if err != nil {
			return
		}
		if head[0] == 0x89 {
			c.Write(append([]byte{0x8a, 0x80 | byte(length), 0, 0, 0, 0}, payload[2:]...))
			pinged()
		}
		r.Discard(2 + length)
	}
}

func BenchmarkIdleSockets(b *testing.B) {
	sockets := 10_000
	if text := os.Getenv("AGUIWS_SOCKETS"); text != "" {
		var err error
		if sockets, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	redis := redistest.Start(b, redistest.Options{})
	for range b.N {
		bare := idle(b, launch(b, "bare", ""), sockets, "", false)
		ours := idle(b, launch(b, "aguiws", redis.URL()), sockets, "agui.v1.json", true)
		b.ReportMetric(float64(bare.resident), "bare-B/socket")
		b.ReportMetric(float64(ours.resident), "aguiws-B/socket")
		b.ReportMetric(float64(ours.resident)/float64(bare.resident), "ratio")
		b.Logf("%d sockets, each: bare %+v, aguiws %+v", sockets, bare, ours)
	}
}

// idle opens sockets and returns what each has added.
func idle(b *testing.B, p *process, sockets int, protocol string, attached bool) usage {
	b.Helper()
	defer p.end()
	// The first ones pay for what all share.
	conns := make([]net.Conn, 0, sockets+100)
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	pinged := make(chan struct{}, sockets+100)
	fill := func(n int) {
		var mu sync.Mutex
		var opening sync.WaitGroup
		next := make(chan int)
		for range 16 {
			opening.Go(func() {
				for i := range next {
					attach := ""
					if attached {
						attach = fmt.Sprintf(`{"type":"ws.attach","threadId":"thread-%d"}`, i)
					}
					c, err := open(p.addr, protocol, attach, sync.OnceFunc(func() { pinged <- struct{}{} }))
					mu.Lock()
					if err != nil {
						b.Error(err)
					} else {
						conns = append(conns, c)
					}
					mu.Unlock()
				}
			})
		}
		for i := range n {
			next <- len(conns) + i
		}
		close(next)
		opening.Wait()
		if b.Failed() {
			b.FailNow()
		}
	}
	fill(100)
	before := p.usage()
	fill(sockets)
	if attached {
		// A socket that has been pinged has shown what it keeps for that.
		for range len(conns) {
			select {
			case <-pinged:
			case <-time.After(2 * time.Minute):
				b.Fatal("not every socket is pinged")
			}
		}
	}
	after := p.usage()
	each := func(a, b int) int { return (b - a) / sockets }
	return usage{each(before.resident, after.resident), each(before.heap, after.heap), each(before.stack, after.stack), each(before.goroutines, after.goroutines)}
}
