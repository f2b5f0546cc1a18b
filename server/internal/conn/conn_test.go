package conn

import (
	"bufio"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/server/internal/conn/conntest"
)

// handler is a response that gives its connection away.
type handler struct {
	*httptest.ResponseRecorder
	network net.Conn
}

func (h handler) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return h.network, bufio.NewReadWriter(bufio.NewReader(h.network), bufio.NewWriter(h.network)), nil
}

// upgrade makes of a request one for a WebSocket.
func upgrade(r *http.Request) {
	for name, value := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg=="} {
		r.Header.Set(name, value)
	}
}

// accept serves a connection.
func accept(t testing.TB, network net.Conn, opts *Options) *Conn {
	t.Helper()
	r := httptest.NewRequest("GET", "/", nil)
	upgrade(r)
	opts.MaxMessage, opts.OutboundBuffer, opts.WriteTimeout = 4<<20, 1<<20, time.Minute
	if opts.Gathered == nil {
		opts.Gathered = func() {}
	}
	if opts.Parking == nil {
		opts.Parking = &Parking{}
	}
	c, err := Accept(handler{httptest.NewRecorder(), network}, r, opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Pings of a peer that reads nothing are not answered without bound.
func TestPingFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		ended := make(chan struct{})
		var c *Conn
		c = accept(t, far, &Options{Reader: func() {
			defer close(ended)
			if text, err := c.Read(); err == nil {
				t.Errorf("got %q", text)
			}
		}})
		c.Await()
		ping := conntest.Frame(true, 9, make([]byte, 100))
		for range 2000 {
			if _, err := near.Write(ping); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if n := c.out.backlog(); n > pongBacklog+200 {
			t.Errorf("%d bytes of pongs wait", n)
		}
		near.Close()
		<-ended
		c.Close(0, "")
	})
}

// What was read that must not be is told apart.
func TestReadRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		sent []byte
		want error
	}{
		"binary":    {conntest.Frame(true, 2, []byte("x")), ErrBinary},
		"not UTF-8": {conntest.Frame(true, 1, []byte{0xff}), ErrUTF8},
		"too big":   {conntest.Frame(true, 1, []byte(strings.Repeat("x", 4<<20+1))), ErrTooBig},
	} {
		t.Run(name, func(t *testing.T) {
			near, far := net.Pipe()
			defer near.Close()
			go near.Write(c.sent)
			socket := accept(t, far, &Options{Reader: func() {}})
			if _, err := socket.Read(); err != c.want {
				t.Errorf("got %v", err)
			}
			go discard(near)
			socket.Close(0, "")
		})
	}
}

func discard(network net.Conn) {
	buf := make([]byte, 4<<10)
	for {
		if _, err := network.Read(buf); err != nil {
			return
		}
	}
}

var _ http.Hijacker = handler{}
