package llm_test

import (
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// Half of a character in each of two chunks is one character in what is told, kept, called
// with, and sent to the model; one that stays alone is U+FFFD.
func TestHalvesOfCharacters(t *testing.T) {
	k := &kit{}
	piece := func(args string) string {
		return delta(`"tool_calls":[{"index":0,"function":{"arguments":"` + args + `"}}]`)
	}
	e := newEndpoint(t, chunks(
		delta(`"reasoning_content":"hm \ud83d"`), delta(`"reasoning_content":"\ude00"`),
		delta(`"content":"a\ud83d"`), delta(`"content":""`), delta(`"content":"\ude00\ud83d"`),
		toolCall(0, "c", "mail", ""), piece(`{\"to\":\"\ud83d`), piece(`\ude00\",\"body\":\"\ude00\"}`),
		finish("tool_calls"), used(1, 1),
	), chunks(text("sent"), finish("stop"), used(1, 1)))
	l := newLab(t, e.agent(k.tools()...))
	open := interrupts(t, l.say("hi"), 1)
	succeeded(t, l.resume(resolved(open[0], `{"approved":true}`)))
	if got, want := l.transcript(), "reasoning hm 😀\nassistant a😀\ufffd mail{\"to\":\"😀\",\"body\":\"\ufffd\"}\ntool \"sent\"\nassistant sent"; got != want {
		t.Errorf("kept %q\nnot  %q", got, want)
	}
	told := map[protocol.EventType]string{}
	for _, e := range l.got {
		if delta := protocol.EffectOf(e).Delta; delta != nil {
			told[e.Type()] += *delta
		}
	}
	if told[protocol.TypeReasoningMessageContent] != "hm 😀" || told[protocol.TypeTextMessageContent] != "a😀\ufffdsent" || told[protocol.TypeToolCallArgs] != "{\"to\":\"😀\",\"body\":\"\ufffd\"}" {
		t.Errorf("told %q", told)
	}
	if sent, _ := k.mailed.Load().(mail); sent.To != "😀" {
		t.Errorf("mailed %q", sent)
	}
	history := e.requests()[1]
	if m := history.Messages[2]; string(m.Content) != `"a😀`+"\ufffd"+`"` {
		t.Errorf("the model is sent %s", m.Content)
	}
}
