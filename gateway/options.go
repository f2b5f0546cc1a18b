package gateway

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Options configure an Upstream. The zero value of each field is its default.
type Options struct {
	// Name is how logs and metrics call it. Default: the URL's host.
	Name string
	// Header is sent with each request. Values are never logged.
	Header http.Header
	// PassHeaders names headers of the caller that go along, as far as the run has them
	// (admission.Input.Headers). Hop-by-hop ones are refused.
	PassHeaders []string
	// UserHeader names the header that has the run's User in each request, percent-encoded
	// where it is not printable ASCII. It is left out for a run whose user is not known, and no
	// caller can set it. Default: the agent is not told.
	UserHeader string
	// Dialect is one of Dialects; "" is DialectAuto.
	Dialect Dialect
	// History says what of the conversation a run brings. Default HistoryWhole.
	History History
	// Idempotent says that a request with a run id that was sent before is answered by the
	// same run, or may run again: what a lost worker has left is then sent again, silently.
	// It and AskLost may differ from what a run was begun with.
	Idempotent bool
	// AskLost has a human asked what became of a run whose worker, or whose agent, was lost
	// after it was sent. Without it such a run ends in RUN_ERROR worker_lost, or with the code
	// CodeTruncated or CodeTimeout.
	AskLost bool
	// Yes and No are what the agent takes for one, JSON: they are offered for questions without
	// a schema, and a cancellation is sent as the No if that fits the question. nil: as the
	// dialect has it.
	Yes, No json.RawMessage
	// OwnMetadata believes the member "aguiws" of an interrupt's metadata, and reasons of
	// that namespace, as a server of this module sends them whose agents are trusted. Without
	// it the member is left out, but for separateDuties, and the reason is of the dialect.
	OwnMetadata bool
	// SeparateDuties has each interrupt resolved by somebody else than whose messages led to
	// it, where the runner separates duties: see adapter.AnotherResolves.
	SeparateDuties bool
	// StopURL is POSTed {"threadId","runId"} to when a run is cancelled; "": closing the
	// request says it.
	StopURL string
	// CapabilitiesURL answers GET with the agent's capabilities; "": URL + "/capabilities".
	CapabilitiesURL string
	// ConnectTimeout bounds connecting, TLS included. Default 5 s.
	ConnectTimeout time.Duration
	// FirstByteTimeout bounds the time from sending to the first event. Default 60 s.
	FirstByteTimeout time.Duration
	// SilenceTimeout bounds the time between two events; comments count. Default 5 min.
	SilenceTimeout time.Duration
	// RunTimeout bounds a request. Default 1 h.
	RunTimeout time.Duration
	// MaxEventBytes and MaxRunBytes bound an event and all that a request is answered with,
	// after decompression. An agent may repeat all messages in one event, pictures included.
	// Defaults 16 MiB and 256 MiB.
	MaxEventBytes, MaxRunBytes int64
	// Concurrency is how many requests may be under way here; more wait, for RunTimeout at
	// most. Default 1,000.
	Concurrency int
	// TLS is of https; nil is the system's trust.
	TLS *tls.Config
	// Observe is told what happens; nil: nobody is. It must not block.
	Observe func(Observation)
	// Logger; nil: slog.Default().
	Logger *slog.Logger

	// In tests.
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
	afterEnd time.Duration // Default 5 s, for what comes behind a run's end.
}

// History says what of the conversation a run brings.
type History string

const (
	HistoryWhole History = ""    // all messages, as the store has them
	HistoryNew   History = "new" // those that the agent has not been sent yet: it keeps its threads itself
)
