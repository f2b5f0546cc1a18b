package edge

import (
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// What is asked for over HTTP/2 of a server whose own WriteTimeout is shorter: silence ends
// no stream, and an answer that is not taken does, also when its handler has returned.
func TestStreamsOfHTTP2(t *testing.T) {
	const data, reset, timeout = 0, 3, 10 * time.Second
	for name, of := range map[string]struct {
		window  byte
		silence time.Duration
		ends    byte // by which frame
		after   time.Duration
	}{
		"silence before the header": {1, time.Minute, data, time.Minute},
		"an answer in no window":    {0, 0, reset, timeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := New(Options{WriteTimeout: timeout, Strangers: -1, StrangersPerAddress: -1})
				var protocols http.Protocols
				protocols.SetUnencryptedHTTP2(true)
				server := &http.Server{Protocols: &protocols, WriteTimeout: timeout / 2, Handler: e.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					select {
					case <-time.After(of.silence):
						_, _ = io.WriteString(w, "a")
					case <-r.Context().Done():
					}
				}))}
				near, far := net.Pipe()
				l := &oneConn{far, make(chan struct{}, 1)}
				l.free <- struct{}{}
				served := make(chan error, 1)
				go func() { served <- server.Serve(l) }()
				defer func() {
					near.Close()
					server.Close()
					<-served
				}()
				began := time.Now()
				_ = near.SetDeadline(began.Add(2 * max(of.silence, timeout)))
				go func() {
					_, _ = io.WriteString(near, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"+
						"\x00\x00\x06\x04\x00\x00\x00\x00\x00"+"\x00\x04\x00\x00\x00"+string(rune(of.window))+ // SETTINGS: the window
						"\x00\x00\x06\x01\x05\x00\x00\x00\x01"+"\x82\x86\x84\x41\x01a") // HEADERS: GET http / of a
				}()
				for {
					var head [9]byte
					if _, err := io.ReadFull(near, head[:]); err != nil {
						t.Fatalf("after %v: %v", time.Since(began), err)
					}
					length := int64(binary.BigEndian.Uint32(head[:4]) >> 8)
					if _, err := io.CopyN(io.Discard, near, length); err != nil {
						t.Fatal(err)
					}
					if kind := head[3]; kind == data && length > 0 || kind == reset {
						if took := time.Since(began); kind != of.ends || took != of.after {
							t.Errorf("a frame of kind %d comes after %v, not %d after %v", kind, took, of.ends, of.after)
						}
						return
					}
				}
			})
		})
	}
}

// oneConn is a listener with one connection.
type oneConn struct {
	net.Conn
	free chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	if _, ok := <-l.free; !ok {
		return nil, net.ErrClosed
	}
	return l.Conn, nil
}

func (l *oneConn) Close() error {
	close(l.free)
	return nil
}

func (l *oneConn) Addr() net.Addr { return l.LocalAddr() }

// A write deadline that the handler sets while something is written stays.
func TestOwnDeadlineDuringAWrite(t *testing.T) {
	w, own := &deadline{}, time.Now().Add(time.Hour)
	x := &exchange{control: http.NewResponseController(w), timeout: time.Minute, shared: true}
	_ = x.give(func() error { return x.SetWriteDeadline(own) })
	if !w.at.Equal(own) {
		t.Errorf("the deadline is %v, not %v", w.at, own)
	}
}

// deadline is an answer's write deadline.
type deadline struct {
	http.ResponseWriter
	at time.Time
}

func (d *deadline) SetWriteDeadline(at time.Time) error {
	d.at = at
	return nil
}
