package gateway

import (
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// A question that its agent does not know any more is no dead end: a human says whether the
// agent is asked again, gets the answer once more, or the run ends.
func TestForgottenQuestions(t *testing.T) {
	says := func(code, message string) turn {
		return sends(began, `{"type":"RUN_ERROR","code":"`+code+`","message":"`+message+`"}`)
	}
	const call = `{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"pay","parentMessageId":"a"}`
	const args = `{"type":"TOOL_CALL_END","toolCallId":"c1"}`
	for name, test := range map[string]struct {
		options Options
		forgets turn
	}{
		"by a code":              {Options{}, says("UNKNOWN_INTERRUPT", "This agent did not issue any interrupts to resume")},
		"by a code of our own":   {Options{}, says("interrupt_unknown", "x")},
		"by a status":            {Options{}, status(404)},
		"for good":               {Options{History: HistoryNew}, status(410)},
		"by words":               {Options{Dialect: DialectMastra}, says("", "No snapshot found for this workflow run")},
		"behind something":       {Options{}, sends(began, `{"type":"CUSTOM","name":"n","value":1}`, `{"type":"RUN_ERROR","code":"interrupt-not-found","message":"x"}`)},
		"where somebody's asked": {Options{AskLost: true}, status(404)},
	} {
		for action, wanted := range map[string]int{askAgain: 3, sendAgain: 3, giveUp: 2, "": 2} {
			t.Run(name+"/"+action, func(t *testing.T) {
				l := newLab(t, &test.options, sends(began, open, word, shut, call, args, asks(confirm)), test.forgets)
				asked := interrupted(t, l.say("go"))
				doubt := interrupted(t, l.answer(resolved(asked[0].ID, `"yes"`)))
				if len(doubt) != 1 || doubt[0].Reason != ReasonForgotten || !strings.Contains(doubt[0].Message, "“Sure?”") || !strings.Contains(string(doubt[0].Metadata["answers"]), `"Ask the agent again"`) {
					t.Fatalf("asked %s", asJSON(t, doubt))
				}
				l.peer.next(sends(began, `{"type":"TEXT_MESSAGE_CHUNK","messageId":"b","role":"assistant","delta":"ok"}`, done))
				answer := cancelled(doubt[0].ID)
				if action != "" {
					answer = resolved(doubt[0].ID, `{"action":"`+action+`"}`)
				}
				end := l.answer(answer)
				if wanted == 2 {
					failedWith(t, end, CodeForgotten)
				} else {
					succeeded(t, end)
				}
				l.wellFormed()
				sent := l.peer.runs()
				if len(sent) != wanted {
					t.Fatalf("%d requests", len(sent))
				}
				last := sent[len(sent)-1]
				switch action {
				case askAgain:
					if last.in.Resume != nil || len(last.in.Messages) != 2 || strings.Contains(string(last.body), `"c1"`) || last.in.RunID == sent[0].in.RunID || last.in.ThreadID != sent[0].in.ThreadID {
						t.Errorf("sent %s", last.body)
					}
				case sendAgain:
					if got := asJSON(t, last.in.Resume); got != `[{"interruptId":"up-1","status":"resolved","payload":"yes"}]` || last.in.RunID == sent[1].in.RunID {
						t.Errorf("sent %s", last.body)
					}
				}
			})
		}
	}
}

// With a cancellation nothing is lost, so nobody is asked; and the thread goes on.
func TestForgottenAndCancelled(t *testing.T) {
	l := newLab(t, nil, sends(began, asks(confirm)), status(404), sends(began, done))
	asked := interrupted(t, l.say("go"))
	failedWith(t, l.answer(cancelled(asked[0].ID)), CodeForgotten)
	succeeded(t, l.say("more"))
}

// So it goes again and again, and a new question of the agent's is asked.
func TestForgottenAgain(t *testing.T) {
	l := newLab(t, nil, sends(began, asks(confirm)), status(404))
	asked := interrupted(t, l.say("go"))
	doubt := interrupted(t, l.answer(resolved(asked[0].ID, `"yes"`)))
	doubt = interrupted(t, l.answer(resolved(doubt[0].ID, `{"action":"send_again"}`)))
	if doubt[0].Reason != ReasonForgotten {
		t.Fatalf("asked %s", asJSON(t, doubt))
	}
	l.peer.next(sends(began, asks(form)), sends(began, done))
	next := interrupted(t, l.answer(resolved(doubt[0].ID, `{"action":"ask_again"}`)))
	if next[0].ResponseSchema.IsZero() || len(next) != 1 {
		t.Fatalf("asked %s", asJSON(t, next))
	}
	succeeded(t, l.answer(resolved(next[0].ID, `{"n":1}`)))
	if got := asJSON(t, l.peer.runs()[4].in.Resume); got != `[{"interruptId":"up-2","status":"resolved","payload":{"n":1}}]` {
		t.Errorf("sent %s", got)
	}
}

func TestWithoutOpenCalls(t *testing.T) {
	calls := func(ids ...string) (list []protocol.ToolCall) {
		for _, id := range ids {
			list = append(list, protocol.ToolCall{ID: id})
		}
		return list
	}
	messages := protocol.Messages{
		{ID: "1", Role: protocol.RoleAssistant, ToolCalls: calls("old")}, {ID: "2", Role: protocol.RoleUser},
		{ID: "3", Role: protocol.RoleAssistant, ToolCalls: calls("a", "b")}, {ID: "4", Role: protocol.RoleTool, ToolCallID: "a"},
		{ID: "5", Role: protocol.RoleAssistant, ToolCalls: calls("c")}, {ID: "6", Role: protocol.RoleAssistant, Content: protocol.Text("x"), ToolCalls: calls("d")},
	}
	got := withoutOpenCalls(messages)
	var left []string
	for _, m := range got {
		left = append(left, m.ID)
		for _, c := range m.ToolCalls {
			left = append(left, c.ID)
		}
	}
	if text := strings.Join(left, " "); text != "1 old 2 3 a 4 6" || len(messages[2].ToolCalls) != 2 {
		t.Errorf("left %s", text)
	}
}
