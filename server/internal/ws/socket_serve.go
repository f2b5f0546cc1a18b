package ws

import (
	"context"
	"net/http"

	"github.com/aguiws/aguiws/server/internal/budget"
	"github.com/aguiws/aguiws/server/internal/conn"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/peer"
)

// ServeSocket answers the handshake of a socket, and returns while the socket is served.
func (s *Sockets) ServeSocket(w http.ResponseWriter, r *http.Request) {
	h, refused := s.shake(r)
	if refused == nil && s.Memory.Short(peer.ShedSockets) {
		refused = peer.RefuseMemory
	}
	if refused == nil {
		refused = s.Reserve(h.Caller.User, h.Caller.Address)
	}
	if refused != nil {
		refused.Write(w)
		return
	}
	sock := s.newSocket(h)
	if err := sock.accept(w, r, h); err != nil {
		sock.Log.Debug("handshake failed", "error", err)
		sock.Cancel(peer.CloseGone)
		sock.release()
		s.Unreserve(h.Caller.User, h.Caller.Address)
		return
	}
	// The handler returns: what net/http holds for a request would else stay as
	// long as the socket. Shutdown waits for it, because it was reserved.
	sock.start()
}

func (s *Sockets) newSocket(h *handshake) *socket {
	sock := &socket{srv: s, Peer: s.NewPeer(context.Background(), h.Caller, h.agent), inbox: make(chan *frames.Frame, 8), eased: make(chan struct{}, 1), done: make(chan struct{})}
	sock.frames = s.Account(budget.Frames, h.Caller)
	sock.frames.Join(sock.Out.Account)
	cancel := sock.Cancel
	sock.Cancel = func(why error) {
		cancel(why)
		if !sock.ended.Swap(true) && sock.link != nil {
			sock.hurry()
			sock.Poke()
		}
	}
	sock.OnPoke = sock.work
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
		Quiet: s.Quiet, Gathered: sock.Poke, Reader: sock.reader, Parking: &s.parking,
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
	s.Metrics.Sockets.WithLabelValues(sock.mode).Inc()
	s.Track(sock)
	sock.unwatch = s.Revocations.Watch(sock.Identity.Revoked, sock)
	sock.expiry = sock.Expire()
	sock.beat.start(sock.Ctx, &s.opts, sock.link, func() { sock.Cut(peer.CloseSilent) })
	sock.Poke()
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
	sock.Cancel(err)
	<-sock.done
	sock.finish()
}

// release gives back what the socket holds of the budget.
func (sock *socket) release() {
	sock.frames.Close()
	sock.Out.Account.Close()
}

func (sock *socket) finish() {
	s := sock.srv
	sock.beat.stop()
	if sock.expiry != nil {
		sock.expiry.Stop()
	}
	sock.unwatch()
	sock.release()
	s.Untrack(sock)
	s.Metrics.Sockets.WithLabelValues(sock.mode).Dec()
	s.Unreserve(sock.Caller.User, sock.Caller.Address)
}
