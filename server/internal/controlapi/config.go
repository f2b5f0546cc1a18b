package controlapi

import (
	"context"

	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/notices"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/login"
	"github.com/aguiws/aguiws/server/webhook"
)

// Config is what an API stands on. All of it may be used concurrently.
type Config struct {
	Gate    *peer.Gate
	Runner  *runner.Runner
	Notices *notices.Feed
	Record  Record
	// Webhooks sends the server's webhooks; nil: there are none.
	Webhooks *webhook.Sender
	// Logins are served if they are not nil.
	Logins *login.Desk
	// Work counts what waits for workers.
	Work func(context.Context) ([]store.WorkStats, error)
	// Upstreams tells of the agents that other servers serve.
	Upstreams func() []Upstream
	// Nodes tells of the nodes that share the store, and whether those are all. Store
	// tells of the store. Their answers may be a moment old.
	Nodes func(context.Context) (nodes []Node, whole bool)
	Store func(context.Context) StoreStatus
	// Agents tells of the agents, which it may ask until ctx is done.
	Agents       func(ctx context.Context) []Agent
	MaxBodyBytes int64
}

// Record is the record of what was decided.
type Record interface {
	Decisions(ctx context.Context, q store.DecisionQuery) (store.DecisionPage, error)
	ForgetDecisions(ctx context.Context, key store.ThreadKey) error
}
