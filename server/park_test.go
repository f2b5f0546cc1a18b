package server

import (
	"bufio"
	"context"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	agui "github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/server/internal/conn"
	"github.com/aguiws/aguiws/server/internal/conn/conntest"
	"github.com/aguiws/aguiws/server/internal/ws"
)

// working counts goroutines of sockets.
func working() int {
	stacks := make([]byte, 8<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return strings.Count(string(stacks), "ws.(*socket).reader(") + strings.Count(string(stacks), "ws.(*socket).work.func")
}

// A socket on which nothing happens holds no goroutine, also when it has been
// pinged, and answers all the same.
func TestIdleSocketsHoldNoGoroutine(t *testing.T) {
	if !conn.Parks {
		t.Skip("connections are not watched here")
	}
	b := newFake()
	ts := newTestServer(t, b, &Options{Heartbeat: 300 * time.Millisecond})
	ts.sockets.Quiet = 100 * time.Millisecond
	var clients []*client
	pinged := make(chan struct{}, 1000)
	for range 20 {
		c := ts.connect("/agui/ws", &agui.DialOptions{OnPing: func() { pinged <- struct{}{} }})
		clients = append(clients, c)
		c.expect("ws.hello")
		c.follow("t")
	}
	frames := make(chan string, 1000)
	for _, c := range clients {
		go func() {
			for {
				f, err := c.ws.Receive(context.Background())
				if err != nil {
					return
				}
				frames <- string(f.Data)
			}
		}()
	}
	for range 3 * len(clients) {
		<-pinged
	}
	eventually(t, "no socket holds a goroutine", func() bool { return working() == 0 })
	b.log(localThread, `{"type":"RUN_STARTED"}`)
	for range clients {
		for !strings.Contains(<-frames, "RUN_STARTED") {
		}
	}
	for _, c := range clients {
		c.send(`{"type":"ws.ping"}`)
	}
	for range clients {
		if f := <-frames; !strings.Contains(f, "ws.pong") {
			t.Errorf("got %s", f)
		}
	}
	eventually(t, "no socket holds a goroutine again", func() bool { return working() == 0 })
	for _, c := range clients[:5] {
		c.ws.CloseNow() // nobody is there to notice but the kernel
	}
	eventually(t, "sockets whose clients have gone are given back", func() bool { return ts.openSockets() == len(clients)-5 })
	for _, c := range clients[5:] {
		defer c.ws.CloseNow()
	}
	ts.stop() // and nothing holds it up
}

// raw opens a socket by hand and sends what follows together with the request.
func (ts *testServer) raw(follows []byte) (net.Conn, *bufio.Reader) {
	ts.t.Helper()
	network, err := net.Dial("tcp", ts.http.Listener.Addr().String())
	if err != nil {
		ts.t.Fatal(err)
	}
	ts.t.Cleanup(func() { network.Close() })
	network.SetDeadline(time.Now().Add(patience))
	request := "GET /agui/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
		"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Protocol: " + ws.Subprotocol + "\r\n\r\n"
	if _, err := network.Write(append([]byte(request), follows...)); err != nil {
		ts.t.Fatal(err)
	}
	return network, bufio.NewReader(network)
}

// until reads until a text comes.
func until(t *testing.T, r *bufio.Reader, text string) {
	t.Helper()
	got := ""
	for !strings.Contains(got, text) {
		b, err := r.ReadByte()
		if err != nil {
			t.Fatalf("no %s in %q: %v", text, got, err)
		}
		got += string([]byte{b})
	}
}

// Whatever comes in one piece with the request, or in small pieces with pauses
// between them, is taken in.
func TestFramesInPieces(t *testing.T) {
	ping := func(id string) []byte { return conntest.Frame(true, 1, []byte(`{"type":"ws.ping","id":"`+id+`"}`)) }
	ts := newTestServer(t, newFake(), nil)
	ts.sockets.Quiet = 20 * time.Millisecond
	for name, early := range map[string][]byte{
		"a frame":                  ping("early"),
		"two frames":               append(ping("first"), ping("early")...),
		"a control frame":          conntest.Frame(true, 10, nil),
		"a frame and half of one":  append(ping("early"), ping("late")[:9]...),
		"one byte":                 ping("early")[:1],
		"a large one and one more": append(conntest.Frame(true, 1, []byte(`{"type":"ws.ping","x":"`+strings.Repeat("x", 3000)+`"}`)), ping("early")...),
		"nothing":                  nil,
	} {
		t.Run(name, func(t *testing.T) {
			network, r := ts.raw(early)
			until(t, r, `"ws.hello"`)
			switch name {
			case "one byte":
				network.Write(ping("early")[1:])
			case "nothing", "a control frame":
				network.Write(ping("early"))
			}
			until(t, r, `"id":"early"`)
			if name == "a frame and half of one" {
				network.Write(ping("late")[9:])
				until(t, r, `"id":"late"`)
			}
			eventually(t, "it leaves", func() bool { return !conn.Parks || working() == 0 })

			text := []byte(`{"type":"ws.ping","id":"fragments"}`)
			for _, piece := range [][]byte{
				conntest.Frame(false, 1, text[:10]), conntest.Frame(true, 10, []byte("unasked")), conntest.Frame(false, 0, nil), conntest.Frame(true, 0, text[10:]),
			} {
				for _, b := range piece {
					network.Write([]byte{b})
					runtime.Gosched()
				}
			}
			until(t, r, `"id":"fragments"`)
			// An empty message of the peer's own is one.
			network.Write(conntest.Frame(true, 1, nil))
			until(t, r, `"malformed_frame"`)
			network.Write(conntest.Frame(true, 9, []byte("there?")))
			until(t, r, "there?")
			network.Write(conntest.Frame(true, 8, []byte{3, 232}))
			until(t, r, "\x88\x02\x03\xe8")
		})
	}
	eventually(t, "all are given back", func() bool { return ts.openSockets() == 0 })
}
