package adapter_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// beforeDrafts does something once, between what a draft was judged on and its
// being kept.
type beforeDrafts struct {
	adapter.Store
	do func()
}

func (s *beforeDrafts) Drafts(ctx context.Context, key adapter.ThreadKey, version int64, drafts map[string]json.RawMessage) (map[string]json.RawMessage, bool, error) {
	if do := s.do; do != nil {
		s.do = nil
		do()
	}
	return s.Store.Drafts(ctx, key, version, drafts)
}

// Two people who each give the half that the other leaves out have answered all
// of it, however close together they are.
func TestHalvesThatMeetAreSubmitted(t *testing.T) {
	store := &beforeDrafts{}
	l := newLabOn(t, func(s adapter.Store) adapter.Store { store.Store = s; return store }, asker(confirmation("one"), confirmation("two")))
	open := interrupts(t, l.say("hi"))
	give := func(label string, entry protocol.ResumeEntry) adapter.Answered {
		t.Helper()
		a, err := l.runner.Answer(l.ctx(), l.key, "tenant", label, []protocol.ResumeEntry{entry})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	var other adapter.Answered
	store.do = func() { other = give("second", resolved(open[1].ID, `2`)) }
	a := give("first", resolved(open[0].ID, `1`))
	if len(other.Missing) != 1 || len(a.Missing) != 0 || a.Admitted.Disposition != adapter.Started {
		t.Fatalf("first %+v, second %+v", a, other)
	}
	succeeded(t, l.untilEnd())
}

// A draft that could not be kept is refused, and says why.
func TestDraftThatIsTooLarge(t *testing.T) {
	l := newLab(t, asker(confirmation("one"), confirmation("two")))
	open := interrupts(t, l.say("hi"))
	a, err := l.runner.Answer(l.ctx(), l.key, "tenant", "answer", []protocol.ResumeEntry{
		resolved(open[0].ID, `"`+strings.Repeat("x", 64<<10)+`"`)})
	if err != nil || a.Admitted.Refusal == nil || a.Admitted.Refusal.Code != adapter.CodeInvalidInput || !strings.Contains(a.Admitted.Refusal.Message, "65536") {
		t.Fatalf("%+v %v", a, err)
	}
}
