package ws

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

// start pings until ctx ends, and calls silent when the peer is not there.
func (b *heartbeat) start(ctx context.Context, opts *Options, peer link, silent func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	every := opts.Heartbeat
	b.timer = time.AfterFunc(every, func() {
		b.mu.Lock()
		if b.stopped {
			b.mu.Unlock()
			return
		}
		b.pings.Add(1)
		b.mu.Unlock()
		defer b.pings.Done()
		b.ping(ctx, opts.PongTimeout, peer, silent)
		b.mu.Lock()
		defer b.mu.Unlock()
		if !b.stopped {
			b.timer.Reset(every)
		}
	})
}

func (b *heartbeat) ping(ctx context.Context, timeout time.Duration, peer link, silent func()) {
	within, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if !peer.Ping(within) && ctx.Err() == nil && b.paused.Load() == 0 {
		silent()
	}
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
