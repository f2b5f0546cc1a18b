package runner

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/judge"
)

// Options configure a Runner. Agents is needed. Of the others Lease, MaxRuns, RunTimeout,
// MaxPark, Unanswered, Busy and SeparateDuties matter first; the defaults serve for the rest.
type Options struct {
	// Agents by name. The default one answers inputs that name none, and is needed. The
	// others are served if server.Options.Agents has their names, too.
	Agents map[string]adapter.Agent
	// Default names the default one of Agents. Records, notices, streams and lists call it
	// so, whether or not an input names it. "": it is the one named "", which has no name.
	Default string
	// HeadersBy names those of Input.Headers that single agents get, by their names in Agents;
	// with their runs no others are kept, but for those of answers. An agent that is not in it
	// gets all.
	HeadersBy map[string][]string
	// Mode says how executions are continued, and what New refuses. Default ModeAuto.
	Mode Mode
	// Lease is how long a worker may be silent before it stops its run. Another one takes the
	// run over when the store's lease (redisstore.Options.Lease) is over too; after the store
	// itself was silent it takes up to 3/10 of that more. New refuses a longer one than the
	// store's, by which runs would be taken from workers that live. Default: the store's. All
	// nodes of a store should use the same.
	Lease time.Duration
	// Sweep is how often lost and queued runs are looked for. Default 1 s.
	Sweep time.Duration
	// Linger is for how long a delta of a text, of reasoning or of a call's arguments waits, so
	// that the deltas of all runs here travel together. The first delta of an item and any other
	// event go at once, and take along what waits in their run. Sixteen deltas of a run wait no
	// longer. Default 5 ms; negative: nothing waits.
	Linger time.Duration
	// MaxAttempts is how often a run is tried when its workers are lost before it
	// records anything more: steps, questions and answers begin the count anew.
	// Only its journal therefore bounds an agent that loses its worker after each step of
	// an endless number. Default 3.
	MaxAttempts int
	// OnExpiry says what becomes of interrupts that expire and say nothing of
	// their own. Default ExpiryKeep.
	OnExpiry adapter.ExpiryPolicy
	// MaxPark is for how long an interrupt without an ExpiresAt of its own waits before
	// it expires, so that no thread waits for ever. Clients are shown that time as its
	// expiresAt. Default 30 days; negative: for ever.
	MaxPark time.Duration
	// Unanswered says what becomes of a new user message while interrupts are open that
	// it does not answer. Default UnansweredRefuse. UnansweredBy says it for single
	// agents, by their names in Agents: the one that is to answer the message.
	Unanswered   UnansweredPolicy
	UnansweredBy map[string]UnansweredPolicy
	// Busy says what becomes of an input while a run is active. Default
	// BusyQueue.
	Busy BusyPolicy
	// MaxRuns is how many runs this node carries at once; those that wait for answers
	// do not count. Runs beyond these wait, in the store, for a place here or on another
	// node: inputs in the queue of their thread, continuations as if they had been handed
	// back. An input that cannot wait (one that takes messages back or turns away from open
	// interrupts, and Requeue) is refused as CodeThreadBusy. Inputs wait so whatever Busy
	// says: it is about runs of the same thread. In ModeBlocking answers are not held to
	// it. Agents that wait for runs on other threads take a place meanwhile. Default
	// 10,000.
	MaxRuns int
	// MaxQueue bounds the inputs that wait on one thread. Inputs that were cancelled
	// behind an active run count until it ends. Inputs that it has heard do not count,
	// unless they are very many. More are refused as CodeThreadBusy. A store that stops or
	// ends all of them at once is held for about 25 µs for each. Default 100.
	MaxQueue int
	// MaxQueueBytes is how much the inputs that wait on one thread may take in the store. A
	// message that is new to the thread stands there twice. More inputs are refused as
	// CodeThreadBusy, and so is one alone that is larger and would have to wait. Default 16
	// MiB.
	MaxQueueBytes int64
	// MaxThreadBytes is how much of a thread's messages, state and log the store may hold
	// before inputs are refused as CodeThreadTooLarge. Answers to open interrupts are
	// taken all the same, and what takes out more messages than it brings; a thread can
	// always be read, cancelled and deleted. A run ends in RUN_ERROR with that code when
	// its thread has grown to twice the limit; a sixteenth of the limit it may always add.
	// Events that a log has let go of do not count. Default 64 MiB; negative: no limit.
	MaxThreadBytes int64
	// MaxStateBytes is how large a run may make a thread's state. Clients that repeat what they
	// were told send it back with each input; some agents mirror the input in it. Default
	// 4.25 MiB, a sixteenth more than server.Options.MaxFrameBytes is by default.
	MaxStateBytes int64
	// CheckpointBytes is how much of a run's log may lie behind the stored snapshot of its
	// thread, before the run moves that. A follower that attaches, an input, and a worker
	// that takes the run over read as much of it. Each event counts 128 bytes more than it
	// has. Default 512 KiB, which is read and folded in some milliseconds.
	CheckpointBytes int64
	// PayloadsFrom is the length in bytes from which on the results of tools that are text
	// are kept as payloads, and clients and the thread's messages get a preview and a reference
	// (Run.ToolResultPayload). Run.Whole gives agents the result. Default 0: no result is; a
	// frontend that renders results would render the preview unless it knows of references.
	// State is never changed so, since deltas go into it: an agent puts a Payload there.
	PayloadsFrom int64
	// PayloadKeep is for how long payloads are kept that say nothing of their own. Default
	// 0: as long as their thread.
	PayloadKeep time.Duration
	// MaxPayloadBytes is how large a payload may be, MaxThreadPayloadBytes and
	// MaxNamespacePayloadBytes how many bytes those of a thread and of a namespace may have
	// together. Defaults 64 MiB, 256 MiB and 4 GiB; negative: no limit.
	MaxPayloadBytes, MaxThreadPayloadBytes, MaxNamespacePayloadBytes int64
	// ThreadCache is how many bytes of memory may hold the messages of threads in use
	// here, so that a turn reads no more of its thread than what is new. Default 64 MiB; negative: none.
	ThreadCache int64
	// MaxRunsPerUser and MaxRunsPerTenant are how many runs of a user (Input.User) and of a
	// tenant may be under way at once on all nodes. Runs that wait for answers do not
	// count. More are refused as CodeTooManyRuns; an input that waits in the queue of its
	// thread waits on. Answers are taken all the same: what they go on with counts for who
	// began it, whoever answers. Users and tenants without a name have no limit. Defaults
	// 50 and 10,000; negative: no limit.
	MaxRunsPerUser, MaxRunsPerTenant int
	// MaxThreadsPerUser is how many threads a user may have made or begun that are not deleted;
	// inputs to more are refused as CodeThreadQuota. Default 10,000; negative: no limit.
	MaxThreadsPerUser int
	// MaxInputs is how many inputs a minute a user may send through all nodes, and
	// InputBurst how many of them at once; more are refused as CodeRateLimited.
	// 0, or less: no limit.
	MaxInputs, InputBurst int
	// AgentWait is for how long a run waits for a node that knows its agent, also when an
	// answer or an expiry continues it. While a deployment goes on, some nodes know agents
	// that others do not, and a node takes the runs of its own agents alone. A minute later
	// at the latest the run ends in RUN_ERROR agent_error, as a dead letter, and its
	// answers are given back. Runs whose journal has entries of a kind that this node does
	// not know wait for a node that does. They never spend an attempt, and end in
	// state_corrupted, as dead letters, when they have waited. Default 10 min; negative:
	// not at all.
	AgentWait time.Duration
	// SeparateDuties refuses (CodeOwnApproval) that a tool call, or another interrupt
	// of AnotherResolves, is resolved by a user whose messages led to it: who began the
	// execution, or sent messages with one of its answers. They may cancel it. Every
	// input needs its Input.User. A question that was asked while nobody's user was known
	// can be cancelled only.
	SeparateDuties bool
	// Logins are the accounts of users at other services that agents may ask for by
	// Run.Login; nil: none.
	Logins adapter.Logins
	// PublicURL is where other systems find the server: Event.URL begins with it. "": Event.URL
	// is a path.
	PublicURL string
	// Redact says what the decision record does not keep of arguments and answers, and
	// followers are not told of answers.
	Redact []adapter.Redaction
	// RedactLists says what lists of open interrupts do not show of the arguments of calls.
	// The thread's own interrupts show what is to be approved in full, and so do its events.
	RedactLists []adapter.Redaction
	// NoticeSummaries lets the notices that interrupts have opened, and with them webhooks,
	// show what is asked, of 5 interrupts at most. They show the first 300 bytes of the
	// message, the tool, and 500 bytes of its arguments without what RedactLists takes out.
	// Else they show ids and reasons alone.
	NoticeSummaries bool
	// RunTimeout ends a run that is active for longer with RUN_ERROR run_timeout,
	// through whatever workers; time spent suspended does not count. Default 6 h;
	// negative: no limit.
	RunTimeout time.Duration
	// StoreTimeout bounds store calls that no caller bounds. Default 5 s.
	StoreTimeout time.Duration
	// Logger is told among others why an agent failed, which clients are not. Default
	// slog.Default().
	Logger *slog.Logger
	// Traces makes the spans of inputs, runs, steps and commits. A run lies under its input,
	// whichever node carries it, and steps and the gateway's requests go on with its trace. The
	// parent of an input is the trace context of its Context, or of Input.Headers: those of
	// server.Options.PassHeaders if it has "traceparent" and "tracestate". Providers must not
	// block. Default nil: nothing is traced, which costs nothing.
	Traces trace.TracerProvider
	// Hook, for tests of crashes, is called at named points of a run's life.
	Hook func(point string)
}

