package server

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/server/internal/budget"
	"github.com/aguiws/aguiws/server/internal/conn"
	"github.com/aguiws/aguiws/server/internal/edge"
	"github.com/aguiws/aguiws/server/internal/notices"
	"github.com/aguiws/aguiws/server/login"
)

// core is what all that a Server serves stands on: handlers, connections and
// sessions know it, and it knows none of them.
type core struct {
	opts               Options
	runs               backend
	control            *runner.Runner // nil: there is no control API
	notices            *notices.Feed
	work               *work       // nil: there is none
	nodes              *nodes      // nil: there are none
	logins             *login.Desk // nil: there are none
	capabilities       json.RawMessage
	byDefault          string                        // what the default agent is called; "": it has no name
	identified         map[string]json.RawMessage    // capabilities with what is an agent's own
	asked              map[string]*askedCapabilities // of agents that say them themselves
	budget             *budget.Budget
	overShares         overShares
	memory             memory
	awaiting           awaiting
	left               leftRuns
	metrics            *Metrics
	revocations        revocations
	parking            conn.Parking
	quiet              time.Duration // for which a client says nothing before its socket holds no goroutine
	edge               *edge.Edge
	readiness          readiness
	proxyWarning       sync.Once
	pages              pages
	passes             []string // names of headers that go along
	refusedPages       refusedPages
	refusedCredentials refusedCredentials
	byAddress          *limiters // requests
	probing            *limiters // by address: a balancer's probes have no part in what its clients may
	byUser             *limiters // requests
	inputs             *limiters // by user
	attaches           *limiters // by user

	connections
	drain chan struct{} // closed when draining begins
	leave chan struct{} // closed when sockets are to close
}

// storeChanged makes each session look at whether the store answers.
func (s *core) storeChanged() {
	if s.runs.StoreAvailable() {
		s.metrics.available.Set(1)
	} else {
		s.metrics.available.Set(0)
	}
	s.pokeAll()
}
