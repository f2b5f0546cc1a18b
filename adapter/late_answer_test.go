package adapter_test

import (
	"testing"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/protocol"
)

// An answer that was given before and comes again after a rewind, with what its
// sender then held, starts nothing: what was taken out of the thread is not new.
func TestAnAnswerAgainAfterARewind(t *testing.T) {
	l := newLab(t, asker(confirmation("?")))
	said := user("one")
	l.submit(said)
	open := interrupts(t, l.untilEnd())
	succeeded(t, l.answer(resolved(open[0].ID, "1")))
	l.submit(&protocol.RunAgentInput{Messages: append(said.Messages[:1:1], user("two").Messages...)})
	asked := interrupts(t, l.untilEnd())
	succeeded(t, l.answer(resolved(asked[0].ID, "1")))
	thread, err := l.runner.Thread(l.ctx(), l.key)
	if err != nil {
		t.Fatal(err)
	}
	held := thread.Messages

	rewound := &protocol.RunAgentInput{Messages: append(held[:1:1], user("three").Messages...)}
	l.submit(rewound)
	asked2 := interrupts(t, l.untilEnd())
	succeeded(t, l.answer(resolved(asked2[0].ID, "1")))

	late := &protocol.RunAgentInput{RunID: "late", Messages: held, Resume: []protocol.ResumeEntry{resolved(asked[0].ID, "1")}}
	if a := l.submit(late); a.Disposition != admission.Repeat {
		t.Fatalf("%s %+v", a.Disposition, a.Refusal)
	}
	if thread, err = l.runner.Thread(l.ctx(), l.key); err != nil || thread.Active != "" {
		t.Errorf("%s is active, %v", thread.Active, err)
	}

	more := &protocol.RunAgentInput{RunID: "more", Messages: append(held[:len(held):len(held)], user("four").Messages...), Resume: late.Resume}
	l.begins(more)
	l.untilEnd()
}
