package gateway

import (
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// Of an agent that reads one answer a request, those that came to it are its own, and the
// others are asked again: its calls would wait for them for ever.
func TestAnswersOneByOneThatFail(t *testing.T) {
	const c1, c2, c3 = `{"id":"r::c1","reason":"mastra:x","message":"One?"}`, `{"id":"r::c2","reason":"mastra:x"}`, `{"id":"r::c3","reason":"mastra:x"}`
	whole := sends(began, open, word, shut, done)
	for name, test := range map[string]struct {
		turns  []turn // the answers to answers
		breaks bool   // off in the midst, of which a human is asked with AskLost
		again  string // ids that are asked again; "": the run fails
		says   string
	}{
		"the second is refused":      {turns: []turn{sends(began, asks(c2)), status(400)}, again: "r::c2", says: "the agent refused the request: 400 Bad Request."},
		"the second fails":           {turns: []turn{sends(began, asks(c2)), status(503)}, again: "r::c2", says: "503"},
		"the second's own error":     {turns: []turn{sends(began, asks(c2)), sends(began, `{"type":"RUN_ERROR","message":"busy"}`)}, again: "r::c2", says: "busy"},
		"the first fails within":     {turns: []turn{sends(began, open, word, `{"type":"RUN_ERROR","message":"it broke"}`)}, again: "r::c2", says: "it broke"},
		"the second fails within":    {turns: []turn{sends(began, asks(c2)), sends(began, open, word)}, breaks: true},
		"and another was asked":      {turns: []turn{sends(began, asks(c2+","+c3)), sends(began, open, word)}, breaks: true, again: "r::c3", says: "ended after"},
		"refused, and another asked": {turns: []turn{sends(began, asks(c2+","+c3)), status(400)}, again: "r::c2 r::c3", says: "400"},
	} {
		for mode, options := range modes {
			t.Run(name+"/"+mode, func(t *testing.T) {
				options.Dialect = DialectMastra
				l := newLab(t, &options, append([]turn{sends(began, asks(c1+","+c2))}, test.turns...)...)
				first := interrupted(t, l.say("go"))
				end := l.answer(resolved(first[0].ID, "1"), resolved(first[1].ID, "2"))
				code, says := CodeTruncated, test.says
				if mode == "ask-lost" && test.breaks {
					doubt := interrupted(t, end)
					end = l.answer(resolved(doubt[0].ID, `{"action":"fail"}`))
					code, says = adapter.CodeWorkerLost, "declared failed"
				}
				if test.again == "" {
					failedWith(t, end, code)
					l.wellFormed()
					return
				}
				again := interrupted(t, end)
				before := len(l.peer.runs())
				l.up.behind.Wait()
				// It fails again, and is given back: nothing was sent since.
				l.peer.next(status(503), whole)
				for _, q := range again {
					if !strings.Contains(q.Message, says) || strings.Contains(q.Message, "One?") {
						t.Errorf("asked %q", q.Message)
					}
				}
				answer := resolvedAll(again, "3")
				failedWith(t, l.answer(answer...), CodeFailed)
				succeeded(t, l.answer(answer...))
				l.wellFormed()
				var sent []string
				for _, r := range l.peer.runs()[before+1:] {
					for _, e := range r.in.Resume {
						sent = append(sent, e.InterruptID)
					}
				}
				if got := strings.Join(sent, " "); got != test.again {
					t.Errorf("sent %s", got)
				}
			})
		}
	}
}

// A human who declares one lost is asked the others again.
func TestAnswersOneByOneThatAreLost(t *testing.T) {
	const c1, c2, c3 = `{"id":"r::c1","reason":"mastra:x"}`, `{"id":"r::c2","reason":"mastra:x"}`, `{"id":"r::c3","reason":"mastra:x"}`
	l := newLab(t, &Options{Dialect: DialectMastra}, sends(began, asks(c1+","+c2+","+c3)), sends(began, asks(c2+","+c3)), sends(began), sends(began, done))
	first := interrupted(t, l.say("go"))
	doubt := interrupted(t, l.answer(resolvedAll(first, "1")...))
	if len(doubt) != 1 || doubt[0].Reason != adapter.ReasonUncertainStep {
		t.Fatalf("asked %s", asJSON(t, doubt))
	}
	again := interrupted(t, l.answer(resolved(doubt[0].ID, `{"action":"fail"}`)))
	if len(again) != 1 {
		t.Fatalf("asked %s", asJSON(t, again))
	}
	succeeded(t, l.answer(resolvedAll(again, "2")...))
	l.wellFormed()
	runs := l.peer.runs()
	if last := runs[len(runs)-1].in.Resume; len(runs) != 4 || len(last) != 1 || last[0].InterruptID != "r::c3" {
		t.Errorf("%d requests, the last %s", len(runs), asJSON(t, last))
	}
}

func resolvedAll(asked []protocol.Interrupt, payload string) []protocol.ResumeEntry {
	var all []protocol.ResumeEntry
	for _, i := range asked {
		all = append(all, resolved(i.ID, payload))
	}
	return all
}
