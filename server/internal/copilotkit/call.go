package copilotkit

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/aguiws/aguiws/protocol/problem"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// call is one request of the protocol, however it was made.
type call struct {
	*Config
	w      http.ResponseWriter
	r      *http.Request
	caller Caller
	agent  string // as the page calls it
	thread string // of a stop
	// body is what came in an envelope; nil: it is the request's.
	body []byte
}

// errorJSON is an error as the protocol's clients read it.
type errorJSON struct {
	Error   string            `json:"error"`
	Message string            `json:"message,omitzero"`
	Details []problem.Problem `json:"details,omitempty"`
}

func (k *call) fail(status int, e errorJSON) { k.answer(status, e) }

func (k *call) answer(status int, body any) {
	k.w.Header().Set("Content-Type", "application/json")
	k.w.Header().Set("Cache-Control", "no-store")
	k.w.WriteHeader(status)
	json.NewEncoder(k.w).Encode(body)
}

func (k *call) refuse(f *refusal.Refusal) {
	if f.Fields != nil {
		k.fail(f.Status, errorJSON{Error: "Invalid request body", Message: f.Message, Details: f.Fields})
		return
	}
	f.WriteAs(k.w, "application/json", errorJSON{Error: f.Code, Message: f.Message})
}

func (k *call) notFound() {
	k.fail(http.StatusNotFound, errorJSON{Error: "Not found", Message: "this runtime has no " + k.r.Method + " " + k.r.URL.Path})
}

// defaultAgent is the agent that CopilotKit means when a page names none.
const defaultAgent = "default"

// name is the agent's name here. Without one the call is answered.
func (k *call) name() (name string, ok bool) {
	switch {
	case slices.Contains(k.Agents, k.agent):
		return k.agent, true
	case k.agent == defaultAgent:
		return "", true
	}
	k.fail(http.StatusNotFound, errorJSON{Error: "Agent not found", Message: "Agent '" + k.agent + "' does not exist"})
	return "", false
}

// stream answers an input with events, unless it is refused.
func (k *call) stream(serve func(agent string, out Stream)) {
	agent, ok := k.name()
	if !ok {
		return
	}
	body := k.body
	k.body = nil // a stream may last
	if refused := k.caller.Answer(k.w, k.r, agent, body, func(out Stream) { serve(agent, out) }); refused != nil {
		k.refuse(refused)
	}
}
