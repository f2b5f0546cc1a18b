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
)

// working counts goroutines of sockets.
func working() int {
	stacks := make([]byte, 8<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return strings.Count(string(stacks), "server.(*socket).reader(") + strings.Count(string(stacks), "server.(*socket).work.func")
}

// A socket on which nothing happens holds no goroutine, also when it has been
// pinged, and answers all the same.
func TestIdleSocketsHoldNoGoroutine(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("connections are watched on Linux only")
	}
	b := newFake()
	ts := newTestServer(t, b, &Options{Heartbeat: 300 * time.Millisecond})
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
	conn, err := net.Dial("tcp", ts.http.Listener.Addr().String())
	if err != nil {
		ts.t.Fatal(err)
	}
	ts.t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(patience))
	request := "GET /agui/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
		"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Protocol: " + Subprotocol + "\r\n\r\n"
	if _, err := conn.Write(append([]byte(request), follows...)); err != nil {
		ts.t.Fatal(err)
	}
	return conn, bufio.NewReader(conn)
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
	ping := func(id string) []byte { return clientFrame(true, 1, []byte(`{"type":"ws.ping","id":"`+id+`"}`)) }
	ts := newTestServer(t, newFake(), nil)
	for name, early := range map[string][]byte{
		"a frame":                  ping("early"),
		"two frames":               append(ping("first"), ping("early")...),
		"a control frame":          clientFrame(true, 10, nil),
		"a frame and half of one":  append(ping("early"), ping("late")[:9]...),
		"one byte":                 ping("early")[:1],
		"a large one and one more": append(clientFrame(true, 1, []byte(`{"type":"ws.ping","x":"`+strings.Repeat("x", 3000)+`"}`)), ping("early")...),
		"nothing":                  nil,
	} {
		t.Run(name, func(t *testing.T) {
			conn, r := ts.raw(early)
			until(t, r, `"ws.hello"`)
			switch name {
			case "one byte":
				conn.Write(ping("early")[1:])
			case "nothing", "a control frame":
				conn.Write(ping("early"))
			}
			until(t, r, `"id":"early"`)
			if name == "a frame and half of one" {
				conn.Write(ping("late")[9:])
				until(t, r, `"id":"late"`)
			}
			eventually(t, "it leaves", func() bool { return runtime.GOOS != "linux" || working() == 0 })

			text := []byte(`{"type":"ws.ping","id":"fragments"}`)
			for _, piece := range [][]byte{
				clientFrame(false, 1, text[:10]), clientFrame(true, 10, []byte("unasked")), clientFrame(false, 0, nil), clientFrame(true, 0, text[10:]),
			} {
				for _, b := range piece {
					conn.Write([]byte{b})
					runtime.Gosched()
				}
			}
			until(t, r, `"id":"fragments"`)
			// An empty message of the peer's own is one.
			conn.Write(clientFrame(true, 1, nil))
			until(t, r, `"malformed_frame"`)
			conn.Write(clientFrame(true, 9, []byte("there?")))
			until(t, r, "there?")
			conn.Write(clientFrame(true, 8, []byte{3, 232}))
			until(t, r, "\x88\x02\x03\xe8")
		})
	}
	eventually(t, "all are given back", func() bool { return ts.openSockets() == 0 })
}
