package adapter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// expiring asks two questions, of which the first expires at once, and says
// what became of them.
func expiring(own adapter.ExpiryPolicy) adapter.Agent {
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		first := confirmation("quick")
		first.ExpiresAt = run.Now().Add(20 * time.Millisecond).UTC().Format(time.RFC3339Nano)
		if own != adapter.ExpiryDefault {
			first = adapter.OnExpiry(first, adapter.Expiry{Policy: own})
		}
		answers, err := run.Ask(ctx, first, confirmation("slow"))
		if err != nil {
			return err
		}
		return run.Say(fmt.Sprintf("%s %s", status(answers.Of[0]), answers.Of[0].Metadata()["aguiws"]))
	})
}

func TestExpiryPolicies(t *testing.T) {
	for name, test := range map[string]struct {
		server, own adapter.ExpiryPolicy
		want        adapter.ExpiryPolicy
	}{
		"server cancels":            {adapter.ExpiryCancel, adapter.ExpiryDefault, adapter.ExpiryCancel},
		"server fails":              {adapter.ExpiryFail, adapter.ExpiryDefault, adapter.ExpiryFail},
		"interrupt cancels":         {adapter.ExpiryDefault, adapter.ExpiryCancel, adapter.ExpiryCancel},
		"interrupt fails":           {adapter.ExpiryCancel, adapter.ExpiryFail, adapter.ExpiryFail},
		"kept":                      {adapter.ExpiryDefault, adapter.ExpiryDefault, adapter.ExpiryKeep},
		"kept against the server's": {adapter.ExpiryFail, adapter.ExpiryKeep, adapter.ExpiryKeep},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, expiring(test.own), func(o *runner.Options) { o.OnExpiry = test.server })
			open := interrupts(t, l.say("hi"))
			switch test.want {
			case adapter.ExpiryKeep:
				l.untilPast(open[0])
				a := l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, "1"), resolved(open[1].ID, "1")}})
				if a.Disposition != admission.Refused || a.Refusal.Code != adapter.CodeExpired {
					t.Fatalf("%s %+v", a.Disposition, a.Refusal)
				}
				succeeded(t, l.answer(cancelled(open[0].ID), resolved(open[1].ID, "1")))
				return
			case adapter.ExpiryCancel:
				succeeded(t, l.untilEnd())
				if got := l.texts(); len(got) != 1 || got[0] != `cancelled {"expired":true}` {
					t.Errorf("texts %q", got)
				}
			case adapter.ExpiryFail:
				failedWith(t, l.untilEnd(), adapter.CodeExpired)
			}
			l.wellFormed()
			a, err := l.cursor.Attach(l.ctx(), nil)
			if err != nil || len(a.Interrupts) != 0 {
				t.Errorf("still open: %s %v", a.Interrupts, err)
			}
			late := l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, "1"), resolved(open[1].ID, "1")}})
			if late.Disposition != admission.Refused || late.Refusal.Code != adapter.CodeExpired {
				t.Errorf("a late answer: %s %+v", late.Disposition, late.Refusal)
			}
		})
	}
}

// An agent that has its questions elsewhere, too, is told with the next message of those
// whose end it was not called for.
func TestExpiredUnderFailIsLeft(t *testing.T) {
	for policy, want := range map[adapter.ExpiryPolicy]string{adapter.ExpiryFail: "[own-1 own-2]", adapter.ExpiryCancel: "[]"} {
		t.Run(string(policy), func(t *testing.T) {
			t.Parallel()
			l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				m := run.Input().Messages
				if m[len(m)-1].Content.String() != "ask" {
					return run.Say(fmt.Sprint(run.Left()))
				}
				first, second := confirmation("quick"), confirmation("slow")
				first.ID, second.ID = "own-1", "own-2"
				first.ExpiresAt = run.Now().Add(20 * time.Millisecond).UTC().Format(time.RFC3339Nano)
				_, err := run.Ask(ctx, first, second, confirmation("nameless"))
				return err
			}), func(o *runner.Options) { o.OnExpiry = policy })
			interrupts(t, l.say("ask"))
			l.untilEnd()
			succeeded(t, l.say("one"))
			succeeded(t, l.say("two"))
			if got := l.texts(); len(got) != 2 || got[0] != want || got[1] != "[]" {
				t.Errorf("texts %q", got)
			}
		})
	}
}

// What an expiry decided is not given back when the continuation diverges: the
// execution is over, and is not continued again and again.
func TestExpiryDiverges(t *testing.T) {
	calls := new(atomic.Int32)
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		i := confirmation(fmt.Sprintf("version %d", calls.Add(1)))
		i.ExpiresAt = run.Now().Add(20 * time.Millisecond).UTC().Format(time.RFC3339Nano)
		_, err := run.Ask(ctx, i)
		return err
	}), func(o *runner.Options) { o.OnExpiry = adapter.ExpiryCancel })
	interrupts(t, l.say("hi"))
	failedWith(t, l.untilEnd(), adapter.CodeReplayDiverged)
	a, err := l.cursor.Attach(l.ctx(), nil)
	if err != nil || len(a.Interrupts) != 0 {
		t.Errorf("still open: %s %v", a.Interrupts, err)
	}
	if n := calls.Load(); n != 2 {
		t.Errorf("the agent was called %d times", n)
	}
}

