// Package sse serves Server-Sent Events: the answers to posts, threads that are followed,
// CopilotKit's streams and notices.
package sse

import (
	"time"

	"github.com/aguiws/aguiws/server/internal/core"
)

// Options are settings of streams over HTTP. server.Options describes each.
type Options struct {
	KeepAlive      time.Duration
	MaxFrameBytes  int64
	OutboundBuffer int
	// Stops reports whether the run of an agent is stopped when the client of a post leaves.
	Stops func(agent string) bool
}

// Streams serves Server-Sent Events.
type Streams struct {
	*core.Core
	opts Options
}

// New returns what serves the streams of a core.
func New(c *core.Core, opts Options) *Streams { return &Streams{c, opts} }
