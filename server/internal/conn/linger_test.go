package conn

import (
	"bufio"
	"bytes"
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/server/internal/conn/conntest"
)

// deadlines is a connection that counts how often its deadline for reading is set.
type deadlines struct {
	net.Conn
	set int
}

func (c *deadlines) SetReadDeadline(t time.Time) error {
	c.set++
	return c.Conn.SetReadDeadline(t)
}

// A reader leaves when its peer has said nothing for a while, whatever it pings; not
// within a message; and at once when it came for a pong.
func TestReaderLingers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer near.Close()
		network := &deadlines{Conn: far}
		o := newOutbound(network, time.Minute, func() {})
		o.in.quiet = time.Second
		o.reader(bufio.NewReader(far))
		buf := make([]byte, 512)
		read := func(want []byte, after time.Duration) {
			t.Helper()
			began := time.Now()
			n, err := o.Read(buf)
			if err != nil || !bytes.Equal(buf[:n], want) || time.Since(began) != after {
				t.Fatalf("got %x, %v after %s, not %x after %s", buf[:n], err, time.Since(began), want, after)
			}
		}
		send := func(after time.Duration, pieces ...[]byte) {
			go func() {
				for _, piece := range pieces {
					<-time.After(after)
					near.Write(piece)
				}
			}()
		}
		text, ping := conntest.Frame(true, 1, []byte("x")), conntest.Frame(true, 9, nil)

		// A new connection is expected to say something.
		o.mayLeave()
		send(900*time.Millisecond, text)
		read(text, 900*time.Millisecond)
		send(900*time.Millisecond, text)
		read(text, 900*time.Millisecond)
		send(600*time.Millisecond, ping)
		read(ping, 600*time.Millisecond)
		read(emptyMessage, 400*time.Millisecond)
		if !o.hasLeft() {
			t.Error("the reader is not told to leave")
		}

		o.mayLeave()
		send(time.Hour, ping) // whoever was woken may wait for what woke it
		read(ping, time.Hour)
		read(emptyMessage, 0)

		o.mayLeave()
		before := network.set
		send(time.Microsecond, bytes.Repeat(text, 8))
		read(bytes.Repeat(text, 8), time.Microsecond)
		for range 500 {
			send(time.Millisecond, text)
			read(text, time.Millisecond)
		}
		if n := network.set - before; n > 3 {
			t.Errorf("%d deadlines for 500 messages", n)
		}
		send(900*time.Millisecond, text[:3])
		read(text[:3], 900*time.Millisecond)
		began := time.Now()
		if _, err := o.Read(buf); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began).Truncate(time.Second) != messageTime {
			t.Errorf("within a message %v after %s", err, time.Since(began))
		}
	})
}

// Nobody else's deadline ends a reader, and none makes it turn in circles.
func TestForeignDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer near.Close()
		network := &deadlines{Conn: far}
		o := newOutbound(network, time.Minute, func() {})
		o.reader(bufio.NewReader(far))
		far.SetReadDeadline(time.Now().Add(time.Second))
		go func() {
			<-time.After(time.Minute)
			near.Write([]byte("x"))
		}()
		if n, err := o.Read(make([]byte, 512)); n != 1 || err != nil || network.set > 2 {
			t.Errorf("%d, %v, %d deadlines", n, err, network.set)
		}
	})
}
