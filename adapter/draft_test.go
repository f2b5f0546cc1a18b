package adapter_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// beforeDrafts does something once, between what a draft was judged on and its
// being kept.
type beforeDrafts struct {
	store.Store
	do func()
}

func (s *beforeDrafts) Drafts(ctx context.Context, key store.ThreadKey, version int64, by string, drafts map[string]json.RawMessage) (map[string]json.RawMessage, bool, error) {
	if do := s.do; do != nil {
		s.do = nil
		do()
	}
	return s.Store.Drafts(ctx, key, version, by, drafts)
}

// Two people who each give the half that the other leaves out have answered all
// of it, however close together they are.
func TestHalvesThatMeetAreSubmitted(t *testing.T) {
	st := &beforeDrafts{}
	l := newLabOn(t, func(s store.Store) store.Store { st.Store = s; return st }, asker(confirmation("one"), confirmation("two")))
	open := interrupts(t, l.say("hi"))
	give := func(node *runner.Runner, label string, entry protocol.ResumeEntry) operate.Answered {
		t.Helper()
		a, err := node.Answer(l.ctx(), l.key, "tenant", "", label, []protocol.ResumeEntry{entry}, store.Origin{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	var other operate.Answered
	elsewhere := l.worker(st, asker())
	st.do = func() { other = give(elsewhere, "second", resolved(open[1].ID, `2`)) }
	a := give(l.runner, "", resolved(open[0].ID, `1`)) // a label is made
	if len(other.Missing) != 1 || len(a.Missing) != 0 || a.Admitted.Disposition != admission.Started {
		t.Fatalf("first %+v, second %+v", a, other)
	}
	succeeded(t, l.untilEnd())
}

// A draft that could not be kept is refused, and says why.
func TestDraftThatIsTooLarge(t *testing.T) {
	l := newLab(t, asker(confirmation("one"), confirmation("two")))
	open := interrupts(t, l.say("hi"))
	a, err := l.runner.Answer(l.ctx(), l.key, "tenant", "", "answer", []protocol.ResumeEntry{
		resolved(open[0].ID, `"`+strings.Repeat("x", 64<<10)+`"`)}, store.Origin{}, nil)
	if err != nil || a.Admitted.Refusal == nil || a.Admitted.Refusal.Code != adapter.CodeInvalidInput || !strings.Contains(a.Admitted.Refusal.Message, "65536") {
		t.Fatalf("%+v %v", a, err)
	}
}

// A draft is one even if it is the last: the agent goes on when the word is given, with all of them.
func TestLastDraftIsKept(t *testing.T) {
	l := newLab(t, asker(confirmation("one"), confirmation("two")))
	open := interrupts(t, l.say("hi"))
	keep := func(id, payload string) (*protocol.RunError, bool) {
		t.Helper()
		refusal, ok, err := l.runner.KeepDraft(l.ctx(), l.key, "tenant", "ann", resolved(id, payload), store.Origin{})
		if err != nil {
			t.Fatal(err)
		}
		return refusal, ok
	}
	for _, one := range open {
		if refusal, ok := keep(one.ID, `1`); refusal != nil || !ok {
			t.Fatal(refusal, ok)
		}
	}
	thread, err := l.runner.Thread(l.ctx(), l.key)
	if err != nil || thread.Open == nil || thread.Open.Interrupts[0].Draft == nil || thread.Open.Interrupts[1].Draft == nil {
		t.Fatalf("%+v %v", thread, err)
	}
	if refusal, ok := keep("other", `1`); refusal != nil || ok {
		t.Error(refusal, ok)
	}
	if refusal, _ := keep(open[0].ID, `"`+strings.Repeat("x", 64<<10)+`"`); refusal == nil {
		t.Error("what is too large is kept")
	}
	a, err := l.runner.Answer(l.ctx(), l.key, "tenant", "ann", "go", []protocol.ResumeEntry{resolved(open[1].ID, `2`)}, store.Origin{}, nil)
	if err != nil || len(a.Missing) > 0 || a.Admitted.Disposition != admission.Started {
		t.Fatalf("%+v %v", a, err)
	}
	succeeded(t, l.untilEnd())
}

// beforeBegin does something once, between what an input was judged on and its
// being admitted.
type beforeBegin struct {
	store.Store
	do func()
}

func (s *beforeBegin) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	if do := s.do; do != nil {
		s.do = nil
		do()
	}
	return s.Store.Begin(ctx, b)
}

// What was taken back before the answers were accepted is not carried out.
func TestDraftTakenBackInTime(t *testing.T) {
	st := &beforeBegin{}
	l := newLabOn(t, func(s store.Store) store.Store { st.Store = s; return st }, asker(confirmation("one"), confirmation("two")))
	open := interrupts(t, l.say("hi"))
	give := func(entry protocol.ResumeEntry) operate.Answered {
		t.Helper()
		a, err := l.runner.Answer(l.ctx(), l.key, "tenant", "", "answer", []protocol.ResumeEntry{entry}, store.Origin{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	give(resolved(open[0].ID, `"yes"`))
	st.do = func() {
		if ok, err := l.runner.DropDraft(l.ctx(), l.key, "", open[0].ID); err != nil || !ok {
			t.Error(ok, err)
		}
	}
	if a := give(resolved(open[1].ID, `2`)); len(a.Missing) != 1 || a.Missing[0] != open[0].ID {
		t.Fatalf("%+v", a)
	}
	thread, err := l.runner.Thread(l.ctx(), l.key)
	if err != nil || thread.Open == nil || thread.Open.Interrupts[1].Draft == nil || thread.Open.Interrupts[0].Draft != nil {
		t.Fatalf("%+v %v", thread, err)
	}
}
