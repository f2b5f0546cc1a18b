package server

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/aguiws/aguiws/protocol"
)

// withTransport adds to an agent's capabilities what this server adds to the
// agent: WebSockets, and streams that resume.
func withTransport(caps json.RawMessage) (json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	if len(caps) > 0 {
		if err := json.Unmarshal(caps, &all); err != nil || all == nil {
			return nil, errors.Join(errors.New("not an object"), err)
		}
	}
	transport := map[string]json.RawMessage{}
	if t := all["transport"]; len(t) > 0 {
		if err := json.Unmarshal(t, &transport); err != nil || transport == nil {
			return nil, errors.Join(errors.New("transport is not an object"), err)
		}
	}
	transport["websocket"] = json.RawMessage("true")
	transport["resumable"] = json.RawMessage("true")
	var err error
	if all["transport"], err = json.Marshal(transport); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// withIdentities are the capabilities of agents that say who they are.
func withIdentities(caps json.RawMessage, who map[string]protocol.IdentityCapabilities) (map[string]json.RawMessage, error) {
	identified := map[string]json.RawMessage{}
	for name, identity := range who {
		var all map[string]json.RawMessage
		if err := json.Unmarshal(caps, &all); err != nil {
			return nil, err
		}
		var err error
		if all["identity"], err = json.Marshal(identity); err != nil {
			return nil, err
		}
		if identified[name], err = json.Marshal(all); err != nil {
			return nil, err
		}
	}
	return identified, nil
}

// capabilitiesOf are those of the agent of this name, behind this server.
func (s *core) capabilitiesOf(agent string) json.RawMessage {
	if own, ok := s.identified[agent]; ok {
		return own
	}
	return s.capabilities
}

func (s *core) serveCapabilities(w http.ResponseWriter, r *http.Request) {
	_, refused := s.enterFor(r, r.PathValue("agent"))
	if refused != nil {
		refused.Write(w)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Write(s.capabilitiesOf(r.PathValue("agent")))
}
