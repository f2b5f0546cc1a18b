package runner

import (
	"strings"

	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/node"
)

// settings are what the rooms go by.
func (o *Options) settings() node.Settings {
	s := node.Settings{
		Agents: o.Agents, Default: o.Default, HeadersBy: o.HeadersBy, Blocking: o.Mode == ModeBlocking, Busy: judge.Busy(o.Busy),
		Cancels: o.Unanswered == UnansweredCancel, CancelsBy: map[string]bool{}, OnExpiry: o.OnExpiry, Logins: o.Logins, PublicURL: strings.TrimRight(o.PublicURL, "/"),
		Lease: o.Lease, Sweep: o.Sweep, MaxPark: o.MaxPark, AgentWait: o.AgentWait, RunTimeout: o.RunTimeout, Linger: o.Linger, StoreTimeout: o.StoreTimeout, PayloadKeep: o.PayloadKeep,
		MaxAttempts: o.MaxAttempts, MaxRuns: o.MaxRuns, MaxQueue: o.MaxQueue,
		MaxRunsPerUser: o.MaxRunsPerUser, MaxRunsPerTenant: o.MaxRunsPerTenant, MaxThreadsPerUser: o.MaxThreadsPerUser, MaxInputs: o.MaxInputs, InputBurst: o.InputBurst,
		MaxQueueBytes: o.MaxQueueBytes, MaxThreadBytes: o.MaxThreadBytes, MaxStateBytes: o.MaxStateBytes, CheckpointBytes: o.CheckpointBytes, PayloadsFrom: o.PayloadsFrom,
		MaxPayloadBytes: o.MaxPayloadBytes, MaxThreadPayloadBytes: o.MaxThreadPayloadBytes, MaxNamespacePayloadBytes: o.MaxNamespacePayloadBytes, ThreadCache: o.ThreadCache,
		SeparateDuties: o.SeparateDuties, NoticeSummaries: o.NoticeSummaries, Redact: o.Redact, RedactLists: o.RedactLists, Hook: o.Hook,
	}
	for agent, policy := range o.UnansweredBy {
		s.CancelsBy[agent] = policy == UnansweredCancel
	}
	return s
}
