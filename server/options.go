package server

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/sse"
	"github.com/aguiws/aguiws/server/internal/ws"
	"github.com/aguiws/aguiws/server/login"
	"github.com/aguiws/aguiws/server/metrics"
	"github.com/aguiws/aguiws/server/signin"
	"github.com/aguiws/aguiws/server/webhook"
)

// Options are a Server's settings. The zero value serves loopback clients
// without authentication. New copies them.
type Options struct {
	// Auth decides who a request is from: None, Tokens or JWT of package server/identity, or
	// one of your own. Default identity.None, which serves only on loopback addresses.
	Auth identity.Authenticator
	// Hosts are the names under which the server may be addressed, "name" for
	// any port or "name:port"; others are refused, which is what stops DNS
	// rebinding. Loopback names are always allowed. Default: no others.
	Hosts []string
	// Origins are the origins of pages that may use the server, such as
	// "https://app.example.com", besides the server's own. "http://localhost:*" is
	// any port, and the names of loopback are one. New refuses what no page can be
	// from. If a proxy ends TLS, the server's own origin must be listed. Default: no
	// others; with None, when the Host is a loopback name, any page that was served by one.
	Origins []string
	// Agents are the names served under /agui/{agent}/, which may not be ws,
	// capabilities or threads. The default agent is served under its name, if it has one
	// (runner.Options.Default), whether or not it is among them. New refuses a
	// name that is none of runner.Options.Agents. Default: no others.
	Agents []string
	// PassHeaders names the headers of a request that go along with its input, to be read
	// by the agent (adapter.Run.Headers), such as "Authorization". A POST passes its own,
	// and a socket those of its handshake for as long as it is open. /v1 passes those of
	// the call that gives the last answer. They lie in the store until the run has ended.
	// New refuses those of a connection and of the WebSocket handshake. Default: none.
	PassHeaders []string
	// Identities say who agents are, by name: the
	// identity among their capabilities. Default: nothing is said.
	Identities map[string]protocol.IdentityCapabilities
	// Multimodal says which media agents take and make, by name: pages offer to attach
	// what an agent takes. Default: nothing is said.
	Multimodal map[string]protocol.MultimodalCapabilities
	// Capabilities ask agents what they can do, by name: the
	// answer is nil for nothing, and is not changed. They are asked when somebody wants to know,
	// one call for each agent at a time, and what was answered stands for five minutes. ctx is
	// done after a second. Capabilities that this server gives to each agent go before what
	// they say. Default: agents say nothing themselves.
	Capabilities map[string]func(ctx context.Context) (*protocol.AgentCapabilities, error)
	// Fallback serves every other path. No user is recognised there: see Strangers.
	// Default: 404.
	Fallback http.Handler
	// Base is a path such as "/agents" below which browsers and clients find the server. Their
	// requests come with it, or without it where a proxy or http.StripPrefix takes it away.
	// Give the page (web.Options) and PublicURL of sign-ins and logins the same. Default: the
	// root of the host.
	Base string
	// Ready reports why the server should get no traffic, for /readyz. It is
	// called once a second at most, however many ask. Default: it is ready until
	// it drains.
	Ready func(context.Context) error
	// Suggest says what a reader could say next, to CopilotKit pages that ask
	// for it; in is their conversation and instruction, which no thread holds.
	// It must have no effects, is called concurrently, and must return soon
	// after ctx is done. Default: there are no suggestions.
	Suggest func(ctx context.Context, agent string, in *protocol.RunAgentInput) ([]Suggestion, error)
	// Webhooks are shown and handled under /v1/webhooks, and counted. The maker of the
	// sender shuts it down. Default: there are none.
	Webhooks *webhook.Sender
	// Logins are users' logins at other services: the Service that is the runner's
	// Options.Logins. Default: there are none.
	Logins *login.Service
	// SignIn lets people sign in to the page at a provider. Auth goes on deciding who sends
	// a bearer token. It is for another Auth than None. Default: nobody signs in so.
	SignIn *signin.Service
	// Store is the runner's, if it can be asked and told of the nodes that share it:
	// *redisstore.Store can. It is shown under /v1/store, and its nodes under /v1/nodes.
	// Default: this node alone is shown.
	Store Operated
	// Metrics count what the server does, for /metrics. Default: new ones.
	Metrics *metrics.Metrics
	// Logger gets ids and codes, never a payload or a credential. Default:
	// slog.Default().
	Logger *slog.Logger

	// Heartbeat is the time between pings. Default 25 s.
	Heartbeat time.Duration
	// PongTimeout is how long a pong may take. Default 10 s.
	PongTimeout time.Duration
	// KeepAlive is how long a stream over HTTP may be silent before it gets a
	// comment, which proxies take for life. Default 15 s.
	KeepAlive time.Duration
	// WriteTimeout is how long a client may take nothing of what is written, on
	// sockets, streams and in any other answer. Default 10 s.
	WriteTimeout time.Duration
	// CallTimeout bounds one call of the runner: a submit, a cancel, an attach.
	// Default 8 s.
	CallTimeout time.Duration
	// OnDisconnect says what becomes of a run whose client over HTTP closes the connection
	// that asked for it. Its keys are routes, "/agui" and "/copilotkit", and agents, one
	// without a name as "default"; an agent's value goes before a route's. Default:
	// "/agui" stop, "/copilotkit" finish.
	OnDisconnect map[string]Disconnect
	// DisconnectGrace is after how long such a run is stopped, unless somebody follows
	// the thread by then. Default 3 s; negative: it is stopped at once.
	DisconnectGrace time.Duration
	// MaxFrameBytes bounds a frame from a client. Default 4 MiB.
	MaxFrameBytes int64
	// OutboundBuffer bounds what the kernel holds for a client that does not
	// read, in bytes. Default 1 MiB.
	OutboundBuffer int
	// ThreadsPerSocket is how many threads one socket may follow. Default 16.
	ThreadsPerSocket int
	// FramesPerSecond and FrameBurst limit what one socket may send. Default 20,
	// and twice as many at once.
	FramesPerSecond float64
	FrameBurst      int
	// Sockets is how many sockets the process serves. Default 10,000.
	Sockets int
	// SocketsPerUser is how many of them one user may have. Default 64.
	SocketsPerUser int
	// SocketsPerAddress is how many of them one address may have. Default 256.
	// Here and below a negative number means no limit, users of None are not
	// told apart and therefore not limited, and neither are loopback addresses.
	SocketsPerAddress int
	// Strangers is how many connections of Serve may be open without a request of
	// somebody who was recognised, idle ones included, and StrangersPerAddress how
	// many of them of one address. The oldest makes room for a new one. A quarter of
	// the descriptors that the process may have is the most. Defaults 4,096 and 256.
	Strangers, StrangersPerAddress int
	// RequestsPerAddress and RequestsPerUser limit requests a second, handshakes
	// of sockets included; RequestBurst may come at once. Defaults 100 and 50, and at
	// once twice as many of an address and four times as many of a user.
	RequestsPerAddress, RequestsPerUser float64
	RequestBurst                        int
	// InputsPerMinute and InputBurst limit the inputs of one user, over all
	// connections. Default 120, and half as many at once.
	InputsPerMinute float64
	InputBurst      int
	// AttachesPerMinute and AttachBurst limit how often one user attaches to threads,
	// over all connections: the store keeps something of each for two minutes, also of
	// those that nobody has used. Default 600, and
	// twice as many at once.
	AttachesPerMinute float64
	AttachBurst       int
	// TrustedProxies are the networks of proxies whose X-Forwarded-For says
	// whom they speak for; Forwarded is not read. Default: none, the peer is who
	// asks.
	TrustedProxies []netip.Prefix
	// HeldBytes bounds what is held for clients: frames and bodies from their first byte
	// until their effect is done, and replies until they were taken, each with about what
	// it takes in memory. A request that finds no room in CallTimeout is refused with 503,
	// and a socket is closed with 1013. A half is for one of frames, bodies and replies at
	// most, and an eighth for small amounts of those who hold little. Default 256 MiB, and
	// no less than 32 times MaxFrameBytes.
	HeldBytes int64
	// HeldPerUser and HeldPerAddress are the shares of one user and of one address.
	// Defaults an eighth and a quarter of HeldBytes.
	HeldPerUser, HeldPerAddress int64
	// MemoryLimit is what the process may take: runtime/debug.SetMemoryLimit is the
	// caller's to call. Above 80 % of it new sockets are refused and the server is not
	// ready, above 90 % new runs. Default 0: there is no limit.
	MemoryLimit int64
}

