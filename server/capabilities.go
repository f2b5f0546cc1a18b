package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/server/internal/core"
)

// withTransport adds to an agent's capabilities what this server adds to the
// agent: WebSockets, and streams that resume.
func withTransport(caps json.RawMessage) (json.RawMessage, error) {
	all, err := membersOf(caps, "what there is")
	if err != nil {
		return nil, err
	}
	transport, err := membersOf(all["transport"], "transport")
	if err != nil {
		return nil, err
	}
	transport["websocket"] = json.RawMessage("true")
	transport["resumable"] = json.RawMessage("true")
	if all["transport"], err = json.Marshal(transport); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// withMember adds a member to the capabilities of the agents that have one. Those that
// described does not hold yet begin as caps.
func withMember[T any](described map[string]json.RawMessage, caps json.RawMessage, member string, values map[string]T) error {
	for name, value := range values {
		begun, ok := described[name]
		if !ok {
			begun = caps
		}
		all, err := membersOf(begun, "what there is")
		if err != nil {
			return err
		}
		if all[member], err = json.Marshal(value); err != nil {
			return err
		}
		if described[name], err = json.Marshal(all); err != nil {
			return err
		}
	}
	return nil
}

// describe finds what is said of the agents without asking them.
func (s *Server) describe(b core.Backend) (err error) {
	if s.capabilities, err = withTransport(b.Capabilities()); err != nil {
		return fmt.Errorf("server: capabilities: %w", err)
	}
	s.identified = map[string]json.RawMessage{}
	if err := errors.Join(
		withMember(s.identified, s.capabilities, "identity", s.opts.Identities),
		withMember(s.identified, s.capabilities, "multimodal", s.opts.Multimodal),
	); err != nil {
		return fmt.Errorf("server: capabilities: %w", err)
	}
	if err := s.announce(b); err != nil {
		return fmt.Errorf("server: capabilities: %w", err)
	}
	s.askFor(s.opts.Capabilities)
	return nil
}

// announce adds to the capabilities what becomes of unanswered interrupts, of the runs of
// clients that leave, and of suspended runs when the process ends, that inputs need no
// messages but the new ones, and when they may be heard.
func (s *Server) announce(b core.Backend) error {
	with := func(agent string) (json.RawMessage, error) {
		caps, err := withOwn(s.ownCapabilities(agent), "unanswered", b.Unanswered(agent))
		if err != nil {
			return nil, err
		}
		if caps, err = withOwn(caps, "onDisconnect", s.opts.disconnectOf(agent)); err != nil {
			return nil, err
		}
		if caps, err = withOwn(caps, "when", []admission.When{admission.WhenStep}); err != nil {
			return nil, err
		}
		if caps, err = withOwn(caps, "durable", b.Durable()); err != nil {
			return nil, err
		}
		return withOwn(caps, "newMessages", true)
	}
	described := map[string]json.RawMessage{}
	for _, name := range append(slices.Collect(maps.Keys(s.identified)), s.opts.Agents...) {
		var err error
		if described[name], err = with(name); err != nil {
			return err
		}
	}
	common, err := with(s.gate.Options.Default)
	if err != nil {
		return err
	}
	s.identified, s.capabilities = described, common
	return nil
}

// withOwn adds a member to custom.aguiws, which is what this server says of itself in
// an agent's capabilities.
func withOwn(caps json.RawMessage, member string, value any) (json.RawMessage, error) {
	all, err := membersOf(caps, "what there is")
	if err != nil {
		return nil, err
	}
	custom, err := membersOf(all["custom"], "custom")
	if err != nil {
		return nil, err
	}
	own, err := membersOf(custom["aguiws"], "custom.aguiws")
	if err != nil {
		return nil, err
	}
	if own[member], err = json.Marshal(value); err != nil {
		return nil, err
	}
	if custom["aguiws"], err = json.Marshal(own); err != nil {
		return nil, err
	}
	if all["custom"], err = json.Marshal(custom); err != nil {
		return nil, err
	}
	return json.Marshal(all)
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
