package gateway

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/protocol"
)

// Who waits for a place waits as long as a request may take, and no longer.
func TestPlaceIsNotWaitedForForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u, err := New("http://host/", &Options{Concurrency: 1, RunTimeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		free, err := u.place(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		_, err = u.place(context.Background())
		if f, ok := errors.AsType[*failure](err); !ok || f.Code != CodeTimeout || time.Since(begun) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		free()
		if free, err = u.place(context.Background()); err != nil {
			t.Fatal(err)
		}
		free()
		if s := u.Status(); s.InFlight != 0 || s.Waiting != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// An answer for which there is no place was not sent: it is the human's again.
func TestNoPlaceForAnAnswer(t *testing.T) {
	for mode, options := range modes {
		t.Run(mode, func(t *testing.T) {
			options.Concurrency = 1
			l := newLab(t, &options, sends(began, asks(confirm)), sends(began, open, word, shut, done))
			first := interrupted(t, l.say("go"))
			l.up.behind.Wait()
			l.up.options.RunTimeout = time.Millisecond
			l.up.places <- struct{}{}
			failedWith(t, l.answer(resolved(first[0].ID, "true")), CodeTimeout)
			if n := len(l.peer.runs()); n != 1 {
				t.Errorf("%d requests", n)
			}
			l.on("another")
			failedWith(t, l.say("go"), CodeTimeout)
			l.on("thread")
			<-l.up.places
			l.up.options.RunTimeout = time.Hour
			succeeded(t, l.answer(cancelled(first[0].ID)))
			if n := len(l.peer.runs()); n != 2 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// What is replayed waits for no place.
func TestReplaysTakeNoPlace(t *testing.T) {
	reached := make(chan struct{}, 1)
	l := newLab(t, &Options{Concurrency: 1}, sends(began, asks(confirm)))
	in := &protocol.RunAgentInput{ThreadID: "thread", RunID: "lost", Resume: []protocol.ResumeEntry{resolved(interrupted(t, l.say("go"))[0].ID, "true")}}
	l.peer.next(hangs(reached, began, open, word))
	doomed, cut := l.doomedWith(nil)
	if a, err := doomed.Submit(l.ctx(), admission.Input{Namespace: "test", Run: in}); err != nil || a.Disposition != admission.Started {
		t.Fatalf("%v %+v", err, a)
	}
	<-reached
	l.until(isWord)
	l.up.places <- struct{}{}
	cut.sever()
	failedWith(t, l.untilEnd(), adapter.CodeWorkerLost)
	<-l.up.places
	l.wellFormed()
}