// Operated is what operators are shown of a store. All methods may be called concurrently.
type Operated interface {
	// Node is this process's id in the store.
	Node() string
	// TellNode makes known to Nodes what this node tells of itself; nothing: it leaves.
	TellNode(ctx context.Context, about []byte) error
	Nodes(ctx context.Context) ([]store.NodeTold, error)
	// Servers are those of the store. Beside an error that wraps store.ErrPartial, those
	// that answered.
	Servers(ctx context.Context) ([]store.Server, error)
}

// Suggestion is something that a page offers its reader to say next.
type Suggestion struct {
	Title   string // short: the text of a button
	Message string // what is said when it is chosen
}

func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Auth == nil {
		c.Auth = identity.None{}
	}
	if c.Metrics == nil {
		c.Metrics = metrics.New()
	}
	if c.Fallback == nil {
		c.Fallback = http.NotFoundHandler()
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	orElse(&c.Heartbeat, 25*time.Second)
	orElse(&c.PongTimeout, 10*time.Second)
	orElse(&c.KeepAlive, 15*time.Second)
	orElse(&c.WriteTimeout, 10*time.Second)
	orElse(&c.CallTimeout, 8*time.Second)
	orElse(&c.DisconnectGrace, 3*time.Second)
	orElse(&c.MaxFrameBytes, 4<<20)
	orElse(&c.OutboundBuffer, 1<<20)
	orElse(&c.ThreadsPerSocket, 16)
	orElse(&c.FramesPerSecond, 20)
	orElse(&c.FrameBurst, burst(2*c.FramesPerSecond))
	orElse(&c.Sockets, 10_000)
	orElse(&c.SocketsPerUser, 64)
	orElse(&c.SocketsPerAddress, 256)
	orElse(&c.Strangers, 4096)
	orElse(&c.StrangersPerAddress, 256)
	orElse(&c.RequestsPerAddress, 100)
	orElse(&c.RequestsPerUser, 50)
	orElse(&c.InputsPerMinute, 120)
	orElse(&c.InputBurst, burst(c.InputsPerMinute/2))
	orElse(&c.AttachesPerMinute, 600)
	orElse(&c.AttachBurst, burst(2*c.AttachesPerMinute))
	orElse(&c.HeldBytes, 256<<20)
	c.HeldBytes = max(c.HeldBytes, heldFrames*c.MaxFrameBytes, 1<<20)
	orElse(&c.HeldPerUser, c.HeldBytes/8)
	orElse(&c.HeldPerAddress, c.HeldBytes/4)
	return c
}

