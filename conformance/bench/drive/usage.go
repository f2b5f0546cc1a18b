package drive

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Usage is what a process has used since it started, and what it holds.
type Usage struct {
	At         int64 `json:"at"`      // Unix time in us
	CPU        int64 `json:"cpu"`     // us, by getrusage
	Bytes      int64 `json:"bytes"`   // allocated
	Objects    int64 `json:"objects"` // allocated
	Resident   int64 `json:"resident"`
	Goroutines int   `json:"goroutines"`
}

// Used is this process's.
func Used() Usage {
	samples := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/allocs:objects"}}
	metrics.Read(samples)
	return Usage{At: time.Now().UnixMicro(), CPU: CPU(), Bytes: int64(samples[0].Value.Uint64()), Objects: int64(samples[1].Value.Uint64()),
		Resident: resident(), Goroutines: runtime.NumGoroutine()}
}

// Rested is Used after all was given back that nobody needs.
func Rested() Usage {
	for range 3 { // a stack shrinks by half a collection
		debug.FreeOSMemory()
	}
	return Used()
}

// CPU is what this process has used, in us.
func CPU() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Utime.Nano()/1e3 + u.Stime.Nano()/1e3
}

// resident is what the kernel counts; 0 where it does not say.
func resident() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	if words := strings.Fields(after); len(words) > 0 {
		kib, _ := strconv.ParseInt(words[0], 10, 64)
		return kib << 10
	}
	return 0
}
