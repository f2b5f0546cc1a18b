package gateway

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// Every event that AG-UI has, and one that it will have, is logged byte for byte.
func TestEventsPassAsTheyAre(t *testing.T) {
	file, err := os.ReadFile("../protocol/testdata/events.txt")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(file)) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "valid "); ok {
			lines = append(lines, text)
		}
	}
	lines = append(lines,
		`{"delta":"h\u0069","messageId":"a" , "type":"TEXT_MESSAGE_CONTENT", "later":{"n":1.0e+2}}`,
		`{"type":"STATE_DELTA","timestamp":1,"delta":[{"op":"move","from":"/a~1b","path":"/c","extra":1},{"op":"add","path":"/a","value":null}]}`,
		`{"type":"NEWER_EVENT","x":[1.50,null]}`,
		`{"type":"CUSTOM","name":"x","value":null}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"a"}`,
		`{"type":"STATE_SNAPSHOT","snapshot":{"big":123456789012345678901234567890,"z":1,"a":2}}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":""}`,
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"role":"user","id":"u","content":"x"}]}`,
	)
	passed := map[protocol.EventType]bool{}
	l := newLab(t, nil, sends())
	for n, line := range lines {
		e, err := protocol.Decode([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		does := protocol.EffectOf(e)
		if strings.Contains(line, `"remove","path":""`) || strings.Contains(line, `"messageId":""`) {
			continue // it applies to nothing, or gets an id of its own
		}
		if does.Family == protocol.FamilyRun || does.Verb == protocol.Abridges {
			continue
		}
		passed[e.Type()] = true
		l.on(string(e.Type()) + strconv.Itoa(n))
		l.peer.next(sends(append(append([]string{began}, before(t, e)...), line, done)...))
		logged := l.say("go")
		succeeded(t, logged)
		if !slices.ContainsFunc(l.texts, func(text []byte) bool { return bytes.Equal(text, []byte(line)) }) {
			t.Errorf("%s became\n%s", line, bytes.Join(l.texts, []byte("\n")))
		}
		if !strings.Contains(line, "later") {
			l.wellFormed()
		}
	}
	if len(passed) < 26 {
		t.Errorf("only %d kinds were shown", len(passed))
	}
}

// before are the events that make one legal.
func before(t *testing.T, e protocol.Event) []string {
	t.Helper()
	var opening protocol.Event
	does := protocol.EffectOf(e)
	owner := protocol.Attributed{SubagentRunID: protocol.OwnerOf(e)}
	switch e := e.(type) {
	case *protocol.StateDelta:
		return []string{`{"type":"STATE_SNAPSHOT","snapshot":{"a":{"b":1},"a/b":1}}`}
	case *protocol.ActivityDelta:
		opening = &protocol.ActivitySnapshot{Attributed: owner, MessageID: e.MessageID, ActivityType: e.ActivityType, Content: []byte(`{"a":{"b":1},"b":1,"x":1}`)}
	case *protocol.SubagentStarted:
		if e.ParentSubagentRunID != nil {
			opening = &protocol.SubagentStarted{SubagentRunID: *e.ParentSubagentRunID, Name: "parent"}
		}
	}
	if does.Verb == protocol.Continues || does.Verb == protocol.Ends {
		switch does.Family {
		case protocol.FamilyText:
			opening = &protocol.TextMessageStart{Attributed: owner, MessageID: *does.ID, Role: protocol.RoleAssistant}
		case protocol.FamilyToolCall:
			opening = &protocol.ToolCallStart{Attributed: owner, ToolCallID: *does.ID, ToolCallName: "t"}
		case protocol.FamilySpan:
			opening = &protocol.ReasoningStart{Attributed: owner, MessageID: *does.ID}
		case protocol.FamilyReasoning:
			opening = &protocol.ReasoningMessageStart{Attributed: owner, MessageID: *does.ID, Role: protocol.RoleReasoning}
		case protocol.FamilyStep:
			opening = &protocol.StepStarted{Attributed: owner, StepName: *does.ID}
		case protocol.FamilySubagent:
			opening = &protocol.SubagentStarted{SubagentRunID: *does.ID, Name: "s"}
		}
	}
	if opening == nil {
		return nil
	}
	text, err := protocol.Encode(opening)
	if err != nil {
		t.Fatal(err)
	}
	return []string{string(text)}
}

// Chunks are expanded, and a text that spans lines becomes one line.
func TestEventsThatCannotPassAsTheyAre(t *testing.T) {
	l := newLab(t, nil, sends(began,
		`{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","delta":"h"}`, `{"type":"TEXT_MESSAGE_CHUNK","delta":"i"}`,
		"{\"type\":\"RAW\",\ndata: \"event\":1}", done))
	logged := l.say("go")
	succeeded(t, logged)
	if l.said() != "hi" || show(logged) != "RUN_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_CONTENT RAW TEXT_MESSAGE_END RUN_FINISHED" {
		t.Errorf("%q: %s", l.said(), show(logged))
	}
	if text := string(l.texts[4]); text != `{"type":"RAW","event":1}` {
		t.Errorf("%s", text)
	}
	l.wellFormed()
	if repairs := l.repairs(); len(repairs) > 0 {
		t.Errorf("repaired %v", repairs)
	}
}
