package gateway

import (
	"net/http"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// An agent is told to stop once, what it may be busy with, and before the same is asked of
// it again.
func TestStopIsToldOnce(t *testing.T) {
	for name, test := range map[string]struct {
		turn turn
		told int
	}{
		"its own error":   {sends(began, `{"type":"RUN_ERROR","message":"no"}`), 0},
		"refused":         {status(400), 0},
		"cut":             {sends(began), 1},
		"cut in midst":    {sends(began, open, word), 1},
		"no event":        {sends(began, "{}"), 1},
		"ends in order":   {sends(began, done), 0},
		"an error within": {sends(began, open, `{"type":"RUN_ERROR","message":"no"}`), 0},
	} {
		for mode, options := range modes {
			t.Run(name+"/"+mode, func(t *testing.T) {
				stopped := make(chan string, 9)
				stop := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { stopped <- r.URL.Path }))
				options.StopURL = stop + "/stop"
				l := newLab(t, &options, sends(began, asks(confirm)), test.turn)
				first := interrupted(t, l.say("go"))
				l.answer(resolved(first[0].ID, "true"))
				if name == "cut" && len(stopped) != 1 {
					t.Errorf("it was asked about before the agent was told to stop")
				}
				l.up.behind.Wait()
				if len(stopped) != test.told {
					t.Errorf("told to stop %d times", len(stopped))
				}
			})
		}
	}
}

// Of one request after the other each is let go of for itself.
func TestAnswersOneByOneAreNotStopped(t *testing.T) {
	const both = `{"id":"r::c1","reason":"mastra:x"},{"id":"r::c2","reason":"mastra:x"}`
	stopped := make(chan string, 9)
	stop := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { stopped <- r.URL.Path }))
	behind := func(w http.ResponseWriter, r *http.Request, in *protocol.RunAgentInput) {
		sends(began, done, open)(w, r, in)
	}
	l := newLab(t, &Options{Dialect: DialectMastra, StopURL: stop}, sends(began, asks(both)), behind, behind)
	first := interrupted(t, l.say("go"))
	succeeded(t, l.answer(resolvedAll(first, "true")...))
	l.up.behind.Wait()
	if len(stopped) != 0 {
		t.Errorf("told to stop %d times", len(stopped))
	}
}
