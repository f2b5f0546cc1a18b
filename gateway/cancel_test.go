package gateway

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/protocol"
)

// A cancelled run closes its request, and says so where it was told to.
func TestCancel(t *testing.T) {
	for _, from := range []string{"before the first event", "in the midst", "with an answer"} {
		t.Run(from, func(t *testing.T) {
			reached, closed, stopped := make(chan struct{}, 1), make(chan struct{}, 1), make(chan *http.Request, 1)
			var events []string
			if from != "before the first event" {
				events = []string{began, open, word}
			}
			hang := func(w http.ResponseWriter, r *http.Request, in *protocol.RunAgentInput) {
				hangs(reached, events...)(w, r, in)
				closed <- struct{}{}
			}
			p := newPeer(t, hang)
			stop := http.NewServeMux()
			stop.HandleFunc("POST /stop", func(w http.ResponseWriter, r *http.Request) { stopped <- r.Clone(context.Background()) })
			at := serve(t, stop)
			l := newLabOf(t, p, &Options{StopURL: at + "/stop", Header: http.Header{"Authorization": {"Bearer secret"}}})
			in := user("go")
			if from == "with an answer" {
				p.next(sends(began, asks(confirm)))
				in = &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(interrupted(t, l.say("go"))[0].ID, "true")}}
				p.next(hang)
			}
			in.RunID = "cancelled"
			l.submit(in)
			<-reached
			if events != nil {
				l.until(isWord)
			}
			if c, err := l.runner.Cancel(l.ctx(), l.key, "cancelled", admission.Actor{}); err != nil || !c.Stopped {
				t.Fatalf("%+v %v", c, err)
			}
			logged := l.untilEnd()
			end, ok := logged[len(logged)-1].(*protocol.RunFinished)
			if !ok || end.Outcome.Type != protocol.OutcomeCancelled {
				t.Fatalf("%s", show(l.got))
			}
			<-closed
			if r := <-stopped; r.Header.Get("Authorization") != "" {
				t.Error("another host is given the credentials")
			}
			l.wellFormed()
			// The run's end is logged before the agent has returned.
			waits(t, func() bool { return l.up.Status().InFlight == 0 })
			if o := l.requests(); o[len(o)-1].Code != codeCancelled {
				t.Errorf("observed %+v", o)
			}
			if s := l.up.Status(); s.Failed != 0 {
				t.Errorf("%+v", s)
			}
			if strings.Contains(l.log.String(), "secret") {
				t.Error("the log has the credentials")
			}
		})
	}
}
