package gateway

import (
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/protocol"
)

var modes = map[string]Options{"default": {}, "idempotent": {Idempotent: true}, "ask-lost": {AskLost: true}}

// An execution goes on, whatever was configured when it was begun, and its answers go once.
func TestModeChangesBetweenAnswers(t *testing.T) {
	for from, before := range modes {
		for to, after := range modes {
			t.Run(from+" to "+to, func(t *testing.T) {
				l := newLab(t, &before, sends(began, asks(confirm)), sends(began, open, word, shut, asks(form)), sends(began, done))
				first := interrupted(t, l.say("go"))
				second := interrupted(t, l.answer(resolved(first[0].ID, "true")))
				l.up.behind.Wait()
				l.up.options.Idempotent, l.up.options.AskLost = after.Idempotent, after.AskLost
				succeeded(t, l.answer(resolved(second[0].ID, `{"n":1}`)))
				l.wellFormed()
				if n := len(l.peer.runs()); n != 3 || l.said() != "hi" {
					t.Errorf("%d requests, %q", n, l.said())
				}
			})
		}
	}
}

// Who dies when the agent has the answer has not all of what it said: another worker does
// not take it for the end, whatever is configured there.
func TestModeChangesWhereAWorkerIsLost(t *testing.T) {
	for to, after := range modes {
		t.Run(to, func(t *testing.T) {
			reached := make(chan struct{}, 1)
			l := newLab(t, &after, sends(began, asks(confirm)))
			in := &protocol.RunAgentInput{ThreadID: "thread", RunID: "lost", Resume: []protocol.ResumeEntry{resolved(interrupted(t, l.say("go"))[0].ID, "true")}}
			l.peer.next(hangs(reached, began, open, word), sends(began, open, word, shut, done))
			doomed, cut := l.doomedWith(nil)
			if a, err := doomed.Submit(l.ctx(), admission.Input{Namespace: "test", Run: in}); err != nil || a.Disposition != admission.Started {
				t.Fatalf("%v %+v", err, a)
			}
			<-reached
			l.until(isWord)
			cut.sever()
			failedWith(t, l.untilEnd(), adapter.CodeWorkerLost)
			l.wellFormed()
		})
	}
}

// How an answer goes is as the question came, under another dialect too.
func TestDialectChanges(t *testing.T) {
	both := `{"id":"r::c1","reason":"mastra:x"},{"id":"r::c2","reason":"mastra:x"}`
	for name, test := range map[string]struct {
		from, to Dialect
		sent     []int // answers in each request
	}{
		"from single": {DialectMastra, DialectPlain, []int{1, 1}},
		"to single":   {DialectPlain, DialectMastra, []int{2}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, &Options{Dialect: test.from}, sends(began, asks(both)), sends(began, done))
			first := interrupted(t, l.say("go"))
			l.up.behind.Wait()
			l.up.options.Dialect, l.up.manners = test.to, mannersOf[test.to]
			// A second set of answers has the first replayed.
			l.peer.next(sends(began, done))
			if test.from == DialectMastra {
				l.peer.next(sends(began, done), sends(began, asks(confirm)), sends(began, done))
			} else {
				l.peer.next(sends(began, asks(confirm)), sends(began, done))
			}
			second := interrupted(t, l.answer(resolved(first[0].ID, "true"), resolved(first[1].ID, "true")))
			l.up.behind.Wait()
			l.up.options.Dialect, l.up.manners = test.from, mannersOf[test.from]
			succeeded(t, l.answer(resolved(second[0].ID, "true")))
			l.wellFormed()
			runs := l.peer.runs()[1:]
			if len(runs) != len(test.sent)+1 {
				t.Fatalf("%d requests", len(runs))
			}
			for i, n := range test.sent {
				if got := len(runs[i].in.Resume); got != n {
					t.Errorf("request %d has %d answers", i, got)
				}
			}
		})
	}
}
