package peer

import (
	"log/slog"
	"runtime"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"
)

func TestMemoryIsLookedAtOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks, used := 0, int64(70)
		m := memory{limit: 100, log: slog.New(slog.DiscardHandler), used: func() int64 { looks++; return used }}
		for range 100 {
			if m.Short(ShedSockets) {
				t.Fatal("70 % is short")
			}
		}
		used = 85
		if m.Short(ShedSockets) || looks != 1 {
			t.Errorf("it looked %d times", looks)
		}
		<-time.After(time.Second)
		if !m.Short(ShedSockets) || m.Short(shedRuns) || looks != 2 {
			t.Errorf("at 85 %%, after %d looks", looks)
		}
	})
	if used := liveMemory(); used < 1<<20 || used > 8<<30 {
		t.Errorf("%d bytes are in use", used)
	}
	if (&memory{}).Short(0) {
		t.Error("short without a limit")
	}
}

// A process that has let go what it held is not short until a collection happens to come.
func TestMemoryThatIsLetGo(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	held := make([]byte, 64<<20)
	runtime.GC()
	m := memory{limit: liveMemory(), used: liveMemory, log: slog.New(slog.DiscardHandler)}
	if !m.Short(shedRuns) {
		t.Fatal("not short")
	}
	runtime.KeepAlive(held)
	held = nil
	later := func(d time.Duration) { m.at, m.since = m.at.Add(-d), m.since.Add(-d) }
	later(time.Second)
	if !m.Short(shedRuns) {
		t.Error("there was no collection")
	}
	later(collectAfter)
	if m.Short(shedRuns) {
		t.Errorf("%d of %d bytes are in use", liveMemory(), m.limit)
	}
}
