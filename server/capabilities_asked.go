package server

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aguiws/aguiws/protocol"
)

const (
	capabilitiesAge      = 5 * time.Minute  // for how long what an agent said is not asked for again
	capabilitiesPause    = 30 * time.Second // the same after it said nothing
	capabilitiesPatience = time.Second      // how long whoever wants them waits
	maxCapabilities      = 64 << 10         // bytes; each hello has them
)

// askedCapabilities are those of an agent that says itself what it can do. The first caller
// that wants them when they are old asks for all who want them meanwhile.
type askedCapabilities struct {
	agent string
	ask   func(context.Context) (*protocol.AgentCapabilities, error)
	own   json.RawMessage // what this server says of each agent
	log   *slog.Logger

	asking chan struct{} // holds one
	mu     sync.Mutex
	merged json.RawMessage // nil: the agent has said nothing yet
	again  time.Time       // when they are old
}

func newAskedCapabilities(agent string, ask func(context.Context) (*protocol.AgentCapabilities, error), own json.RawMessage, log *slog.Logger) *askedCapabilities {
	return &askedCapabilities{agent: agent, ask: ask, own: own, log: log, asking: make(chan struct{}, 1)}
}

// get never fails: who says nothing can do what this server does for each agent.
func (a *askedCapabilities) get(ctx context.Context) json.RawMessage {
	known, old := a.known()
	if !old {
		return a.or(known)
	}
	ctx, cancel := context.WithTimeout(ctx, capabilitiesPatience)
	defer cancel()
	if !a.turn(ctx, known != nil) {
		return a.or(known)
	}
	defer func() { <-a.asking }()
	if known, old = a.known(); old && ctx.Err() == nil {
		known = a.learn(ctx)
	}
	return a.or(known)
}

// turn waits for whoever asks now, unless one need not wait.
func (a *askedCapabilities) turn(ctx context.Context, impatient bool) bool {
	select {
	case a.asking <- struct{}{}:
		return true
	default:
		if impatient {
			return false
		}
	}
	select {
	case a.asking <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// or are those that are known, or else what this server does for each agent.
func (a *askedCapabilities) or(known json.RawMessage) json.RawMessage {
	if known == nil {
		known, _ = withSaid(a.own, nil) // which New has read
	}
	return known
}

func (a *askedCapabilities) known() (merged json.RawMessage, old bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.merged, !time.Now().Before(a.again)
}

// learn asks the agent. Its earlier answer stands while it says nothing.
func (a *askedCapabilities) learn(ctx context.Context) json.RawMessage {
	said, err := a.ask(ctx)
	var merged json.RawMessage
	if err == nil {
		merged, err = withSaid(a.own, said)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case err == nil:
		a.merged, a.again = merged, time.Now().Add(capabilitiesAge)
	case context.Cause(ctx) == context.Canceled:
		// The callers that wanted them have gone: that says nothing of the agent.
	default:
		a.log.Info("an agent does not say what it can do", "agent", a.agent, "error", err)
		a.again = time.Now().Add(capabilitiesPause)
	}
	return a.merged
}

// withSaid are capabilities of an agent that has said some itself, behind this server: what
// is reached and kept here is told by own, and the rest is the agent's to say.
func withSaid(own json.RawMessage, said *protocol.AgentCapabilities) (json.RawMessage, error) {
	var text json.RawMessage
	if said != nil {
		var err error
		if text, err = json.Marshal(said); err != nil {
			return nil, err
		}
	}
	if len(text) > maxCapabilities {
		return nil, errors.New("the capabilities are too large")
	}
	ours, err := membersOf(own, "what there is")
	if err != nil {
		return nil, err
	}
	theirs, err := membersOf(text, "what the agent says")
	if err != nil {
		return nil, err
	}
	custom, err := membersOf(ours["custom"], "custom")
	if err != nil {
		return nil, err
	}
	theirs["transport"] = ours["transport"]
	if _, named := theirs["identity"]; !named && ours["identity"] != nil {
		theirs["identity"] = ours["identity"]
	}
	if theirs["state"], err = withValueAt(theirs["state"], true, []string{"state", "persistentState"}, 1); err != nil {
		return nil, err
	}
	for name, value := range custom {
		if theirs["custom"], err = withValueAt(theirs["custom"], value, []string{"custom", name}, 1); err != nil {
			return nil, err
		}
	}
	return json.Marshal(theirs)
}

// askFor has the agents asked that say themselves what they can do.
func (s *Server) askFor(asked map[string]func(context.Context) (*protocol.AgentCapabilities, error)) {
	s.asked = map[string]*askedCapabilities{}
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		s.asked[name] = newAskedCapabilities(name, asked[name], s.ownCapabilities(name), s.opts.Logger)
	}
}
