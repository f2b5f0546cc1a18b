package cli

import (
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// cgroupMemory is where Linux says what a container may have.
const cgroupMemory = "/sys/fs/cgroup/memory.max"

// limitMemory gives the collector its limit, and returns it; 0: there is none. A limit that
// is not set is GOMEMLIMIT, or nine tenths of what the container may have.
func (s *settings) limitMemory() int64 {
	limit := s.memoryLimit
	if limit == 0 {
		if limit = debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
			return limit
		}
		limit = containerMemory(cgroupMemory) / 10 * 9
	}
	if limit <= 0 {
		return 0
	}
	debug.SetMemoryLimit(limit)
	return limit
}

// threadCache is how much of the process's memory may hold the messages of threads in use.
func threadCache(limit int64) int64 {
	if limit == 0 {
		return maxThreadCache
	}
	return min(limit/8, maxThreadCache)
}

const maxThreadCache = 64 << 20

// containerMemory is what a file of cgroups says; 0: nothing.
func containerMemory(path string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n < 0 {
		return 0 // max
	}
	return n
}
