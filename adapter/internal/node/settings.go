package node

import (
	"cmp"
	"math"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/judge"
)

// Settings are a runner's options with their defaults, by the names that they have there.
type Settings struct {
	Agents    map[string]adapter.Agent
	Default   string
	HeadersBy map[string][]string
	Blocking  bool // Mode
	Busy      judge.Busy
	// Cancels says whether an input without answers cancels what an agent asks, CancelsBy
	// for single agents.
	Cancels   bool
	CancelsBy map[string]bool
	OnExpiry  adapter.ExpiryPolicy
	Logins    adapter.Logins
	PublicURL string // without a slash at its end

	Lease, Sweep, MaxPark, AgentWait, RunTimeout, StoreTimeout, PayloadKeep, Linger time.Duration

	MaxAttempts, MaxRuns, MaxQueue                                                int
	MaxRunsPerUser, MaxRunsPerTenant, MaxThreadsPerUser, MaxInputs, InputBurst    int
	MaxQueueBytes, MaxThreadBytes, MaxStateBytes, CheckpointBytes, PayloadsFrom   int64
	MaxPayloadBytes, MaxThreadPayloadBytes, MaxNamespacePayloadBytes, ThreadCache int64

	SeparateDuties, NoticeSummaries bool
	Redact, RedactLists             []adapter.Redaction
	Hook                            func(point string)
}

// AgentNamed is what an agent is called; "" is the default one.
func (o *Settings) AgentNamed(name string) string { return cmp.Or(name, o.Default) }

// CancelsAsked reports whether a new user message cancels what an agent asks.
func (o *Settings) CancelsAsked(agent string) bool {
	if cancels, own := o.CancelsBy[agent]; own {
		return cancels
	}
	return o.Cancels
}

// outgrowing is the part of MaxThreadBytes that a run may add to a thread that
// is larger than any new run would find it, so that it can be answered.
const outgrowing = 16

// RoomFor is how many bytes a run may add to a thread of a size.
func (o *Settings) RoomFor(size int64) int64 {
	limit := o.MaxThreadBytes
	if limit < 0 {
		return math.MaxInt64
	}
	return max(2*limit-size, limit/outgrowing)
}
