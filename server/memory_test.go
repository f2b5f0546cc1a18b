package server

import (
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestMemoryIsLookedAtOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks, used := 0, int64(70)
		m := memory{limit: 100, log: slog.New(slog.DiscardHandler), used: func() int64 { looks++; return used }}
		for range 100 {
			if m.short(shedSockets) {
				t.Fatal("70 % is short")
			}
		}
		used = 85
		if m.short(shedSockets) || looks != 1 {
			t.Errorf("it looked %d times", looks)
		}
		<-time.After(time.Second)
		if !m.short(shedSockets) || m.short(shedRuns) || looks != 2 {
			t.Errorf("at 85 %%, after %d looks", looks)
		}
	})
	if used := liveMemory(); used < 1<<20 || used > 8<<30 {
		t.Errorf("%d bytes are in use", used)
	}
	if (&memory{}).short(0) {
		t.Error("short without a limit")
	}
}

// As memory runs short, sockets are refused first, then runs; what is open stays.
func TestMemoryRunsShort(t *testing.T) {
	ts := newTestServer(t, newFake(), nil)
	c := ts.dial()
	var used atomic.Int64
	ts.memory.mu.Lock()
	ts.memory.limit, ts.memory.used = 100, used.Load
	ts.memory.mu.Unlock()
	fill := func(percent int64) {
		used.Store(percent)
		ts.memory.mu.Lock()
		ts.memory.at = time.Time{}
		ts.memory.mu.Unlock()
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

// A process that has let go what it held is not short until a collection happens to come.
func TestMemoryThatIsLetGo(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	held := make([]byte, 64<<20)
	runtime.GC()
	m := memory{limit: liveMemory(), log: slog.New(slog.DiscardHandler)}
	if !m.short(shedRuns) {
		t.Fatal("not short")
	}
	runtime.KeepAlive(held)
	held = nil
	later := func(d time.Duration) { m.at, m.since = m.at.Add(-d), m.since.Add(-d) }
	later(time.Second)
	if !m.short(shedRuns) {
		t.Error("there was no collection")
	}
	later(collectAfter)
	if m.short(shedRuns) {
		t.Errorf("%d of %d bytes are in use", liveMemory(), m.limit)
	}
}
