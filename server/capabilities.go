package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/server/internal/core"
)

// describe finds what is said of the agents without asking them: what the runner says, what
// the options say of each, and what this server adds. That is WebSockets, streams that
// resume, and, in custom.aguiws, what becomes of unanswered interrupts, of the runs of
// clients that leave, and of suspended runs when the process ends, that inputs need no
// messages but the new ones, and when they may be heard.
func (s *Server) describe(b core.Backend) (err error) {
	common := b.Capabilities()
	for _, member := range []string{"websocket", "resumable"} {
		if common, err = withValue(common, true, "transport", member); err != nil {
			return fmt.Errorf("server: capabilities: %w", err)
		}
	}
	of := func(agent string) json.RawMessage {
		caps := common
		add := func(value any, path ...string) {
			if err == nil {
				caps, err = withValue(caps, value, path...)
			}
		}
		if identity, there := s.opts.Identities[agent]; there {
			add(identity, "identity")
		}
		if multimodal, there := s.opts.Multimodal[agent]; there {
			add(multimodal, "multimodal")
		}
		add(b.Unanswered(agent), "custom", "aguiws", "unanswered")
		add(s.opts.disconnectOf(agent), "custom", "aguiws", "onDisconnect")
		add([]admission.When{admission.WhenStep}, "custom", "aguiws", "when")
		add(b.Durable(), "custom", "aguiws", "durable")
		add(true, "custom", "aguiws", "newMessages")
		return caps
	}
	s.capabilities, s.identified = of(s.gate.Options.Default), map[string]json.RawMessage{}
	for _, name := range slices.Concat(s.opts.Agents, slices.Collect(maps.Keys(s.opts.Identities)), slices.Collect(maps.Keys(s.opts.Multimodal))) {
		s.identified[name] = of(name)
	}
	if err != nil {
		return fmt.Errorf("server: capabilities: %w", err)
	}
	s.askFor(s.opts.Capabilities)
	return nil
}

// withValue is an object with the member at the end of a path set.
func withValue(object json.RawMessage, value any, path ...string) (json.RawMessage, error) {
	return withValueAt(object, value, path, 0)
}

// withValueAt does so in an object to which the first of the path lead.
func withValueAt(object json.RawMessage, value any, path []string, walked int) (json.RawMessage, error) {
	if walked == len(path) {
		return json.Marshal(value)
	}
	members, err := membersOf(object, cmp.Or(strings.Join(path[:walked], "."), "what there is"))
	if err != nil {
		return nil, err
	}
	name := path[walked]
	if members[name], err = withValueAt(members[name], value, path, walked+1); err != nil {
		return nil, err
	}
	return json.Marshal(members)
}

// membersOf reads an object, or nothing.
func membersOf(text json.RawMessage, what string) (map[string]json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &members); err != nil || members == nil {
			return nil, errors.Join(errors.New(what+" is not an object"), err)
		}
	}
	return members, nil
}

// capabilitiesOf are those of the agent of this name, behind this server. An agent that
// says them itself may be asked for them, which takes no longer than capabilitiesPatience.
func (s *Server) capabilitiesOf(ctx context.Context, agent string) json.RawMessage {
	if asked := s.asked[agent]; asked != nil {
		return asked.get(ctx)
	}
	return s.ownCapabilities(agent)
}

// ownCapabilities are what this server can say of the agent without asking it.
func (s *Server) ownCapabilities(agent string) json.RawMessage {
	if own, ok := s.identified[agent]; ok {
		return own
	}
	return s.capabilities
}

func (s *Server) serveCapabilities(w http.ResponseWriter, r *http.Request) {
	_, agent, refused := s.gate.EnterFor(r)
	if refused != nil {
		refused.Write(w)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Write(s.capabilitiesOf(r.Context(), agent))
}
