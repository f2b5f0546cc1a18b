package llm_test

import (
	"net/http"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// Each run tells what it has used itself: the answers before a question the one that
// asks, and those before a crash the one that goes on.
func TestUsage(t *testing.T) {
	tells := func(e protocol.Event, in, out int64) {
		t.Helper()
		var told []protocol.TokenUsage
		switch e := e.(type) {
		case *protocol.RunFinished:
			told = e.Usage
		case *protocol.RunError:
			told = e.Usage
		}
		if len(told) != 1 || told[0].Model != "m-1-2026" || told[0].InputTokens == nil || *told[0].InputTokens != in || *told[0].OutputTokens != out {
			t.Errorf("told %+v, want %d and %d", told, in, out)
		}
	}
	e := newEndpoint(t,
		calls("clock", "{}"), calls("mail", `{"to":"ann","body":"hi"}`), // 40, 10
		calls("clock", "{}"), // 20, 5
		func(w http.ResponseWriter, r *http.Request) {
			stream(w, text("It is no"))
			<-r.Context().Done()
		},
		answers("Sent."), // 10, 2
		chunks(text("Half"), used(9, 1), finish("length")))
	agent := e.agent(new(kit).tools()...)
	l := newLab(t, agent)
	asks := l.say("go")
	tells(asks, 40, 10)
	l.Begin(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(interrupts(t, asks, 1)[0], `{"approved":true}`)}})
	l.Until(func(e protocol.Event) bool { return e.Type() == protocol.TypeTextMessageContent })
	l.Crash()
	tells(l.end(), 30, 7)
	tells(l.say("more"), 9, 1)
}
