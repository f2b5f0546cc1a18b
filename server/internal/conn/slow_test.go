package conn

import (
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/aguiws/aguiws/server/internal/conn/conntest"
)

// reading is a connection in memory, of which one message is read.
func reading(t *testing.T, opts *Options) (peer net.Conn, text chan string, ended chan error) {
	t.Helper()
	near, far := net.Pipe()
	c := accept(t, far, opts)
	text, ended = make(chan string, 1), make(chan error, 1)
	go func() {
		got, err := c.Read()
		text <- string(got)
		ended <- err
		go discard(near)
		c.Close(0, "")
	}()
	return near, text, ended
}

// A message that trickles ends, whatever is sent in between.
func TestTrickle(t *testing.T) {
	message := conntest.Frame(true, 1, make([]byte, 64<<10))
	piece := conntest.Frame(false, 0, []byte("x"))
	ping := conntest.Frame(true, 9, nil)
	for name, c := range map[string]struct{ begin, piece []byte }{
		"a byte each 4 s":           {message[:100], []byte("x")},
		"nothing more":              {message[:100], nil},
		"a head":                    {message[:1], nil},
		"pings between fragments":   {conntest.Frame(false, 1, []byte("x")), ping},
		"a small fragment each 4 s": {conntest.Frame(false, 1, []byte("x")), piece},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				peer, _, ended := reading(t, &Options{})
				began := time.Now()
				go func() {
					peer.Write(c.begin)
					for {
						<-time.After(4 * time.Second)
						if _, err := peer.Write(c.piece); err != nil {
							return
						}
					}
				}()
				if err := <-ended; err != ErrSlow || time.Since(began) > 35*time.Second {
					t.Errorf("got %v after %s", err, time.Since(began))
				}
				peer.Close()
				synctest.Wait()
				<-time.After(5 * time.Second)
			})
		})
	}
}

// A large message may take as long as a slow line needs for it, and time in which the
// server reads nothing is the server's.
func TestSlowLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waited := false
		peer, text, ended := reading(t, &Options{Grow: func(int64) error {
			if !waited {
				waited = true
				<-time.After(time.Minute)
			}
			return nil
		}})
		message := conntest.Frame(true, 1, []byte(strings.Repeat("x", 4<<20)))
		for len(message) > 0 {
			n := min(len(message), 64<<10)
			if _, err := peer.Write(message[:n]); err != nil {
				t.Fatal(err, len(message))
			}
			message = message[n:]
			<-time.After(time.Second)
		}
		if got := <-text; len(got) != 4<<20 {
			t.Errorf("got %d bytes, %v", len(got), <-ended)
		}
		peer.Close()
	})
}

// Control frames and small pieces of messages are counted.
func TestFlood(t *testing.T) {
	for name, c := range map[string]struct{ begin, each []byte }{
		"pings":             {nil, conntest.Frame(true, 9, nil)},
		"pongs":             {nil, conntest.Frame(true, 10, []byte("x"))},
		"empty fragments":   {conntest.Frame(false, 1, []byte("{")), conntest.Frame(false, 0, nil)},
		"fragments of one":  {conntest.Frame(false, 1, []byte("{")), conntest.Frame(false, 0, []byte("x"))},
		"fragments of 1000": {conntest.Frame(false, 1, []byte("{")), conntest.Frame(false, 0, make([]byte, 1000))},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				peer, _, ended := reading(t, &Options{SmallFrames: 20})
				sent := 0
				_, err := peer.Write(c.begin)
				for ; err == nil && sent < 10_000; sent++ {
					_, err = peer.Write(c.each)
				}
				if why := <-ended; why != ErrFlood || sent < 300 || sent > 1000 {
					t.Errorf("got %v after %d", why, sent)
				}
				peer.Close()
			})
		})
	}
}

// The closing handshake ends with a peer that goes on with small frames, and is held with
// one that has sent some of them before it hears of the end.
func TestFloodWhileItCloses(t *testing.T) {
	for name, c := range map[string]struct {
		begin, each []byte
		more        int
		handshake   bool
	}{
		"pings":                  {nil, conntest.Frame(true, 9, nil), 10_000, false},
		"empty fragments":        {conntest.Frame(false, 1, []byte("{")), conntest.Frame(false, 0, nil), 10_000, false},
		"fragments of seven":     {conntest.Frame(false, 1, []byte("{")), conntest.Frame(false, 0, make([]byte, 7)), 10_000, false},
		"some pings":             {nil, conntest.Frame(true, 9, nil), 300, true},
		"some empty fragments":   {conntest.Frame(false, 1, []byte("{")), conntest.Frame(false, 0, nil), 300, true},
		"some fragments of 1000": {conntest.Frame(false, 1, []byte("{")), conntest.Frame(false, 0, make([]byte, 1000)), 300, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				peer, far := net.Pipe()
				conn := accept(t, far, &Options{SmallFrames: 20})
				closing, closed := make(chan struct{}), make(chan struct{})
				go func() {
					defer close(closed)
					if _, err := conn.Read(); err != ErrFlood {
						t.Errorf("got %v", err)
					}
					close(closing)
					conn.Close(int(websocket.StatusPolicyViolation), "too many")
				}()
				go discard(peer)
				_, err := peer.Write(c.begin)
				for before := true; err == nil && before; {
					select {
					case <-closing:
						before = false
					default:
						_, err = peer.Write(c.each)
					}
				}
				sent := 0
				for ; err == nil && sent < c.more; sent++ {
					_, err = peer.Write(c.each)
				}
				if c.handshake {
					if _, err := peer.Write(conntest.Frame(true, 8, []byte{0x03, 0xf0})); err != nil {
						t.Errorf("the closing frame was not taken after %d: %v", sent, err)
					}
				} else if sent > 1000 {
					t.Errorf("%d were taken", sent)
				}
				began := time.Now()
				<-closed
				if took := time.Since(began); took > 0 {
					t.Errorf("the end took %s", took)
				}
				peer.Close()
			})
		})
	}
}

// A peer may ping now and then, and send a message in pieces of any number that are not
// small.
func TestHonestFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer, text, ended := reading(t, &Options{SmallFrames: 20})
		for range 600 {
			if _, err := peer.Write(conntest.Frame(true, 9, nil)); err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Second)
		}
		for i := range 2000 {
			opcode := byte(1)
			if i > 0 {
				opcode = 0
			}
			if _, err := peer.Write(conntest.Frame(i == 1999, opcode, []byte(strings.Repeat("x", 1<<10)))); err != nil {
				t.Fatal(err)
			}
		}
		if got := <-text; len(got) != 2000<<10 {
			t.Errorf("got %d bytes, %v", len(got), <-ended)
		}
		peer.Close()
	})
}

// Room is asked for before a message takes it, by what came and not by what it says it
// will have.
func TestRoomIsAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("full")
		granted := int64(0)
		peer, _, ended := reading(t, &Options{Grow: func(bytes int64) error {
			if granted+bytes > 64<<10 {
				return full
			}
			granted += bytes
			return nil
		}})
		message := conntest.Frame(true, 1, make([]byte, 1<<20))
		if _, err := peer.Write(message[:20]); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if granted != 0 {
			t.Errorf("%d bytes for a message that has begun", granted)
		}
		go peer.Write(message[20:])
		if err := <-ended; err != full || granted != 64<<10 {
			t.Errorf("got %v after %d bytes", err, granted)
		}
		peer.Close()
		synctest.Wait()
	})
}
