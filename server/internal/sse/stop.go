package sse

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

var (
	refuseStopping = refusal.New(http.StatusForbidden, refusal.CodeForbidden, "this identity may not cancel runs")
	refuseRunID    = refusal.New(http.StatusBadRequest, refusal.CodeInvalidInput, "a runId has "+strictjson.NameRule)
	refuseStopped  = refusal.New(http.StatusServiceUnavailable, refusal.CodeStore, "the outcome is unknown; stop again").After(time.Second)
)

// ServeStop is ws.cancel over HTTP.
func (s *Streams) ServeStop(w http.ResponseWriter, r *http.Request) {
	thread, label := r.PathValue("thread"), r.PathValue("run")
	c, refused := s.Enter(r)
	switch {
	case refused != nil:
	case !c.Identity.May(identity.ScopeRun):
		refused = refuseStopping
	case !strictjson.IsName(thread):
		refused = peer.RefuseThreadID
	case !strictjson.IsName(label):
		refused = refuseRunID
	}
	if refused != nil {
		refused.Write(w)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), s.Core.Options.CallTimeout)
	defer cancel()
	stopped, err := s.Stop(ctx, store.ThreadKey{Namespace: c.Identity.Namespace, Thread: thread}, label, c.Actor(store.ThroughPOST))
	if err != nil {
		s.Core.Options.Logger.Warn("stopping failed", "thread", thread, "error", err)
		refuseStopped.Write(w)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(struct {
		Stopped bool `json:"stopped"`
	}{stopped})
}
