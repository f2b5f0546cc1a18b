package llm_test

import (
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/adaptertest"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
)

// lab is a conversation, and all that clients were told of it.
type lab struct {
	*adaptertest.Bench
	t    *testing.T
	got  []protocol.Event
	last *adaptertest.Run
}

func newLab(t *testing.T, agent adapter.Agent, configure ...func(*runner.Options)) *lab {
	t.Helper()
	return &lab{Bench: adaptertest.New(t, agent, configure...), t: t}
}

// ended is how a run has ended.
func (l *lab) ended(r *adaptertest.Run) protocol.Event {
	l.got, l.last = append(l.got, r.Events...), r
	return r.Events[len(r.Events)-1]
}

func (l *lab) say(text string) protocol.Event {
	l.t.Helper()
	return l.ended(l.Send(text))
}

func (l *lab) resume(entries ...protocol.ResumeEntry) protocol.Event {
	l.t.Helper()
	return l.ended(l.Input(&protocol.RunAgentInput{Resume: entries}))
}

func (l *lab) end() protocol.Event {
	l.t.Helper()
	return l.ended(l.Next())
}

func user(text string) *protocol.RunAgentInput {
	return &protocol.RunAgentInput{Messages: protocol.Messages{{Role: protocol.RoleUser, Content: protocol.Text(text)}}}
}

func resolved(i protocol.Interrupt, payload string) protocol.ResumeEntry {
	return protocol.ResumeEntry{InterruptID: i.ID, Status: protocol.ResumeResolved, Payload: protocol.Any(payload)}
}

// transcript are the messages but the user's, in short.
func (l *lab) transcript() string {
	l.t.Helper()
	var list []string
	for _, m := range l.last.Messages() {
		said := []string{string(m.Role)}
		if text := m.Content.String(); text != "" {
			said = append(said, text)
		}
		for _, c := range m.ToolCalls {
			said = append(said, c.Function.Name+c.Function.Arguments)
		}
		if m.Role != protocol.RoleUser {
			list = append(list, strings.Join(said, " "))
		}
	}
	return strings.Join(list, "\n")
}

// raw is all that clients were told.
func (l *lab) raw() string {
	l.t.Helper()
	var told strings.Builder
	for _, e := range l.got {
		text, err := protocol.Encode(e)
		if err != nil {
			l.t.Fatal(err)
		}
		told.Write(text)
	}
	return told.String()
}

// succeeded wants a run that ended well.
func succeeded(t *testing.T, e protocol.Event) *protocol.RunFinished {
	t.Helper()
	f, ok := e.(*protocol.RunFinished)
	if !ok || f.Outcome.Type != protocol.OutcomeSuccess {
		t.Fatalf("ended by %+v", e)
	}
	return f
}

// interrupts wants a run that asks.
func interrupts(t *testing.T, e protocol.Event, n int) []protocol.Interrupt {
	t.Helper()
	f, ok := e.(*protocol.RunFinished)
	if !ok || f.Outcome.Type != protocol.OutcomeInterrupt || len(f.Outcome.Interrupts) != n {
		t.Fatalf("ended by %+v", e)
	}
	return f.Outcome.Interrupts
}

// failed wants RUN_ERROR, and returns its sentence.
func failed(t *testing.T, e protocol.Event) string {
	t.Helper()
	bad, ok := e.(*protocol.RunError)
	if !ok {
		t.Fatalf("ended by %+v", e)
	}
	return bad.Message
}
