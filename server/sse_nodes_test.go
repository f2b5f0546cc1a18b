package server

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A stream whose server drains ends with what to do, and that tells the rest at
// another server; a follower goes on there from its last id.
func TestTwoNodesDrainStreams(t *testing.T) {
	t.Parallel() // a run ends by the clock
	a, b, _ := twoNodes(t)
	in := says("r1", "/slow 100 20")
	runs := a.post(in)
	runs.expect("RUN_STARTED")
	runs.expect("TEXT_MESSAGE_START")
	follows := a.events("?follow=1")
	elsewhere := b.ask(http.MethodPost, "/copilotkit/agent/default/connect", opening).opened()

	a.down = true
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	drained := make(chan error, 1)
	go func() { drained <- a.Shutdown(ctx) }()
	if _, last := runs.rest(); last["code"] != "server_draining" {
		t.Errorf("the run's stream ended with %v", last)
	}
	var at string
	for {
		e, ok := follows.next()
		if !ok {
			break
		}
		at = e.id
	}
	if err := <-drained; err == nil {
		t.Error("the run is said to have ended in time")
	}

	types, last := b.post(in).rest()
	if types[0] != "RUN_STARTED" || kindOf(last) != "RUN_FINISHED" || last["runId"] != "r1" {
		t.Errorf("the same input elsewhere gets %v %v", types, last)
	}
	again := b.events("", "Last-Event-ID", at)
	if again.resp.Header.Get("Aguiws-Recovered") != "true" {
		t.Errorf("%s is not recovered", at)
	}
	if _, last := again.rest(); kindOf(last) != "RUN_FINISHED" {
		t.Errorf("the follower ends with %v", last)
	}
	if _, last := elsewhere.rest(); kindOf(last) != "RUN_FINISHED" || last["runId"] != "r1" {
		t.Errorf("who was connected elsewhere ends with %v", last)
	}
	whole := b.events("")
	whole.expect("RUN_STARTED")
	whole.expect("STATE_SNAPSHOT")
	e, _ := whole.next()
	if !strings.Contains(e.data, counted(100)) {
		t.Errorf("it is %s", e.data)
	}
}
