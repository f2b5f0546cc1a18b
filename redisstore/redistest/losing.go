package redistest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"sync/atomic"
)

// ErrReplyLost is what a reader gets in place of a reply that Losing took: the
// command was carried out, and the connection broke. It is an io.EOF, as a
// broken connection mostly is.
var ErrReplyLost = fmt.Errorf("redistest: the reply was lost: %w", io.EOF)

// Dial opens a connection.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Losing is dial with connections that lose what lose says: it is asked at each
// command that runs a script, from several goroutines. Unlike a Proxy it needs
// no address of its own, so that it stands before servers that tell clients
// where to go, and before a server inside the process.
func Losing(dial Dial, lose func() bool) Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &losingConn{Conn: c, lose: lose}, nil
	}
}

type losingConn struct {
	net.Conn
	lose   func() bool
	losing atomic.Bool
}

func (c *losingConn) Write(b []byte) (int, error) {
	if (bytes.Contains(b, []byte("eval")) || bytes.Contains(b, []byte("fcall"))) && c.lose() {
		c.losing.Store(true)
	}
	return c.Conn.Write(b)
}

func (c *losingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 && c.losing.Load() {
		_ = c.Close()
		return 0, ErrReplyLost
	}
	return n, err
}
