package controlapi

import (
	"testing"

	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/peer"
)

// Why an attempt failed is told to admins, and why a run was stopped to whoever reads
// it.
func TestWhoIsToldWhyAnAttemptFailed(t *testing.T) {
	const why = "dial db-7.internal: refused"
	reader := &call{caller: &peer.Caller{Identity: identity.Identity{Scopes: []string{identity.ScopeRead, identity.ScopeRun, identity.ScopeApprover}}}}
	admin := &call{caller: &peer.Caller{Identity: identity.Identity{Scopes: []string{identity.ScopeAdmin}}}}
	for _, state := range dispatchStates {
		var run operate.RunInfo
		run.State, run.Error = state, why
		want := "the last attempt failed"
		if state == store.DispatchCancelled || state == store.DispatchSuperseded {
			want = why
		}
		if got := reader.runOf(run).Error; got != want {
			t.Errorf("%s: a reader is told %q, want %q", state, got, want)
		}
		if got := admin.runOf(run).Error; got != why {
			t.Errorf("%s: an admin is told %q", state, got)
		}
		if run.Error = ""; reader.runOf(run).Error != "" {
			t.Errorf("%s: a failure is made up", state)
		}
	}
}
