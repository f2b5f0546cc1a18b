package hostile

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"
)

// The kinds of frames.
const (
	continuation = 0x0
	text         = 0x1
	ping         = 0x9
	pong         = 0xA
	final        = 0x80
)

// connect opens a connection of an attacker for whom the kernel holds little. It is
// closed when ctx ends, and by release.
func (s *siege) connect(ctx context.Context, receive int) (c net.Conn, release func(), err error) {
	d := net.Dialer{Timeout: 5 * time.Second, Control: func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, receive)
			_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_SNDBUF, 64<<10)
		})
	}}
	c, err = d.DialContext(ctx, "tcp", s.server.Addr())
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, func() { c.Close() })
	return c, func() { stop(); c.Close() }, nil
}

// head is the beginning of a request of the attacker.
func head(method, path string, more ...string) string {
	lines := append([]string{method + " " + path + " HTTP/1.1", "Host: 127.0.0.1", "Authorization: Bearer " + attackerToken, "X-Forwarded-For: " + attackerAddress}, more...)
	return strings.Join(lines, "\r\n") + "\r\n\r\n"
}

// socket opens a WebSocket of the attacker; an empty subprotocol asks for plain mode.
func (s *siege) socket(ctx context.Context, receive int, subprotocol string) (c net.Conn, in *bufio.Reader, release func(), err error) {
	c, release, err = s.connect(ctx, receive)
	if err != nil {
		return nil, nil, nil, err
	}
	lines := []string{"Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="}
	if subprotocol != "" {
		lines = append(lines, "Sec-WebSocket-Protocol: "+subprotocol)
	}
	if _, err = io.WriteString(c, head("GET", "/agui/ws", lines...)); err == nil {
		in = bufio.NewReaderSize(c, 4096)
		err = accepted(in)
	}
	if err != nil {
		release()
		return nil, nil, nil, err
	}
	return c, in, release, nil
}

// accepted reads the answer to a handshake.
func accepted(in *bufio.Reader) error {
	for first := true; ; first = false {
		line, err := in.ReadString('\n')
		switch {
		case err != nil:
			return err
		case first && !strings.Contains(line, " 101 "):
			return fmt.Errorf("the handshake was answered %q", line)
		case line == "\r\n":
			return nil
		}
	}
}

// frame is one whose mask changes nothing.
func frame(kind byte, payload string) string {
	return announce(kind, len(payload)) + payload
}

// announce is the header of a frame.
func announce(kind byte, size int) string {
	b := []byte{kind}
	switch {
	case size < 126:
		b = append(b, 0x80|byte(size))
	case size < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(size))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x80|127), uint64(size))
	}
	return string(append(b, 0, 0, 0, 0))
}

// drain reads until the connection ends.
func drain(in io.Reader) { _, _ = io.Copy(io.Discard, in) }

// wait returns when ctx ends, after d, or when the channel is closed.
func wait(ctx context.Context, d time.Duration, gone <-chan struct{}) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	case <-gone:
	}
}

// gone is closed when the other side has ended the connection, whose bytes are read
// and forgotten.
func (s *siege) gone(in io.Reader) <-chan struct{} {
	ended := make(chan struct{})
	s.working.Go(func() {
		defer close(ended)
		drain(in)
	})
	return ended
}
