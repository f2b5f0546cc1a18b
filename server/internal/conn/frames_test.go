package conn

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/aguiws/aguiws/server/internal/budget"
	"github.com/aguiws/aguiws/server/internal/conn/conntest"
)

// received reads a frame as a server sends it: whole, unmasked, with the shortest head.
func received(r *bufio.Reader) (first byte, payload []byte, err error) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(r, head); err != nil {
		return 0, nil, err
	}
	size, least := uint64(head[1]), uint64(0)
	switch size {
	case 126:
		length := make([]byte, 2)
		_, err = io.ReadFull(r, length)
		size, least = uint64(binary.BigEndian.Uint16(length)), 126
	case 127:
		length := make([]byte, 8)
		_, err = io.ReadFull(r, length)
		size, least = binary.BigEndian.Uint64(length), 1<<16
	}
	if err == nil && (size < least || size > 1<<20) {
		err = fmt.Errorf("a frame %x of %d bytes", head, size)
	}
	if err != nil {
		return 0, nil, err
	}
	payload = make([]byte, size)
	_, err = io.ReadFull(r, payload)
	return head[0], payload, err
}

// What is written is read by the library's client as it was, whatever its size.
func TestText(t *testing.T) {
	sizes := []int{0, 1, 125, 126, 127, 65535, 65536, 300_000}
	var parking Parking
	defer parking.Close()
	wrote := make(chan error, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := Accept(w, r, &Options{MaxMessage: 1, OutboundBuffer: 1 << 20, WriteTimeout: time.Minute, Gathered: func() {}, Parking: &parking})
		for i := 0; err == nil && i < len(sizes); i++ {
			err = c.Write([]byte(strings.Repeat("x", sizes[i])))
		}
		if err == nil {
			err = c.Flush()
		}
		c.Close(0, "")
		wrote <- err
	}))
	defer s.Close()
	ws, _, err := websocket.Dial(context.Background(), s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	ws.SetReadLimit(1 << 20)
	for _, n := range sizes {
		kind, text, err := ws.Read(context.Background())
		if err != nil || kind != websocket.MessageText || string(text) != strings.Repeat("x", n) {
			t.Fatalf("of %d bytes came %d, %v, %v", n, len(text), kind, err)
		}
	}
	if err := <-wrote; err != nil {
		t.Fatal(err)
	}
}

// No frame lies within another, whoever writes meanwhile, and none comes behind the
// closing frame.
func TestFramesStayWhole(t *testing.T) {
	for name, closes := range map[string]func(c *Conn, peer net.Conn){
		"the peer closes": func(_ *Conn, peer net.Conn) { peer.Write(conntest.Frame(true, 8, []byte{3, 232})) },
		"the peer errs":   func(_ *Conn, peer net.Conn) { peer.Write([]byte{0x83, 0x80, 0, 0, 0, 0}) },
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			near, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer near.Close()
			far, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			var parking Parking
			defer parking.Close()
			var all sync.WaitGroup
			gathered, ended := make(chan struct{}, 1), make(chan struct{})
			var c *Conn
			c = accept(t, far, &Options{Parking: &parking,
				Gathered: func() {
					select {
					case gathered <- struct{}{}:
					default:
					}
				},
				Reader: func() {
					switch _, err := c.Read(); err {
					case ErrIdle:
						c.Await()
					default:
						close(ended)
					}
				}})
			c.Await()
			all.Go(func() { // the session
				sizes := []int{0, 1, 100, 125, 126, 600, 1, 180, 500, 70_000}
				for i := 0; ; i++ {
					text := fmt.Sprint(i, " ") + strings.Repeat("\x88", sizes[i%len(sizes)]) // bytes that would pass for heads
					err := c.Write([]byte(text))
					if err == nil && i%3 == 0 {
						err = c.Flush()
					}
					if err != nil {
						break
					}
				}
				<-ended
				c.Close(0, "")
			})
			all.Go(func() { // the heartbeat
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				for c.ws.Ping(ctx) == nil {
				}
			})
			all.Go(func() { // who answers pings
				for {
					select {
					case <-gathered:
						c.Flush()
					case <-ended:
						return
					}
				}
			})
			r := bufio.NewReaderSize(near, 256<<10)
			texts, pings, pongs, closed := 0, 0, 0, false
			say := func(frame []byte) { // nothing behind its own closing frame, which would reset the connection
				if texts < 1000 {
					near.Write(frame)
				}
			}
			for {
				first, payload, err := received(r)
				if err != nil {
					if !closed {
						t.Errorf("without a closing frame: %v", err)
					}
					break
				}
				if closed {
					t.Errorf("frame %x of %d bytes comes behind the closing frame", first, len(payload))
				}
				switch first {
				case 0x81:
					if !bytes.HasPrefix(payload, []byte(fmt.Sprint(texts, " "))) || len(bytes.Trim(payload, "0123456789 \x88")) > 0 {
						t.Fatalf("text %d is %.40q", texts, payload)
					}
					texts++
					if texts%20 == 1 {
						say(conntest.Frame(true, 9, []byte(strings.Repeat("p", texts%126))))
					}
				case 0x89:
					pings++
					say(conntest.Frame(true, 10, payload))
				case 0x8a:
					pongs++
					if len(bytes.Trim(payload, "p")) > 0 {
						t.Errorf("pong %q", payload)
					}
				case 0x88:
					closed = true
				default:
					t.Fatalf("frame %x", first)
				}
				if texts == 1000 && first == 0x81 {
					closes(c, near)
				}
			}
			near.Close()
			all.Wait()
			if texts < 1000 || pings == 0 || pongs == 0 {
				t.Errorf("%d texts, %d pings, %d pongs", texts, pings, pongs)
			}
		})
	}
}

// A frame is copied, and that is all.
func TestWriteAllocatesNothing(t *testing.T) {
	o := newOutbound(&tally{}, time.Minute, func() {})
	c := &Conn{}
	c.out.Conn, c.out.gathered, c.out.writing, c.out.timeout = o.Conn, o.gathered, o.writing, time.Minute
	event := []byte(strings.Repeat("x", 180))
	if err := errors.Join(c.Write(event), c.Write(make([]byte, budget.FlushAt/2))); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		if err := c.Write(event); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("a frame allocates %v times", n)
	}
}

// taking is a connection that takes everything and keeps nothing.
type taking struct{ *tally }

func (taking) Write(p []byte) (int, error) { return len(p), nil }

// A message that is larger than what is gathered is not copied: a snapshot may have megabytes.
func TestWriteCopiesNoLargeText(t *testing.T) {
	o := newOutbound(taking{&tally{}}, time.Minute, func() {})
	c := &Conn{}
	c.out.Conn, c.out.gathered, c.out.writing, c.out.timeout = o.Conn, o.gathered, o.writing, time.Minute
	text := make([]byte, 4<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 8 {
		if err := c.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes >= uint64(len(text)) {
		t.Errorf("%d bytes were allocated for 8 texts of %d", bytes, len(text))
	}
}

// BenchmarkWrite is what a frame of 180 bytes costs until the system has it, 64 of them
// at a time.
func BenchmarkWrite(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer near.Close()
	far, err := l.Accept()
	if err != nil {
		b.Fatal(err)
	}
	go io.Copy(io.Discard, near)
	c := accept(b, far, &Options{Reader: func() {}})
	event := []byte(strings.Repeat("x", 180))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := c.Write(event); err != nil {
			b.Fatal(err)
		}
		if i%64 == 63 {
			if err := c.Flush(); err != nil {
				b.Fatal(err)
			}
		}
	}
	c.Close(0, "")
}
