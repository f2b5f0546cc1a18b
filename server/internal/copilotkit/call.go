package copilotkit

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol/problem"
	"github.com/aguiws/aguiws/server/internal/core"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/sse"
)

// call is one request of the protocol, however it was made.
type call struct {
	*Runtime
	w      http.ResponseWriter
	r      *http.Request
	held   *peer.Holding
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
	case slices.Contains(k.streams.Options.Agents, k.agent):
		return k.agent, true
	case k.agent == defaultAgent:
		return k.streams.Options.Default, true
	}
	k.fail(http.StatusNotFound, errorJSON{Error: "Agent not found", Message: "Agent '" + k.agent + "' does not exist"})
	return "", false
}

// stream answers an input with events, unless it is refused.
func (k *call) stream(serve func(*sse.Stream, *frames.Frame)) {
	agent, ok := k.name()
	if !ok {
		return
	}
	body := k.body
	k.body = nil // a stream may last
	if refused := k.streams.AnswerInput(k.w, k.r, k.held, agent, body, serve); refused != nil {
		k.refuse(refused)
	}
}

func (k *call) key(thread string) store.ThreadKey {
	return store.ThreadKey{Namespace: k.held.Caller.Identity.Namespace, Thread: thread}
}

// follow is for looks at a thread. The caller closes it.
func (k *call) follow(thread string) core.Follower {
	return k.streams.Runs.Follow(k.key(thread), func() {})
}

// look reads a thread within what the request may hold.
func (k *call) look(ctx context.Context, f core.Follower) (*follow.Attached, error) {
	defer k.held.Replies.Give(k.held.Replies.Held()) // it is looked at and dropped
	return f.Attach(store.WithRoom(ctx, k.held.Build), nil)
}