// gate are the settings of who may come in.
func (o *Options) gate(byDefault string) peer.Options {
	return peer.Options{
		Auth: o.Auth, Hosts: o.Hosts, Origins: o.Origins, PassHeaders: o.PassHeaders, TrustedProxies: o.TrustedProxies,
		Agents: o.Agents, Default: byDefault, CallTimeout: o.CallTimeout, Logger: o.Logger,
		Limits: peer.Limits{
			Sockets: o.Sockets, SocketsPerUser: o.SocketsPerUser, SocketsPerAddress: o.SocketsPerAddress,
			RequestsPerAddress: o.RequestsPerAddress, RequestsPerUser: o.RequestsPerUser,
			AddressBurst: cmp.Or(o.RequestBurst, burst(2*o.RequestsPerAddress)), UserBurst: cmp.Or(o.RequestBurst, burst(4*o.RequestsPerUser)),
			InputsPerMinute: o.InputsPerMinute, InputBurst: o.InputBurst, AttachesPerMinute: o.AttachesPerMinute, AttachBurst: o.AttachBurst,
			HeldBytes: o.HeldBytes, HeldPerUser: o.HeldPerUser, HeldPerAddress: o.HeldPerAddress, MemoryLimit: o.MemoryLimit,
		},
	}
}

// sockets are the settings of WebSockets.
func (o *Options) sockets(capabilities func(ctx context.Context, agent string) json.RawMessage) ws.Options {
	return ws.Options{
		Heartbeat: o.Heartbeat, PongTimeout: o.PongTimeout, KeepAlive: o.KeepAlive, WriteTimeout: o.WriteTimeout,
		MaxFrameBytes: o.MaxFrameBytes, OutboundBuffer: o.OutboundBuffer, ThreadsPerSocket: o.ThreadsPerSocket,
		FramesPerSecond: o.FramesPerSecond, FrameBurst: o.FrameBurst, Capabilities: capabilities,
	}
}

// streams are the settings of streams over HTTP.
func (o *Options) streams() sse.Options {
	return sse.Options{
		KeepAlive: o.KeepAlive, MaxFrameBytes: o.MaxFrameBytes, OutboundBuffer: o.OutboundBuffer,
		Stops: func(agent string) bool { return o.onDisconnect(routeAGUI, agent) == DisconnectStop },
	}
}

// heldFrames is how many of the largest frames the budget has room for at least.
const heldFrames = 32

// burst is how many may come at once: one at least.
func burst(rate float64) int { return max(int(rate), 1) }

func orElse[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}
