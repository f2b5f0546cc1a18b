package gateway

import (
	"sync"
	"sync/atomic"
	"time"
)

// Observation is one thing that happened: a request that is over, or, where Repair is not
// empty, a repair.
type Observation struct {
	Upstream string // its name
	// Repair is one of Repairs; the members below are of requests.
	Repair string
	// Code is "" for a request that ended in order, an interrupt included; one of the
	// upstream's codes; agent_error, whatever the code of the agent's own RUN_ERROR; or
	// "cancelled", when the run was over before it.
	Code string
	// FirstEvent is the time from sending to the first event, 0 when there was none.
	FirstEvent, Duration time.Duration
	Events, Bytes        int64
	Interrupted          bool // it ended with interrupts
}

// Status is how an upstream stands.
type Status struct {
	Name string
	URL  string // without userinfo and query
	// Dialect is as configured. Protocol is the version that the agent said it speaks, "" for
	// none yet.
	Dialect  Dialect
	Protocol string
	InFlight int // requests under way
	Waiting  int // runs that wait for a place
	// Requests, Failed and Repairs are counted since the start. Requests are those that are
	// over; cancelled ones have not failed.
	Requests, Failed, Repairs int64
	LastCode                  string    // of the last request that failed
	LastFailure               time.Time // zero: none has
	LastSuccess               time.Time
}

type stats struct {
	inFlight, waiting         atomic.Int64
	requests, failed, repairs atomic.Int64

	mu          sync.Mutex
	lastCode    string
	lastFailure time.Time
	lastSuccess time.Time
	protocol    string
}

// Status tells how it stands now.
func (u *Upstream) Status() Status {
	s := &u.stats
	s.mu.Lock()
	defer s.mu.Unlock()
	return Status{
		Name: u.options.Name, URL: u.shown, Dialect: u.options.Dialect, Protocol: s.protocol,
		InFlight: int(s.inFlight.Load()), Waiting: int(s.waiting.Load()),
		Requests: s.requests.Load(), Failed: s.failed.Load(), Repairs: s.repairs.Load(),
		LastCode: s.lastCode, LastFailure: s.lastFailure, LastSuccess: s.lastSuccess,
	}
}

func (u *Upstream) observe(o Observation) {
	o.Upstream = u.options.Name
	s := &u.stats
	switch {
	case o.Repair != "":
		s.repairs.Add(1)
	default:
		s.requests.Add(1)
		s.mu.Lock()
		switch o.Code {
		case "":
			s.lastSuccess = time.Now()
		case codeCancelled:
		default:
			s.failed.Add(1)
			s.lastCode, s.lastFailure = o.Code, time.Now()
		}
		s.mu.Unlock()
	}
	if u.options.Observe != nil {
		u.options.Observe(o)
	}
}

func (u *Upstream) speaks(version string) {
	if version == "" {
		return
	}
	u.stats.mu.Lock()
	u.stats.protocol = version[:min(len(version), 32)]
	u.stats.mu.Unlock()
}
