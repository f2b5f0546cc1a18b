package server

import (
	"net/http"
	"sync/atomic"
	"testing"
)

// As memory runs short, sockets are refused first, then runs; what is open stays.
func TestMemoryRunsShort(t *testing.T) {
	ts := newTestServer(t, newFake(), nil)
	c := ts.dial()
	var used atomic.Int64
	fill := func(percent int64) {
		used.Store(percent)
		ts.gate.Memory.Watch(100, used.Load)
	}
	refused := func(path string) bool {
		status, header, body := ts.get(path, nil, "")
		return status == http.StatusServiceUnavailable && body["code"] == "overloaded" && header.Get("Retry-After") != ""
	}
	fill(79)
	if refused("/readyz") {
		t.Error("not ready at 79 %")
	}
	fill(81)
	if !refused("/readyz") || !refused("/agui/threads/t/events") {
		t.Error("new connections are taken at 81 %")
	}
	c.send(input("t", "r"))
	c.wants(`{"type":"ws.run","threadId":"t","runId":"r","disposition":"started"}`)
	c.expect("ws.stream")
	c.wants(runStarted("t", "r"))
	fill(91)
	c.send(input("t", "r2"))
	c.wants(`{"type":"ws.run","threadId":"t","runId":"r2","disposition":"refused"}`)
	c.expect("ws.stream")
	if f := c.expect("RUN_ERROR"); f["code"] != "overloaded" {
		t.Errorf("got %v", f)
	}
	fill(10)
	c.send(input("t", "r2"))
	c.wants(`{"type":"ws.run","threadId":"t","runId":"r2","disposition":"started"}`)
}
