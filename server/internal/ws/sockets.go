// Package ws serves WebSockets: the binding and its plain mode, and notices. A socket has a
// reader and a session.
package ws

import (
	"context"
	"encoding/json"
	"time"

	"github.com/aguiws/aguiws/server/internal/conn"
	"github.com/aguiws/aguiws/server/internal/core"
)

// Options are settings of WebSockets. server.Options describes each.
type Options struct {
	Heartbeat, PongTimeout, KeepAlive, WriteTimeout time.Duration
	MaxFrameBytes                                   int64
	OutboundBuffer, ThreadsPerSocket                int
	FramesPerSecond                                 float64
	FrameBurst                                      int
	// Capabilities are what the hello of an agent's socket tells.
	Capabilities func(ctx context.Context, agent string) json.RawMessage
}

// Sockets serves WebSockets.
type Sockets struct {
	*core.Core
	opts    Options
	parking conn.Parking
	// Quiet is for how long a client says nothing before its socket holds no goroutine.
	Quiet time.Duration
}

// New returns what serves the sockets of a core. The caller calls Close.
func New(c *core.Core, opts Options) *Sockets {
	return &Sockets{Core: c, opts: opts, Quiet: time.Second}
}

// Close ends what watches idle sockets, which there must be none of any more.
func (s *Sockets) Close() { s.parking.Close() }
