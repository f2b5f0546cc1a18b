package server

import (
	"time"

	"github.com/aguiws/aguiws/server/internal/core"
)

// streamOptions are settings of streams over HTTP. server.Options describes each.
type streamOptions struct {
	KeepAlive      time.Duration
	MaxFrameBytes  int64
	OutboundBuffer int
	// Stops reports whether the run of an agent is stopped when the client of a post leaves.
	Stops func(agent string) bool
}

// streams serves Server-Sent Events.
type streams struct {
	*core.Core
	opts streamOptions
}

func newStreams(c *core.Core, opts streamOptions) *streams { return &streams{c, opts} }
