package adapter_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
)

// meddled does something once, after the messages of a branch were read.
type meddled struct {
	store.Store
	reads    int
	meddling func()
}

func (m *meddled) BranchMessages(ctx context.Context, key store.ThreadKey, id string) (json.RawMessage, error) {
	text, err := m.Store.BranchMessages(ctx, key, id)
	m.reads++
	if do := m.meddling; do != nil {
		m.meddling = nil
		do()
	}
	return text, err
}

// A branch is restored once, also by two servers that are asked at the same time, and its
// messages are read by nobody who cannot have them.
func TestABranchIsRestoredOnce(t *testing.T) {
	calls := 0
	var st *meddled
	l := newLabOn(t, func(s store.Store) store.Store { st = &meddled{Store: s}; return st }, tallying(&calls))
	l.say("a")
	l.say("b")
	l.inject(operate.Injection{Text: "c", Before: "m-b"})
	in := operate.Injection{Namespace: l.key.Namespace, Thread: l.key.Thread, Restores: l.branches()[0].ID, Label: "here"}
	other := l.worker(st.Store, tallying(&calls))
	st.meddling = func() {
		there := in
		there.Label = "there"
		if a, err := other.Inject(l.ctx(), there); err != nil || a.Disposition != admission.Started {
			t.Fatalf("%+v %v", a, err)
		}
		succeeded(t, l.untilEnd())
	}
	gone := func(what string) {
		t.Helper()
		if a, err := l.runner.Inject(l.ctx(), in); err != nil || a.Refusal == nil || a.Refusal.Code != adapter.CodeBranchGone {
			t.Errorf("%s: %+v %v", what, a, err)
		}
	}
	gone("restored meanwhile")
	in.Label = "later"
	gone("restored before")
	in.Label = "there"
	if a, err := l.runner.Inject(l.ctx(), in); err != nil || a.Disposition != admission.Repeat {
		t.Errorf("sent again: %+v %v", a, err)
	}
	if n := len(l.branches()); n != 1 || st.reads != 1 {
		t.Errorf("%d branches, and %d readings of messages", n, st.reads)
	}
}
