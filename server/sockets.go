package server

import (
	"context"
	"encoding/json"
	"time"

	"github.com/aguiws/aguiws/server/internal/conn"
	"github.com/aguiws/aguiws/server/internal/core"
)

// socketOptions are settings of WebSockets. server.Options describes each.
type socketOptions struct {
	Heartbeat, PongTimeout, KeepAlive, WriteTimeout time.Duration
	MaxFrameBytes                                   int64
	OutboundBuffer, ThreadsPerSocket                int
	FramesPerSecond                                 float64
	FrameBurst                                      int
	// Capabilities are what the hello of an agent's socket tells.
	Capabilities func(ctx context.Context, agent string) json.RawMessage
}

// sockets serves WebSockets.
type sockets struct {
	*core.Core
	opts    socketOptions
	parking conn.Parking
	quiet   time.Duration // for which a client says nothing before its socket holds no goroutine
}

func newSockets(c *core.Core, opts socketOptions) *sockets {
	return &sockets{Core: c, opts: opts, quiet: time.Second}
}
