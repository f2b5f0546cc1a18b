package server

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/coder/websocket"
)

// socket is a peer on a WebSocket: a reader, which is the handler's goroutine,
// and a session, which answers what the reader takes in.
type socket struct {
	*peer
	ws    *websocket.Conn
	out   *outbound
	inbox chan *frame
	beat  heartbeat
}

// session answers a socket's frames until the socket's context ends.
type session interface {
	run() error
}

func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	h, refused := s.shake(r)
	if refused == nil {
		refused = s.reserve(h.caller)
	}
	if refused != nil {
		refused.write(w)
		return
	}
	defer s.unreserve(h.caller)

	sock := &socket{peer: s.newPeer(context.Background(), h.caller, h.agent), inbox: make(chan *frame, 8)}
	defer sock.cancel(closeGone)
	if err := sock.accept(w, r, h); err != nil {
		sock.log.Debug("handshake failed", "error", err)
		return
	}
	defer sock.ws.CloseNow()
	mode := "full"
	if h.plain {
		mode = "plain"
	}
	s.metrics.sockets.WithLabelValues(mode).Inc()
	defer s.metrics.sockets.WithLabelValues(mode).Dec()
	s.track(sock)
	defer s.untrack(sock)

	var answers session
	if h.plain {
		answers = newPlainSession(sock)
	} else {
		answers = newFullSession(sock)
	}
	sock.serve(answers, h.plain)
}

// accept answers the handshake. From then on all that is written passes
// through sock.out.
func (sock *socket) accept(w http.ResponseWriter, r *http.Request, h *handshake) error {
	opts := &websocket.AcceptOptions{
		OnPingReceived: func(context.Context, []byte) bool { return sock.out.backlog() < pongBacklog },
	}
	if h.origin != "" {
		opts.OriginPatterns = []string{asPattern(h.origin)}
	}
	if !h.plain {
		opts.Subprotocols = []string{Subprotocol}
	}
	ws, err := websocket.Accept(&hijacker{w, sock}, r, opts)
	if err != nil {
		return err
	}
	ws.SetReadLimit(sock.srv.opts.MaxFrameBytes)
	sock.ws = ws
	return nil
}

// hijacker gives the WebSocket library our own connection.
type hijacker struct {
	http.ResponseWriter
	sock *socket
}

func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	opts := &h.sock.srv.opts
	if tcp, ok := conn.(interface{ SetWriteBuffer(int) error }); ok {
		tcp.SetWriteBuffer(opts.OutboundBuffer)
	}
	h.sock.out = newOutbound(conn, opts.WriteTimeout, h.sock.poke)
	return h.sock.out, bufio.NewReadWriter(rw.Reader, bufio.NewWriterSize(h.sock.out, 512)), nil
}

// serve runs the session and the reader until both have ended.
func (sock *socket) serve(answers session, plain bool) {
	defer context.AfterFunc(sock.ctx, sock.hurry)()
	done := make(chan struct{})
	go func() {
		defer close(done)
		sock.close(sock.guard(answers.run))
	}()
	sock.beat.start(sock)
	if expiry := sock.expire(); expiry != nil {
		defer expiry.Stop()
	}
	sock.cancel(sock.guard(func() error { return sock.read(plain) }))
	<-done
	sock.beat.stop()
	for len(sock.inbox) > 0 {
		(<-sock.inbox).done()
	}
}

// guard turns a panic into the end of this socket alone.
func (sock *socket) guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			sock.log.Error("panic", "value", p, "stack", string(debug.Stack()))
			err = closeFault
		}
	}()
	return f()
}

// close ends the connection, with the closing handshake if the peer may still
// be there. The session's goroutine calls it, so nothing else is being written.
func (sock *socket) close(err error) {
	c := closingOf(err)
	if c != err {
		sock.log.Error("socket fails", "error", err)
	}
	sock.cancel(c)
	if c.code == 0 || sock.out.finish() != nil {
		sock.ws.CloseNow()
	} else {
		sock.ws.Close(c.code, c.reason)
	}
	sock.srv.metrics.closed.WithLabelValues(strconv.Itoa(int(c.code))).Inc()
	sock.log.Debug("socket closed", "code", int(c.code), "reason", c.reason)
}

// cut ends the connection at once. The library's own CloseNow would wait for a
// closing handshake that is under way.
func (sock *socket) cut(why *closing) {
	sock.cancel(why)
	sock.out.Conn.Close()
}

// hurry keeps a slow peer from holding up the end of the socket.
func (sock *socket) hurry() {
	at := time.Now()
	if closingOf(context.Cause(sock.ctx)).code != 0 {
		at = at.Add(farewell)
	}
	sock.out.giveUp(at)
}

// write gathers one text frame.
func (sock *socket) write(data []byte) error {
	if sock.out.full() {
		if err := sock.flush(); err != nil {
			return err
		}
	}
	return writing(sock.ws.Write(context.Background(), websocket.MessageText, data))
}

// flush writes what was gathered.
func (sock *socket) flush() error { return writing(sock.out.Flush()) }
