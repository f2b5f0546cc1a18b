package server

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

var (
	refuseStopping = refusal.New(http.StatusForbidden, codeForbidden, "this identity may not cancel runs")
	refuseRunID    = refusal.New(http.StatusBadRequest, codeInvalidInput, "a runId has "+strictjson.NameRule)
	refuseStopped  = refusal.New(http.StatusServiceUnavailable, codeStore, "the outcome is unknown; stop again").After(time.Second)
)

// serveStop is ws.cancel over HTTP.
func (s *core) serveStop(w http.ResponseWriter, r *http.Request) {
	thread, label := r.PathValue("thread"), r.PathValue("run")
	c, refused := s.enter(r)
	switch {
	case refused != nil:
	case !c.identity.May(identity.ScopeRun):
		refused = refuseStopping
	case !strictjson.IsName(thread):
		refused = refuseThreadID
	case !strictjson.IsName(label):
		refused = refuseRunID
	}
	if refused != nil {
		refused.Write(w)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), s.opts.CallTimeout)
	defer cancel()
	stopped, err := s.stop(ctx, store.ThreadKey{Namespace: c.identity.Namespace, Thread: thread}, label, c.actor(store.ThroughPOST))
	if err != nil {
		s.opts.Logger.Warn("stopping failed", "thread", thread, "error", err)
		refuseStopped.Write(w)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(struct {
		Stopped bool `json:"stopped"`
	}{stopped})
}

// stop cancels the runs of a label, and tells whoever waits for one of them here.
func (s *core) stop(ctx context.Context, key store.ThreadKey, label string, by admission.Actor) (bool, error) {
	cancelled, err := s.runs.Cancel(ctx, key, label, by)
	if err != nil {
		return false, err
	}
	if len(cancelled.Owed) > 0 {
		s.awaiting.pay(key, label, cancelled.Owed)
	}
	return cancelled.Stopped, nil
}
