// Package ws serves WebSockets: the binding and its plain mode, and notices. A socket has a
// reader and a session. The reader takes frames off the wire, checks them and puts them into a
// short queue. The session answers them one after the other and, between them, moves its
// cursors forward and writes what they find. It alone knows what was written to the socket, so
// nothing about positions needs a lock. Its output is gathered and goes out in one system call
// a turn.
//
// Both have a goroutine only while there is something to do. On Linux the connections of idle
// sockets are watched by one for all of them; elsewhere, and under TLS, the reader keeps its
// own.
//
// The server keeps nothing in memory for a socket that reads slowly: its cursors stay behind
// and read the log from the store later. A queue that is full holds up the reader, and thereby
// the sender.
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
