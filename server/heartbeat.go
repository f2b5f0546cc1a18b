package server

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// heartbeat pings a socket's peer and ends the socket when no pong comes. It
// needs a goroutine only while a ping is under way.
type heartbeat struct {
	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
	pings   sync.WaitGroup
	paused  atomic.Int32 // the reader is held up by us: pongs are not read
}

func (b *heartbeat) start(sock *socket) {
	b.mu.Lock()
	defer b.mu.Unlock()
	every := sock.srv.opts.Heartbeat
	b.timer = time.AfterFunc(every, func() {
		b.mu.Lock()
		if b.stopped {
			b.mu.Unlock()
			return
		}
		b.pings.Add(1)
		b.mu.Unlock()
		defer b.pings.Done()
		b.ping(sock)
		b.mu.Lock()
		defer b.mu.Unlock()
		if !b.stopped {
			b.timer.Reset(every)
		}
	})
}

func (b *heartbeat) ping(sock *socket) {
	began, before := time.Now(), queued(sock.out.Conn)
	ctx, cancel := context.WithTimeout(sock.ctx, sock.srv.opts.PongTimeout)
	defer cancel()
	if sock.ws.Ping(ctx) == nil || sock.ctx.Err() != nil {
		return
	}
	// A pong may be late because a slow peer has not come to the ping yet, or
	// is in the middle of a long frame: as long as data moves it is there.
	if after := queued(sock.out.Conn); b.paused.Load() > 0 || sock.out.aliveSince(began) || after > 0 && after < before {
		return
	}
	sock.cut(closeSilent)
}

// stop ends the heartbeat and waits for a ping under way; the connection must
// be closed.
func (b *heartbeat) stop() {
	b.mu.Lock()
	b.stopped = true
	if b.timer != nil {
		b.timer.Stop()
	}
	b.mu.Unlock()
	b.pings.Wait()
}

func (b *heartbeat) pause()  { b.paused.Add(1) }
func (b *heartbeat) resume() { b.paused.Add(-1) }
