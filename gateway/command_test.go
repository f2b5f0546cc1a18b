package gateway

import (
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// What a client puts into forwardedProps answers nothing at the agent, with an answer or
// without: an answer is judged first.
func TestCommandsOfClients(t *testing.T) {
	custom := `{"type":"CUSTOM","name":"on_interrupt","value":"?"}`
	for name, test := range map[string]struct {
		dialect Dialect
		asks    []string
		props   string
		wants   [2]string // what goes along with the answer, and with the message behind it
	}{
		"LangGraph, an answer beside": {DialectLangGraph, []string{asks(confirm)}, `{"command":{"resume":{"approved":true}},"n":1.0}`, [2]string{`{"n":1.0}`, `{"n":1.0}`}},
		"LangGraph, a step past it":   {DialectLangGraph, []string{asks(confirm)}, `{"command":{"goto":"pay","update":{"approved":true}}}`, [2]string{`{}`, `{}`}},
		"LangGraph, its own":          {DialectLangGraph, []string{custom, done}, `{"command":{"resume":true},"n":1.0}`, [2]string{`{"command":{"resume":{"approved":false}},"n":1.0}`, `{"n":1.0}`}},
		"LangGraph, capitals":         {DialectLangGraph, []string{custom, done}, `{"Command":{"resume":true}}`, [2]string{`{"command":{"resume":{"approved":false}}}`, `{}`}},
		"Mastra":                      {DialectMastra, []string{asks(confirm)}, `{"command":{"resume":true,"interruptEvent":{}}}`, [2]string{`{}`, `{}`}},
		"plain":                       {DialectPlain, []string{asks(confirm)}, `{"command":{"resume":true}}`, [2]string{`{}`, `{}`}},
		"no command":                  {DialectPlain, []string{asks(confirm)}, `{"commands":1.0}`, [2]string{`{"commands":1.0}`, `{"commands":1.0}`}},
		"no object":                   {DialectPlain, []string{asks(confirm)}, `"command"`, [2]string{`"command"`, `"command"`}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, &Options{Dialect: test.dialect}, sends(append([]string{began}, test.asks...)...), sends(began, done))
			open := interrupted(t, l.say("go"))
			l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, `{"approved":false}`)}, ForwardedProps: protocol.Any(test.props)})
			succeeded(t, l.untilEnd())
			in := user("more")
			in.ForwardedProps = protocol.Any(test.props)
			l.submit(in)
			succeeded(t, l.untilEnd())
			for n, want := range test.wants {
				if got := string(l.peer.runs()[1+n].in.ForwardedProps); got != want {
					t.Errorf("request %d brings %s, not %s", 1+n, got, want)
				}
			}
		})
	}
}