// untilPast waits until the store's clock is past an interrupt's expiry.
func (l *lab) untilPast(i protocol.Interrupt) {
	l.t.Helper()
	at, err := time.Parse(time.RFC3339Nano, i.ExpiresAt)
	if err != nil {
		l.t.Fatal(err)
	}
	for {
		view, err := l.store.Read(l.ctx(), l.key, store.ReadQuery{})
		if err != nil {
			l.t.Fatal(err)
		}
		if view.Now.After(at) {
			return
		}
	}
}

// An input that goes back takes the rest out of the thread, and followers see
// the cut.
func TestRewind(t *testing.T) {
	echo := adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
		m := run.Input().Messages
		return run.Say(fmt.Sprintf("%d: %s", len(m), m[len(m)-1].Content))
	})
	history := func(l *lab) protocol.Messages {
		f := fold.New(nil, nil)
		for _, e := range l.got {
			f.Apply(e)
		}
		return f.Messages()
	}
	shown := func(messages protocol.Messages) string {
		var texts []string
		for _, m := range messages {
			texts = append(texts, m.Content.String())
		}
		text, _ := json.Marshal(texts)
		return string(text)
	}
	one := func(id string) protocol.Message {
		return protocol.Message{ID: id, Role: protocol.RoleUser, Content: protocol.Text(id)}
	}
	says := func(id, text string) protocol.Message {
		return protocol.Message{ID: id, Role: protocol.RoleUser, Content: protocol.Text(text)}
	}
	for name, test := range map[string]struct {
		send func(held protocol.Messages) protocol.Messages
		want string
		cut  bool
	}{
		"again":        {func(m protocol.Messages) protocol.Messages { return m[:3] }, `["a","1: a","b","3: b"]`, true},
		"edited":       {func(m protocol.Messages) protocol.Messages { return append(m[:2:2], one("c")) }, `["a","1: a","c","3: c"]`, true},
		"under its id": {func(m protocol.Messages) protocol.Messages { return append(m[:2:2], says(m[2].ID, "c")) }, `["a","1: a","c","3: c"]`, true},
		"only that":    {func(m protocol.Messages) protocol.Messages { return protocol.Messages{says("b", "c")} }, `["a","1: a","c","3: c"]`, true},
		"the first":    {func(m protocol.Messages) protocol.Messages { return protocol.Messages{says("a", "c")} }, `["c","1: c"]`, true},
		"with what followed": {func(m protocol.Messages) protocol.Messages {
			return protocol.Messages{says("a", "A"), m[1], m[2], m[3], one("c")}
		}, `["A","1: a","b","3: b","c","5: c"]`, true},
		"from the beginning": {func(m protocol.Messages) protocol.Messages { return m[:1] }, `["a","1: a"]`, true},
		"all, and more":      {func(m protocol.Messages) protocol.Messages { return append(m[:4:4], one("c")) }, `["a","1: a","b","3: b","c","5: c"]`, false},
		"no messages":        {func(m protocol.Messages) protocol.Messages { return nil }, `["a","1: a","b","3: b","4: 3: b"]`, false},
		"only what is new":   {func(m protocol.Messages) protocol.Messages { return protocol.Messages{one("c")} }, `["a","1: a","b","3: b","c","5: c"]`, false},
		"a missing head":     {func(m protocol.Messages) protocol.Messages { return append(m[2:4:4], one("c")) }, `["a","1: a","b","3: b","c","5: c"]`, false},
		"a hole":             {func(m protocol.Messages) protocol.Messages { return protocol.Messages{m[0], m[3], one("c")} }, `["a","1: a","b","3: b","c","5: c"]`, false},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, echo)
			for _, id := range []string{"a", "b"} {
				l.submit(&protocol.RunAgentInput{Messages: protocol.Messages{one(id)}})
				succeeded(t, l.untilEnd())
			}
			in := &protocol.RunAgentInput{Messages: test.send(history(l))}
			l.begins(in)
			events := l.untilEnd()
			succeeded(t, events)
			l.wellFormed()
			if got := shown(history(l)); got != test.want {
				t.Errorf("the thread holds %s, want %s", got, test.want)
			}
			if _, cut := events[1].(*protocol.MessagesSnapshot); cut != test.cut {
				t.Errorf("followers see %s", show(events))
			}
			a, err := l.cursor.Attach(l.ctx(), nil)
			if err != nil {
				t.Fatal(err)
			}
			restated := decoded(t, a.Restatement)[2].(*protocol.MessagesSnapshot)
			if got := shown(restated.Messages); got != test.want {
				t.Errorf("restated as %s", got)
			}
			// Sent again under its label it is a repeat, whatever it took out.
			again := *in
			if a := l.submit(&again); a.Disposition != admission.Repeat {
				t.Errorf("sent again: %s", a.Disposition)
			}
		})
	}
}
