package peer

import (
	"log/slog"
	"net/http"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/aguiws/aguiws/server/internal/refusal"
)

// These are shed as memory runs short, by how much of the limit is in use.
const (
	ShedSockets = 0.80 // new connections that stay open
	shedRuns    = 0.90 // and new runs
)

// RefuseMemory refuses what is shed while memory is short.
var RefuseMemory = refusal.New(http.StatusServiceUnavailable, refusal.CodeOverloaded, "this server's memory is nearly used up").After(10 * time.Second)

// memory knows how much of the process's memory is in use. It looks once a second at
// most, when it is asked.
type memory struct {
	limit int64 // 0: there is none
	used  func() int64
	log   *slog.Logger

	mu   sync.Mutex
	at   time.Time
	full float64
	told bool

	cycles uint64 // of the collector, when it was last seen to have worked
	since  time.Time
}

// collectAfter is how long a process that sheds may go without a collection: when it has
// little to do, what it no longer holds would count for minutes.
const collectAfter = 10 * time.Second

// Watch says what the limit is, and how much is in use.
func (m *memory) Watch(limit int64, used func() int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.limit, m.used, m.at = limit, used, time.Time{}
}

// Short reports whether more than that share of the limit is in use.
func (m *memory) Short(share float64) bool {
	return m.Share() > share
}

// Share is how much of the limit is in use; 0 without a limit.
func (m *memory) Share() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.limit <= 0 {
		return 0
	}
	if now := time.Now(); now.Sub(m.at) >= time.Second {
		if m.told {
			m.collect(now)
		}
		m.at, m.full = now, float64(m.used())/float64(m.limit)
		if sheds := m.full > ShedSockets; sheds != m.told {
			m.told = sheds
			if sheds {
				m.log.Warn("memory runs short: new sockets are refused, and from 90 % on new runs", "limit", m.limit, "percent", int(m.full*100))
			} else {
				m.log.Warn("memory is enough again", "limit", m.limit, "percent", int(m.full*100))
			}
		}
	}
	return m.full
}

func (m *memory) collect(now time.Time) {
	cycles := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(cycles)
	switch n := cycles[0].Value.Uint64(); {
	case n != m.cycles:
		m.cycles, m.since = n, now
	case now.Sub(m.since) >= collectAfter:
		runtime.GC()
		m.since = now
	}
}

// liveMemory is what the last collection left on the heap, and what is beside it: garbage
// that the collector has not come to yet runs nobody short.
func liveMemory() (bytes int64) {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"},
		{Name: "/memory/classes/metadata/other:bytes"}, {Name: "/memory/classes/os-stacks:bytes"}, {Name: "/memory/classes/other:bytes"}}
	metrics.Read(samples)
	for _, s := range samples {
		if s.Value.Kind() == metrics.KindUint64 {
			bytes += int64(s.Value.Uint64())
		}
	}
	return bytes
}
