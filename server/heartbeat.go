package server

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// pinger is what a heartbeat pings.
type pinger interface {
	// Ping reports whether the peer is there.
	Ping(context.Context) bool
}

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
	ctx, cancel := context.WithTimeout(sock.ctx, sock.srv.opts.PongTimeout)
	defer cancel()
	if sock.link.Ping(ctx) || sock.ctx.Err() != nil || b.paused.Load() > 0 {
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
