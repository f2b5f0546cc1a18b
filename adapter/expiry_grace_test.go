package adapter_test

import (
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/protocol"
)

// after has a question expire in an hour, and the policy come an hour later. The time is
// taken once: a replay must ask the same.
func after(policy adapter.ExpiryPolicy) func(protocol.Interrupt) protocol.Interrupt {
	at := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	return func(i protocol.Interrupt) protocol.Interrupt {
		i.ExpiresAt = at
		return adapter.OnExpiry(i, adapter.Expiry{Policy: policy, Grace: time.Hour})
	}
}

// In the grace behind its expiry nobody can resolve a question, and nothing is made of it;
// behind that the policy is carried out.
func TestGraceBehindTheExpiry(t *testing.T) {
	for policy, want := range map[adapter.ExpiryPolicy]string{adapter.ExpiryCancel: "false  true", adapter.ExpiryFail: ""} {
		t.Run(string(policy), func(t *testing.T) {
			t.Parallel()
			l := newLab(t, parked(after(policy)))
			open := interrupts(t, l.say("hi"))
			if told := string(open[0].Metadata["aguiws"]); told != `{"expiryGraceMs":3600000,"onExpiry":"`+string(policy)+`"}` {
				t.Errorf("clients are told %s", told)
			}
			l.forward(time.Hour + time.Minute)
			if a := l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, `{"approved":true}`)}}); a.Disposition != admission.Refused || a.Refusal.Code != adapter.CodeExpired {
				t.Fatalf("%s %+v", a.Disposition, a.Refusal)
			}
			l.forward(time.Hour)
			events := l.untilEnd()
			if want == "" {
				failedWith(t, events, adapter.CodeExpired)
				return
			}
			succeeded(t, events)
			if got := l.texts(); len(got) != 1 || got[0] != want {
				t.Errorf("texts %q", got)
			}
			l.wellFormed()
		})
	}
}

// Whoever comes in the grace is not held up: they cancel the question, or a new message does.
func TestGraceIsLeftByAMessageOrACancellation(t *testing.T) {
	for name, in := range map[string]func(id string) *protocol.RunAgentInput{
		"a message": func(string) *protocol.RunAgentInput {
			return &protocol.RunAgentInput{Messages: protocol.Messages{{ID: "new", Role: protocol.RoleUser, Content: protocol.Text("never mind")}}}
		},
		"a cancellation": func(id string) *protocol.RunAgentInput {
			return &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{cancelled(id)}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, parked(after(adapter.ExpiryFail)))
			open := interrupts(t, l.say("hi"))
			l.forward(time.Hour + time.Minute)
			l.begins(in(open[0].ID))
			l.untilEnd()
			l.wellFormed()
		})
	}
}

func TestGraceIsBounded(t *testing.T) {
	for _, grace := range []time.Duration{-time.Hour, 366 * 24 * time.Hour} {
		l := newLab(t, parked(func(i protocol.Interrupt) protocol.Interrupt {
			return adapter.OnExpiry(i, adapter.Expiry{Policy: adapter.ExpiryCancel, Grace: grace})
		}))
		failedWith(t, l.say("hi"), adapter.CodeAgentError)
	}
}
