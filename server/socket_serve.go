package server

import (
	"context"
	"net/http"

	"github.com/aguiws/aguiws/server/internal/budget"
	"github.com/aguiws/aguiws/server/internal/conn"
	"github.com/aguiws/aguiws/server/internal/frames"
)

func (s *core) serveSocket(w http.ResponseWriter, r *http.Request) {
	h, refused := s.shake(r)
	if refused == nil && s.memory.short(shedSockets) {
		refused = refuseMemory
	}
	if refused == nil {
		refused = s.reserve(h.caller.user, h.caller.address, &s.opts)
	}
	if refused != nil {
		refused.Write(w)
		return
	}
	sock := s.newSocket(h)
	if err := sock.accept(w, r, h); err != nil {
		sock.log.Debug("handshake failed", "error", err)
		sock.cancel(closeGone)
		sock.release()
		s.unreserve(h.caller.user, h.caller.address)
		return
	}
	// The handler returns: what net/http holds for a request would else stay as
	// long as the socket. Shutdown waits for it, because it was reserved.
	sock.start()
}

func (s *core) newSocket(h *handshake) *socket {
	sock := &socket{peer: s.newPeer(context.Background(), h.caller, h.agent), inbox: make(chan *frames.Frame, 8), eased: make(chan struct{}, 1), done: make(chan struct{})}
	sock.frames = s.account(budget.Frames, h.caller)
	sock.frames.Join(sock.out.account)
	cancel := sock.cancel
	sock.cancel = func(why error) {
		cancel(why)
		if !sock.ended.Swap(true) && sock.link != nil {
			sock.hurry()
			sock.poke()
		}
	}
	sock.onPoke = sock.work
	if sock.mode = "full"; h.plain {
		plain := newPlainSession(sock, h)
		if sock.mode, sock.answers = "plain", plain; h.resumes != nil {
			sock.answers = &resumedSession{plain, h.resumes}
		}
	} else {
		sock.answers = newFullSession(sock)
	}
	return sock
}

// accept answers the handshake.
func (sock *socket) accept(w http.ResponseWriter, r *http.Request, h *handshake) error {
	s := sock.srv
	opts := &conn.Options{
		Origin: h.origin, MaxMessage: s.opts.MaxFrameBytes, OutboundBuffer: s.opts.OutboundBuffer, WriteTimeout: s.opts.WriteTimeout,
		Grow: sock.grow, SmallFrames: s.opts.FramesPerSecond,
		Quiet: s.quiet, Gathered: sock.poke, Reader: sock.reader, Parking: &s.parking,
	}
	if !h.plain {
		opts.Subprotocols = []string{h.subprotocol}
	}
	c, err := conn.Accept(w, r, opts)
	if err != nil {
		return err
	}
	sock.link = c
	return nil
}

// start begins to serve the socket. finish ends that.
func (sock *socket) start() {
	s := sock.srv
	s.metrics.Sockets.WithLabelValues(sock.mode).Inc()
	s.track(sock)
	sock.unwatch = s.revocations.watch(sock.identity.Revoked, sock)
	sock.expiry = sock.expire()
	sock.beat.start(sock.ctx, &s.opts, sock.link, func() { sock.cut(closeSilent) })
	sock.poke()
	sock.link.Await()
}

// reader takes in what the peer sends. It leaves when nothing is left of that,
// and for good when the connection has ended.
func (sock *socket) reader() {
	err := sock.guard(sock.read)
	if err == conn.ErrIdle {
		sock.link.Await()
		return
	}
	sock.cancel(err)
	<-sock.done
	sock.finish()
}

// release gives back what the socket holds of the budget.
func (sock *socket) release() {
	sock.frames.Close()
	sock.out.account.Close()
}

func (sock *socket) finish() {
	s := sock.srv
	sock.beat.stop()
	if sock.expiry != nil {
		sock.expiry.Stop()
	}
	sock.unwatch()
	sock.release()
	s.untrack(sock)
	s.metrics.Sockets.WithLabelValues(sock.mode).Dec()
	s.unreserve(sock.caller.user, sock.caller.address)
}
