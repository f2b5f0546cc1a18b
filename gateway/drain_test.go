package gateway

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// others is a store on which another node takes runs, so that who drains hands its own back.
type others struct{ store.Store }

func (others) Durable() bool { return true }

func (others) Listen(func(store.Delivery)) {}

func (others) Takers(_ context.Context, agents []string) ([]int, error) {
	return slices.Repeat([]int{1}, len(agents)), nil
}

// A server that drains has the agent say all that it has begun to say to an answer: nobody
// else could.
func TestDrainWaitsForAnAnswer(t *testing.T) {
	reached, goOn := make(chan struct{}), make(chan struct{})
	l := newLab(t, nil, sends(began, asks(confirm)))
	first := interrupted(t, l.say("go"))
	l.peer.next(func(w http.ResponseWriter, r *http.Request, in *protocol.RunAgentInput) {
		sends(began)(w, r, in)
		close(reached)
		select {
		case <-goOn:
			sends(open, word, shut, done)(w, r, in)
		case <-r.Context().Done():
		}
	})
	draining := l.start(others{l.store})
	in := &protocol.RunAgentInput{ThreadID: "thread", RunID: "answer", Resume: []protocol.ResumeEntry{resolved(first[0].ID, "true")}}
	if a, err := draining.Submit(l.ctx(), admission.Input{Namespace: "test", Run: in}); err != nil || a.Disposition != admission.Started {
		t.Fatalf("%v %+v", err, a)
	}
	<-reached
	ctx, over := l.ctx(), make(chan error, 1)
	go func() { over <- draining.Shutdown(ctx) }()
	for {
		probe := user("probe")
		probe.ThreadID, probe.RunID = "thread", "probe"
		a, err := draining.Submit(ctx, admission.Input{Namespace: "test", Agent: "nobody", Run: probe})
		if err != nil || a.Disposition != admission.Refused {
			t.Fatalf("%v %+v", err, a)
		}
		if a.Refusal.Code == adapter.CodeServerDraining {
			break
		}
	}
	close(goOn)
	succeeded(t, l.untilEnd())
	if err := <-over; err != nil {
		t.Error(err)
	}
	l.wellFormed()
	if n := len(l.peer.runs()); n != 2 || l.said() != "hi" {
		t.Errorf("%d requests, %q", n, l.said())
	}
}
