package gateway

import (
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

const late = `{"type":"RUN_ERROR","message":"the write behind it failed","code":"late"}`

// A RUN_ERROR behind its end makes a run that has failed, one that asks as well: nobody is
// asked then. An answer that it comes to is the agent's.
func TestLateErrors(t *testing.T) {
	old := strings.Replace(began, `"RUN"`, `"old"`, 1)
	for name, answer := range map[string]turn{
		"a success":       sends(began, open, word, shut, done, late),
		"a bare success":  sends(began, done, late),
		"a question":      sends(began, asks(confirm), late),
		"behind a replay": sends(old, done, began, done, late),
		"without a run":   sends(done, late),
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, nil, answer)
			failedWith(t, l.say("go"), "late")
			l.wellFormed()
			l = newLab(t, nil, sends(began, asks(confirm)), answer)
			asked := interrupted(t, l.say("go"))
			failedWith(t, l.answer(resolved(asked[0].ID, "true")), "late")
			l.wellFormed()
			succeededBehind(t, l)
		})
	}
}

// An error that comes late, or behind what the run has said, does not refuse what was sent.
func TestErrorsThatRefuse(t *testing.T) {
	for name, test := range map[string]struct {
		before  []string
		late    bool
		refuses bool
	}{
		"at once":            {refuses: true},
		"behind RUN_STARTED": {before: []string{began}, refuses: true},
		"behind two":         {before: []string{began, began}, refuses: true},
		"behind an event":    {before: []string{began, open}},
		"late":               {before: []string{began}, late: true},
	} {
		r := newRelay(t.Context(), deaf{}, manners{}, DialectPlain, ids{})
		for _, text := range test.before {
			if _, err := takes(r, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		said, err := r.take(received{event: &protocol.RunError{Code: "interrupt_gone"}, late: test.late})
		if err != nil || said.Failure.refusesAnswers() != test.refuses {
			t.Errorf("%s: %+v %v", name, said, err)
		}
	}
}

// succeededBehind says something, which no open question may forbid.
func succeededBehind(t *testing.T, l *lab) {
	t.Helper()
	l.peer.next(sends(began, done))
	succeeded(t, l.say("more"))
}

// A replay does not say that the agent has an answer: what follows it does.
func TestReplaysAreNoAnswers(t *testing.T) {
	old := []string{strings.Replace(began, `"RUN"`, `"old"`, 1), open, word, shut, done}
	refuses := sends(append(old, began, `{"type":"RUN_ERROR","message":"no","code":"busy"}`)...)
	l := newLab(t, nil, sends(began, asks(confirm)), refuses, sends(append(old, began, strings.ReplaceAll(open, `"a"`, `"b"`), done)...))
	asked := interrupted(t, l.say("go"))
	failedWith(t, l.answer(resolved(asked[0].ID, "true")), "busy")
	succeeded(t, l.answer(resolved(asked[0].ID, "true"))) // it was given back
	l.wellFormed()
	if l.said() != "" {
		t.Errorf("said %q", l.said())
	}
}

// What is wrong with an event is said in words.
func TestErrorsAreInWords(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":`:                      "event 1 of the agent: not a JSON document: unexpected end of JSON input",
		`[]`:                            "event 1 of the agent: expected an object, found an array",
		`{"typ":"RUN_STARTED"}`:         `event 1 of the agent: the member "type" is required`,
		`{"type":"TEXT_MESSAGE_START"}`: `event 1 of the agent: the member "messageId" is required`,
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u","role":"user","content":7}]}`: "event 1 of the agent: expected a string or an array, found a number, at /messages/0/content",
	} {
		d := newDecoding()
		if _, err := d.next([]byte(text), false); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
