package ws

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/server/internal/core"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/notices"
	"github.com/aguiws/aguiws/server/internal/peer"
)

// NoticesSubprotocol is the name of notices over a WebSocket, version 1.
const NoticesSubprotocol = "aguiws.notices.v1.json"

// ServeNotices tells notices by a WebSocket: a frame is a page.
func (s *Sockets) ServeNotices(w http.ResponseWriter, r *http.Request, rules core.WatchRules) {
	h, refused := s.shakeFor(r, NoticesSubprotocol)
	var q notices.Query
	if refused == nil {
		q, refused = s.Admit(r, h.Caller, rules)
	}
	if refused != nil {
		rules.Refuse(w, refused)
		return
	}
	sock := s.newSocket(h)
	sock.turns.Store(1) // as if one were taken: notices may come before the connection is there
	n, refused := s.Watch(sock.Peer, q)
	if refused == nil {
		session := &noticeSession{socket: sock, watching: n}
		session.silence = time.AfterFunc(s.opts.KeepAlive, session.hush)
		sock.mode, sock.answers = "notices", session
		if err := sock.accept(w, r, h); err == nil {
			sock.turns.Store(0)
			sock.start()
			return
		}
		session.silence.Stop()
		n.Unwatch()
	} else {
		rules.Refuse(w, refused)
	}
	sock.Cancel(peer.CloseGone)
	sock.release()
	s.Unreserve(h.Caller.User, h.Caller.Address)
}

// noticeSession tells notices. It does not look at what the client sends. All but quiet
// belongs to the goroutine that takes the turn.
type noticeSession struct {
	*socket
	watching *core.Watching
	silence  *time.Timer
	quiet    atomic.Bool // nothing was written for Options.KeepAlive
	retry    *time.Timer // after the store has failed; nil: none has been needed
}

func (s *noticeSession) hush() {
	s.quiet.Store(true)
	s.Poke()
}

func (s *noticeSession) parse([]byte) *frames.Frame { return &frames.Frame{Kind: "ignored"} }

func (s *noticeSession) received(f *frames.Frame) bool {
	f.Done()
	return true
}

func (s *noticeSession) Page(p *notices.Page) error {
	s.silence.Reset(s.srv.opts.KeepAlive)
	s.quiet.Store(false)
	return s.write(core.AppendPage(make([]byte, 0, core.PageSize(p)), p, true))
}

func (s *noticeSession) turn() error {
	select {
	case <-s.srv.Leave:
		return peer.CloseDraining
	default:
	}
	more, wait, err := s.watching.Advance(s)
	if err == nil && s.quiet.Swap(false) {
		err = s.watching.Breathe(s)
	}
	switch {
	case err != nil:
		return err
	case wait > 0 && s.retry == nil:
		s.retry = time.AfterFunc(wait, s.Poke)
	case wait > 0:
		s.retry.Reset(wait)
	case more:
		s.Poke()
	}
	return s.Flush()
}

func (s *noticeSession) end() {
	s.watching.Unwatch()
	s.silence.Stop()
	if s.retry != nil {
		s.retry.Stop()
	}
}
