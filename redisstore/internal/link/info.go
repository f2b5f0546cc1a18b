package link

import (
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
)

// Durability judges a server's settings by INFO, which managed services answer
// where they refuse CONFIG.
func Durability(info map[string]string) []store.ServerWarning {
	var w []store.ServerWarning
	if p := info["maxmemory_policy"]; p != "noeviction" {
		w = append(w, store.ServerWarning{Setting: "maxmemory-policy", Value: p, Problem: "threads may be evicted when memory is short; set noeviction"})
	}
	if info["aof_enabled"] != "1" {
		w = append(w, store.ServerWarning{Setting: "appendonly", Value: "no", Problem: "what was acknowledged since the last snapshot is lost when the server dies; set yes"})
	}
	if info["aof_last_write_status"] == "err" {
		w = append(w, store.ServerWarning{Setting: "aof_last_write_status", Value: "err", Problem: "the server cannot write its log, see its own log"})
	}
	if info["rdb_last_bgsave_status"] == "err" {
		w = append(w, store.ServerWarning{Setting: "rdb_last_bgsave_status", Value: "err", Problem: "the server cannot save and will refuse writes unless stop-writes-on-bgsave-error is no"})
	}
	if n, _ := strconv.Atoi(info["connected_slaves"]); n > 0 && info["min_slaves_good_slaves"] == "" {
		w = append(w, store.ServerWarning{Setting: "min-replicas-to-write", Value: "0", Problem: "a master cut off from its replicas goes on taking writes that a fail-over forgets; set 1"})
	}
	return w
}

// ParseInfo reads what INFO says, by its names.
func ParseInfo(text string) map[string]string {
	info := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			info[name] = value
		}
	}
	return info
}

// AtLeast compares a version of a server.
func AtLeast(version string, major, minor int) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	a, errA := strconv.Atoi(parts[0])
	b, errB := strconv.Atoi(parts[1])
	return errA == nil && errB == nil && (a > major || a == major && b >= minor)
}
