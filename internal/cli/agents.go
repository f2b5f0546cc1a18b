package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/gateway"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/metrics"
)

// ownAgents are those that the command has itself.
var ownAgents = []string{"script", assistant}

// agentSet is what a server serves.
type agentSet struct {
	names        []string // served under their names
	byDefault    string   // one of them
	byName       map[string]adapter.Agent
	identities   map[string]protocol.IdentityCapabilities
	multimodal   map[string]protocol.MultimodalCapabilities
	capabilities map[string]func(context.Context) (*protocol.AgentCapabilities, error) // of upstreams
	upstreams    []upstreamEntry
	gateways     []*gateway.Upstream // of upstreams
}

// newAgents makes the agents that the settings name. It asks nobody for anything.
func newAgents(s *settings, m *metrics.Metrics, log *slog.Logger) (*agentSet, error) {
	list, err := s.upstreamList()
	if err != nil {
		return nil, err
	}
	a := &agentSet{upstreams: list, byName: map[string]adapter.Agent{}, identities: map[string]protocol.IdentityCapabilities{}, multimodal: map[string]protocol.MultimodalCapabilities{},
		capabilities: map[string]func(context.Context) (*protocol.AgentCapabilities, error){}}
	a.names, a.byDefault = s.agentNames(list)
	if !slices.Contains(a.names, a.byDefault) {
		there := slices.Concat(a.names, ownAgents)
		slices.Sort(there)
		return nil, fmt.Errorf("%s %q: no such agent: must be one of %s", s.named("agent"), a.byDefault, strings.Join(slices.Compact(there), ", "))
	}
	if err := s.unanswered.forAgents(s.named("unanswered"), a.names); err != nil {
		return nil, err
	}
	if err := s.checkDisconnect(a.names); err != nil {
		return nil, err
	}
	if slices.Contains(a.names, "script") {
		a.byName["script"], a.identities["script"] = script.New(script.Options{Effects: s.effects}), script.Identity
		a.multimodal["script"] = script.Multimodal
	}
	if slices.Contains(a.names, assistant) {
		own, err := s.newAssistant()
		if err != nil {
			return nil, err
		}
		a.byName[assistant], a.identities[assistant] = own, s.assistantIdentity()
	}
	for i := range list {
		each := &list[i]
		upstream, err := each.upstream(s, m, log)
		if err != nil {
			return nil, fmt.Errorf("upstream %q: %w", each.Name, err)
		}
		a.gateways = append(a.gateways, upstream)
		a.byName[each.Name] = upstream
		a.identities[each.Name] = protocol.IdentityCapabilities{Name: each.Name}
		a.capabilities[each.Name] = upstream.Capabilities
	}
	return a, nil
}

// leastMaxEvent is the default of max-event, or four times max-frame where that is more: what
// clients may send is repeated by agents, and escaped otherwise.
const leastMaxEvent = 16 << 20

// gatewayOptions are what the entry and the server's settings say of the gateway.
func (e *upstreamEntry) gatewayOptions(s *settings, log *slog.Logger) (*gateway.Options, error) {
	options, err := e.options(log)
	if err == nil {
		options.SeparateDuties = s.separateDuties
		if e.MaxEvent == "" {
			options.MaxEventBytes = max(leastMaxEvent, 4*s.maxFrame)
		}
	}
	return options, err
}

// upstream makes the agent of an entry, counted in metrics.
func (e *upstreamEntry) upstream(s *settings, m *metrics.Metrics, log *slog.Logger) (*gateway.Upstream, error) {
	options, err := e.gatewayOptions(s, log)
	if err != nil {
		return nil, err
	}
	var counted *metrics.Upstream
	options.Observe = func(o gateway.Observation) {
		if o.Repair != "" {
			counted.Repaired(o.Repair)
			return
		}
		counted.Ended(metrics.UpstreamRequest{Code: o.Code, FirstEvent: o.FirstEvent, Events: o.Events})
	}
	upstream, err := gateway.New(e.URL, options)
	if err != nil {
		return nil, err
	}
	counted = m.Upstream(e.Name, e.shownURL(), func() (inFlight, waiting int) {
		now := upstream.Status()
		return now.InFlight, now.Waiting
	})
	return upstream, nil
}

// passHeaders are those of a request that some upstream is handed. Each is handed its own.
func (a *agentSet) passHeaders() (names []string) {
	for _, each := range a.upstreams {
		for _, name := range each.handed() {
			names = append(names, http.CanonicalHeaderKey(name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// handed are the headers of a request that the upstream is handed: those that it is to
// have, and by which a loop of gateways is found out.
func (e *upstreamEntry) handed() []string {
	return append(slices.Clone(e.PassHeaders), gateway.HopsHeader)
}

// headersBy are those that each agent gets: the others are not kept with its runs.
func (a *agentSet) headersBy() map[string][]string {
	by := map[string][]string{}
	for _, name := range a.names {
		by[name] = nil
	}
	for _, each := range a.upstreams {
		by[each.Name] = each.handed()
	}
	return by
}

// close lets go of the connections to upstreams. No run may use them any more.
func (a *agentSet) close(ctx context.Context) error {
	var all error
	for _, each := range a.gateways {
		all = errors.Join(all, each.Close(ctx))
	}
	return all
}

// unansweredBy has a policy for each agent.
func (s *settings) unansweredBy(a *agentSet) map[string]runner.UnansweredPolicy {
	by := map[string]runner.UnansweredPolicy{}
	for _, name := range a.names {
		by[name] = runner.UnansweredPolicy(s.unanswered.of(name))
	}
	return by
}
