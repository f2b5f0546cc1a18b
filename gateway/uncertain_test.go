package gateway

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// Whether the agent has an answer that was sent, and of which nothing was heard that says
// so, nobody knows: a human is asked, and the answer goes no second time unless that one
// says so, under the id that the agent may know.
func TestAnswersOfWhichNobodyKnows(t *testing.T) {
	drop := func(w http.ResponseWriter, r *http.Request, in *protocol.RunAgentInput) { panic(http.ErrAbortHandler) }
	heard := make(chan struct{}, 1)
	hang := func(w http.ResponseWriter, r *http.Request, in *protocol.RunAgentInput) {
		heard <- struct{}{}
		<-r.Context().Done()
	}
	half := func(w http.ResponseWriter, r *http.Request, in *protocol.RunAgentInput) {
		sends(began)(w, r, in)
		io.WriteString(w, `data: {"type":"RUN_E`)
	}
	for name, test := range map[string]struct {
		turn turn
		says string
	}{
		"nothing":                 {sends(), "closed the connection before"},
		"a connection that broke": {drop, "closed the connection before"},
		"silence":                 {hang, "no event within 20ms"},
		"a beginning":             {sends(began), "ended after event 1"},
		"half an event":           {half, "in the midst of event 2"},
	} {
		for mode, options := range map[string]Options{"": {}, "idempotent": {Idempotent: true}, "ask-lost": {AskLost: true}} {
			for action, sent := range map[string]int{"rerun": 3, "done": 2, "fail": 2} {
				t.Run(name+"/"+mode+"/"+action, func(t *testing.T) {
					l := newLab(t, &options, sends(began, asks(confirm)), test.turn, sends(began, open, word, shut, done))
					first := interrupted(t, l.say("go"))
					l.up.behind.Wait()
					if name == "silence" {
						l.up.options.FirstByteTimeout = 20 * time.Millisecond
						l.up.client.Transport = connectedWhen(heard, l.up.client.Transport)
					}
					doubt := interrupted(t, l.answer(resolved(first[0].ID, "true")))
					if len(doubt) != 1 || doubt[0].Reason != adapter.ReasonUncertainStep || !strings.Contains(doubt[0].Message, test.says) ||
						!strings.Contains(doubt[0].Message, "The answer true to “Sure?” went to the agent, and nobody knows") ||
						!strings.Contains(doubt[0].Message, "Agent's run: "+l.peer.runs()[1].in.RunID+". Look for it in the agent's log before you choose.") ||
						!strings.Contains(string(doubt[0].Metadata[answersKey]), `"label":"It was not done: do it again"`) || !strings.Contains(string(doubt[0].Metadata[answersKey]), `"label":"It was done"`) {
						t.Fatalf("asked %s", asJSON(t, doubt))
					}
					l.up.behind.Wait()
					l.up.options.FirstByteTimeout = patience
					end := l.answer(resolved(doubt[0].ID, `{"action":"`+action+`"}`))
					if action == "fail" {
						failedWith(t, end, adapter.CodeWorkerLost)
					} else {
						succeeded(t, end)
					}
					l.wellFormed()
					runs := l.peer.runs()
					if len(runs) != sent || (l.said() == "hi") != (sent == 3) {
						t.Fatalf("%d requests, %q", len(runs), l.said())
					}
					for _, r := range runs[1:] {
						if r.in.RunID != runs[1].in.RunID || asJSON(t, r.in.Resume) != asJSON(t, runs[1].in.Resume) {
							t.Errorf("sent %s\nthen %s", runs[1].body, r.body)
						}
					}
				})
			}
		}
	}
}

// An answer is told in the words in which it was offered, and a plain yes or no in these. Any other is told as it is.
func TestAnswersInWords(t *testing.T) {
	const listed = `[{"label":"Go ahead","payload":{"approved":true}}]`
	for _, of := range []struct{ answers, payload, want string }{
		{"", `{"approved": true}`, "Yes"},
		{"", `{"approved":false}`, "No"},
		{listed, `{"approved":true}`, "Go ahead"},
		{listed, `{"approved":true,"editedArgs":{}}`, `{"approved":true,"editedArgs":{}}`},
		{"7", `"tomorrow"`, `"tomorrow"`},
	} {
		asked := protocol.Interrupt{Metadata: protocol.Metadata{answersKey: []byte(of.answers)}}
		if got := spoken(asked, protocol.ResumeEntry{Payload: protocol.Any(of.payload)}); got != of.want {
			t.Errorf("%s, of %s, is told as %s", of.payload, of.answers, got)
		}
	}
}

// connectedWhen tells of the next connection when the agent has read the request, or has
// answered: on a slow machine it would have less than the time that it is given.
func connectedWhen(heard <-chan struct{}, inner http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		connected := sync.OnceFunc(func() { httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{}) })
		over := make(chan struct{})
		defer close(over)
		go func() {
			select {
			case <-heard:
				connected()
			case <-over:
			}
		}()
		resp, err := inner.RoundTrip(r.WithContext(untraced{r.Context()}))
		connected()
		return resp, err
	})
}

// untraced is a context of a request that tells nothing of its connection.
type untraced struct{ context.Context }

func (untraced) Value(any) any { return nil }
