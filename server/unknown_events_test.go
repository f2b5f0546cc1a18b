package server

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/frames"
)

// novel is an event of a type that this version does not know, as its sender has written it.
const novel = `{"z":{"b":1,"a":12345678901234567890},"type":"SOMETHING_NEW"}`

// relaying is an agent that passes it on, in the midst of a message.
func relaying(_ context.Context, run *adapter.Run) error {
	text, err := run.Text()
	if err != nil {
		return err
	}
	e, err := protocol.Decode([]byte(novel))
	if err != nil {
		return err
	}
	if err := run.Relay(e, []byte(novel)); err != nil {
		return err
	}
	_, err = text.WriteString("hello")
	return err
}

// An event of a type that is not known is told as it is to clients that may know it or leave
// it aside, and to no older ones.
func TestUnknownEventsAreTold(t *testing.T) {
	declaring := func(version, body string) string {
		if version == "" {
			return body
		}
		return strings.Replace(body, `{`, `{"protocolVersion":"`+version+`",`, 1)
	}
	for name, c := range map[string]struct {
		path, version string
		told          bool
	}{
		"1.0":                      {"/agui", "1.0", true},
		"1.1":                      {"/agui", "1.1", true},
		"none":                     {"/agui", "", false},
		"TanStack AI":              {"/agui?client=tanstack", "", true},
		"CopilotKit on 1.0":        {"/copilotkit/agent/default/run", "1.0", true},
		"CopilotKit, an older one": {"/copilotkit/agent/default/run", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			ts := node(t, embedded(t), adapter.AgentFunc(relaying))
			var told []string
			for s := ts.ask(http.MethodPost, c.path, declaring(c.version, says("r1", "hi"))).opened(); ; {
				e, ok := s.next()
				if !ok {
					break
				}
				told = append(told, e.data)
			}
			if len(told) == 0 || !strings.Contains(told[len(told)-1], "RUN_FINISHED") || slices.Contains(told, novel) != c.told {
				t.Errorf("told %s", strings.Join(told, "\n"))
			}
			// Who comes later is told the thread without it.
			if types, last := ts.copilotkit("connect", declaring(c.version, opening)).opened().rest(); kindOf(last) != "RUN_FINISHED" || slices.Contains(types, "SOMETHING_NEW") {
				t.Errorf("connected to %v", types)
			}
		})
	}
	t.Run("a socket", func(t *testing.T) {
		ts := node(t, embedded(t), adapter.AgentFunc(relaying))
		tb := newTab(ts.dial())
		tb.send(says("r1", "hi"))
		var types []string
		for !slices.Contains(types, "RUN_FINISHED") {
			e := tb.next()
			types = append(types, string(e.Type()))
			if u, unknown := e.(*protocol.Unknown); unknown && string(u.Raw) != novel {
				t.Errorf("told %s", u.Raw)
			}
		}
		if !slices.Contains(types, "SOMETHING_NEW") {
			t.Errorf("told %v", types)
		}
		if m := tb.fold.Messages(); m[len(m)-1].Content.String() != "hello" {
			t.Errorf("the thread is %+v", m)
		}
	})
}

// Whoever may not see the thread is told no snapshot, however its type is spelt.
func TestTypesAreReadAsWritten(t *testing.T) {
	for _, text := range []string{
		`{"type":"MESSAGES_SNAPSHOT","messages":[]}`, `{"messages":[],"type":"MESSAGES_SNAPSHOT"}`,
		`{"type":"MESSAGES\u005fSNAPSHOT","messages":[]}`, `{"messages":[],"ty\u0070e" : "MESSAGES\u005fSNAPSHOT"}`, `{ "type":"MESSAGES_SNAPSHOT","messages":[]}`,
	} {
		if frames.TypeOf([]byte(text)) != protocol.TypeMessagesSnapshot || frames.Tells([]byte(text)) {
			t.Errorf("%s is of type %q", text, frames.TypeOf([]byte(text)))
		}
	}
}
