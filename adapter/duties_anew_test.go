package adapter_test

import (
	"fmt"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/protocol"
)

// Who wrote what is answered has led to what is asked, whoever has it answered.
func TestMessageThatIsAnsweredAnewCountsForItsAuthor(t *testing.T) {
	for name, anew := range map[string]func(l *lab, m protocol.Message) admission.Admitted{
		"without messages": func(l *lab, m protocol.Message) admission.Admitted { return l.as(bob, &protocol.RunAgentInput{}) },
		"with the message of the author": func(l *lab, m protocol.Message) admission.Admitted {
			return l.as(bob, &protocol.RunAgentInput{Messages: protocol.Messages{m}})
		},
		"going back to it": func(l *lab, m protocol.Message) admission.Admitted {
			l.runs++
			a, err := l.runner.Inject(l.ctx(), operate.Injection{Namespace: l.key.Namespace, Tenant: "acme", User: bob, Thread: l.key.Thread,
				Label: fmt.Sprint("run-", l.runs), After: m.ID})
			if err != nil {
				t.Fatal(err)
			}
			return a
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, clerk(), separate)
			said := user("pay")
			l.as(ann, said)
			open := interrupts(t, l.untilEnd())
			cancel := func() *protocol.RunAgentInput {
				return &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{cancelled(open[0].ID), cancelled(open[1].ID)}}
			}
			both := func() *protocol.RunAgentInput {
				return &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, goAhead), resolved(open[1].ID, `1`)}}
			}
			for range 2 {
				l.as(ann, cancel())
				l.untilEnd()
				if a := anew(l, said.Messages[0]); a.Disposition != admission.Started {
					t.Fatalf("%+v", a.Refusal)
				}
				open = interrupts(t, l.untilEnd())
				refusedWith(t, l.as(ann, both()), adapter.CodeOwnApproval)
				refusedWith(t, l.as(bob, both()), adapter.CodeOwnApproval)
			}
			if a := l.as("acme/cid", both()); a.Disposition != admission.Started {
				t.Fatalf("%+v", a.Refusal)
			}
			succeeded(t, l.untilEnd())
		})
	}
}