// Mode says how executions are continued.
type Mode string

const (
	// ModeAuto continues an execution by replay of its journal, for as long as the store
	// lives: on Redis after any crash, on an embedded store until the process ends.
	ModeAuto Mode = ""
	// ModeDurable does the same, and New refuses a store that dies with the process.
	ModeDurable Mode = "durable"
	// ModeBlocking keeps an agent's goroutine waiting in Ask instead. Steps are
	// not journaled and agents need not replay. It is for one process: what
	// waits there cannot be continued by another, nor after its end.
	ModeBlocking Mode = "blocking"
)

// BusyPolicy says what becomes of an input while another run is active.
type BusyPolicy string

const (
	BusyQueue     BusyPolicy = BusyPolicy(judge.BusyQueue) // it waits
	BusyReject    BusyPolicy = BusyPolicy(judge.BusyReject)
	BusySupersede BusyPolicy = BusyPolicy(judge.BusySupersede) // the active run and the queued ones are cancelled
)

// complete returns the options with their defaults.
func (o *Options) complete(durable bool, lease time.Duration) (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	if err := c.checkDefault(); err != nil {
		return c, err
	}
	switch c.Mode {
	case ModeAuto, ModeBlocking:
	case ModeDurable:
		if !durable {
			return c, errors.New("adapter: durable mode needs a store that outlives the process: set --redis, or take redisstore.Open in place of Embedded")
		}
	default:
		return c, fmt.Errorf("adapter: unknown mode %q", c.Mode)
	}
	if c.Lease > lease {
		return c, fmt.Errorf("adapter: a lease of %v is longer than the store's %v: set redisstore.Options.Lease as well", c.Lease, lease)
	}
	switch c.OnExpiry {
	case adapter.ExpiryDefault:
		c.OnExpiry = adapter.ExpiryKeep
	case adapter.ExpiryKeep, adapter.ExpiryCancel, adapter.ExpiryFail:
	default:
		return c, fmt.Errorf("adapter: unknown expiry policy %q", c.OnExpiry)
	}
	if err := c.checkRedactions(); err != nil {
		return c, err
	}
	if err := c.completeUnanswered(); err != nil {
		return c, err
	}
	if c.AgentWait == 0 {
		c.AgentWait = 10 * time.Minute
	}
	if c.MaxPark == 0 {
		c.MaxPark = 30 * 24 * time.Hour
	}
	if c.RunTimeout == 0 {
		c.RunTimeout = 6 * time.Hour
	}
	for field, otherwise := range map[*int]int{&c.MaxRunsPerUser: 50, &c.MaxRunsPerTenant: 10_000, &c.MaxThreadsPerUser: 10_000, &c.MaxInputs: -1} {
		if *field == 0 {
			*field = otherwise
		}
	}
	if c.MaxThreadBytes == 0 {
		c.MaxThreadBytes = 64 << 20
	}
	for field, otherwise := range map[*int64]int64{&c.MaxPayloadBytes: 64 << 20, &c.MaxThreadPayloadBytes: 256 << 20, &c.MaxNamespacePayloadBytes: 4 << 30} {
		if *field == 0 {
			*field = otherwise
		}
	}
	if c.MaxPayloadBytes < 0 {
		c.MaxPayloadBytes = math.MaxInt64
	}
	if c.ThreadCache == 0 {
		c.ThreadCache = 64 << 20
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	c.Lease = orDefault(c.Lease, lease)
	c.Sweep = orDefault(c.Sweep, time.Second)
	if c.Linger == 0 {
		c.Linger = 5 * time.Millisecond
	}
	c.StoreTimeout = orDefault(c.StoreTimeout, 5*time.Second)
	c.MaxAttempts = orDefault(c.MaxAttempts, 3)
	c.MaxRuns = orDefault(c.MaxRuns, 10_000)
	c.MaxQueue = orDefault(c.MaxQueue, 100)
	c.MaxStateBytes = orDefault(c.MaxStateBytes, 4<<20+256<<10)
	c.CheckpointBytes = orDefault(c.CheckpointBytes, 512<<10)
	c.MaxQueueBytes = orDefault(c.MaxQueueBytes, 16<<20)
	return c, nil
}

func orDefault[N int | int64 | time.Duration](n, otherwise N) N {
	if n <= 0 {
		return otherwise
	}
	return n
}
