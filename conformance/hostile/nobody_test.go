package hostile

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/aguiws/aguiws/conformance/internal/command"
)

// What takes no credential.

const (
	each = 40 // connections of a kind
	// forgotten is how long a connection of nobody may be kept, and slack what a machine
	// that does much else makes of it.
	forgotten, slack = 15 * time.Second, 10 * time.Second
)

// beginnings are requests that do not end.
func (s *siege) beginnings() map[string]string {
	assets, err := filepath.Glob(filepath.Join(command.Root(s.t), "web", "dist", "assets", "*.js"))
	if err != nil || len(assets) == 0 {
		s.t.Fatalf("the page has no scripts: %v", err)
	}
	largest, size := "", int64(0)
	for _, name := range assets {
		if info, err := os.Stat(name); err == nil && info.Size() > size {
			largest, size = name, info.Size()
		}
	}
	page := "GET /assets/" + filepath.Base(largest) + " HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 203.0.113.8\r\nAccept-Encoding: identity\r\n\r\n"
	return map[string]string{
		"nothing":                 "",
		"half a header":           "GET / HTTP/1.1\r\nHost: 127",
		"a body that is refused":  "POST /v1/threads/t/input HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n",
		"a body in pieces":        "POST /agui HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
		"a body for the page":     "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n",
		"a body for another host": "POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1000\r\n\r\n",
		"a handshake with a body": "GET /agui/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
		unread:                    strings.Repeat(page, 90),
	}
}

const (
	unread = "a page that is not read"
	// kernels is more than what the two kernels hold of it.
	kernels = 12 * mib
)

// nobodies hold connections for as long as they are let.
func nobodies(s *siege) {
	s.ended = make(chan struct{}, 1<<12)
	for kind, bytes := range s.beginnings() {
		n := each
		if kind == unread {
			n = 4
		}
		for range n {
			s.held++
			s.working.Go(func() {
				if s.nobody(kind, bytes) {
					s.ended <- struct{}{}
				}
			})
		}
	}
}

// nobody reports whether the server ended the connection in time.
func (s *siege) nobody(kind, bytes string) bool {
	c, err := net.Dial("tcp", s.server.Addr())
	if err != nil {
		return true // the server wants no more of them
	}
	defer c.Close()
	_ = c.SetWriteDeadline(time.Now().Add(forgotten))
	if kind == unread {
		_ = c.(*net.TCPConn).SetReadBuffer(4096)
	}
	_, _ = io.WriteString(c, bytes)
	_ = c.SetDeadline(time.Now().Add(forgotten + slack))
	if kind == unread {
		wait(context.Background(), forgotten+slack/2, nil)
		n, err := io.CopyN(io.Discard, c, kernels)
		return n < kernels && !isTimeout(err)
	}
	_, err = io.Copy(io.Discard, c)
	return !isTimeout(err)
}

func isTimeout(err error) bool {
	var n net.Error
	return err != nil && errors.As(err, &n) && n.Timeout()
}

// nobodiesEnded also holds the server to draining beside such connections.
func nobodiesEnded(s *siege) {
	s.working.Wait()
	if ended := len(s.ended); ended != s.held {
		s.t.Errorf("%d of %d connections of nobody were kept for more than %s", s.held-ended, s.held, forgotten)
	}
	for _, bytes := range s.beginnings() {
		c, err := net.Dial("tcp", s.server.Addr())
		if err != nil {
			s.t.Fatal(err)
		}
		defer c.Close()
		_, _ = io.WriteString(c, bytes[:min(len(bytes), 200)])
	}
	if status, text := s.request(s.t.Context(), http.MethodGet, victimToken, victimAddress, "/readyz", nil); status != http.StatusOK {
		s.t.Errorf("readyz says %d %s", status, text)
	}
	began := time.Now()
	s.server.Terminate()
	if took := time.Since(began); took > slack {
		s.t.Errorf("it took %s to drain, and nobody had anything to wait for", took)
	}
}

// commands are those that Redis has been sent.
func (s *siege) commands() int {
	info, err := s.redis.Do("INFO", "stats")
	if err != nil {
		s.t.Fatal(err)
	}
	_, after, _ := strings.Cut(info, "total_commands_processed:")
	n, err := strconv.Atoi(strings.TrimSpace(after[:strings.IndexByte(after, '\n')]))
	if err != nil {
		s.t.Fatalf("INFO stats: %v\n%s", err, info)
	}
	return n
}

// askReady asks as fast as it is answered.
func askReady(s *siege) {
	s.repeat(16, func(ctx context.Context, reached func()) {
		c, release, err := s.connect(ctx, 64<<10)
		if err != nil {
			return
		}
		defer release()
		for in := bufio.NewReader(c); ; {
			if _, err := io.WriteString(c, "GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: "+attackerAddress+"\r\n\r\n"); err != nil {
				return
			}
			answer, err := http.ReadResponse(in, nil)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
			reached()
		}
	})
}

// askedReadyInVain floods once more, with nobody else there, and counts what the
// store was asked.
func askedReadyInVain(s *siege) {
	const seconds, aSecond = 3, 500 // as many as one look a second takes, and what a server asks by itself
	s.ctx, s.end = context.WithCancel(s.t.Context())
	askReady(s)
	before := s.commands()
	wait(s.ctx, seconds*time.Second, nil)
	asked := s.commands() - before
	s.lift()
	s.t.Logf("Redis got %d commands in %d s", asked, seconds)
	if asked > seconds*aSecond {
		s.t.Errorf("Redis got %d commands in %d s while only readyz was asked for, more than %d a second", asked, seconds, aSecond)
	}
}

// smallFrames are frames that cost more than they weigh, each with what comes before.
func smallFrames() map[string]string {
	return map[string]string{
		frame(final|ping, ""): "", frame(final|pong, ""): "",
		frame(continuation, ""): frame(text, `{"type":"ws.ping"`), frame(continuation, "a"): frame(text, `{"x":"`),
	}
}

// controlFrames are written as fast as they are taken.
func controlFrames(s *siege) {
	for each, before := range smallFrames() {
		s.repeat(1, func(ctx context.Context, reached func()) { s.small(ctx, before, each, reached) })
	}
}

// small writes one frame after the other for as long as the server takes them, and
// returns how many those were.
func (s *siege) small(ctx context.Context, before, each string, reached func()) (taken int) {
	const batch = 500
	many := strings.Repeat(each, batch)
	c, in, release, err := s.socket(ctx, 64<<10, "agui.v1.json")
	if err != nil {
		return 0
	}
	defer release()
	gone := s.gone(in)
	_, err = io.WriteString(c, before)
	for err == nil {
		if _, err = io.WriteString(c, many); err == nil {
			taken += batch
		}
		reached()
	}
	release()
	<-gone
	return taken
}

// controlFramesCounted writes to one socket after the other, each for as long as it
// stays open but no longer than some seconds. What the kernels hold is not taken.
func controlFramesCounted(s *siege) {
	const seconds, most = 2, 300_000
	for each, before := range smallFrames() {
		ctx, cancel := context.WithTimeout(s.t.Context(), seconds*time.Second)
		taken := s.small(ctx, before, each, func() {})
		cancel()
		s.t.Logf("%d frames %x were taken of one socket", taken, each)
		if taken > most {
			s.t.Errorf("%d frames %x were taken of one socket in %d s", taken, each, seconds)
		}
	}
}
