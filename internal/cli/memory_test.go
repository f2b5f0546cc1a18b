package cli

import (
	"math"
	"runtime/debug"
	"testing"
)

func TestLimitMemory(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	s := newSettings()
	s.memoryLimit = 3 << 30
	if got := s.limitMemory(); got != 3<<30 || debug.SetMemoryLimit(-1) != 3<<30 {
		t.Errorf("got %d, the collector has %d", got, debug.SetMemoryLimit(-1))
	}
	s.memoryLimit = 0 // what the environment said
	if got := s.limitMemory(); got != 3<<30 {
		t.Errorf("got %d", got)
	}
	debug.SetMemoryLimit(math.MaxInt64)
	s.memoryLimit = -1
	if got := s.limitMemory(); got != 0 || debug.SetMemoryLimit(-1) != math.MaxInt64 {
		t.Errorf("got %d, the collector has %d", got, debug.SetMemoryLimit(-1))
	}
	for limit, want := range map[int64]int64{0: 64 << 20, 128 << 20: 16 << 20, 3 << 30: 64 << 20} {
		if got := threadCache(limit); got != want {
			t.Errorf("of %d bytes the threads in use get %d", limit, got)
		}
	}
	for text, want := range map[string]int64{"536870912\n": 512 << 20, "max\n": 0, "": 0} {
		if got := containerMemory(write(t, "memory.max", text)); got != want {
			t.Errorf("%q: %d", text, got)
		}
	}
	if containerMemory("/does/not/exist") != 0 {
		t.Error("there is something")
	}
}
