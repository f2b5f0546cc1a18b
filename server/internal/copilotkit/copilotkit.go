// Package copilotkit is CopilotKit's runtime protocol over what POST /agui and
// following a thread do. Its frontends need no other server.
package copilotkit

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// Config is what a Runtime stands on. All of it may be used concurrently.
type Config struct {
	// Enter decides whom a request is from.
	Enter func(*http.Request) (Caller, *refusal.Refusal)
	// Agents are the names of agents. The default agent, which has none, is there
	// as well.
	Agents []string
	// Describe tells of the agent of that name.
	Describe func(name string) (description string, capabilities json.RawMessage)
	// Suggest says what a reader could say next. Nil: there are no suggestions.
	Suggest      func(ctx context.Context, agent string, in *protocol.RunAgentInput) ([]Suggestion, error)
	CallTimeout  time.Duration // of a stop
	MaxBodyBytes int64
	Logger       *slog.Logger
}

// Runtime answers requests of the protocol.
type Runtime struct{ Config }

// New makes the runtime.
func New(c Config) *Runtime { return &Runtime{c} }

// Routes are what the runtime answers, by patterns of http.ServeMux. Thread lists,
// transcription and the like are not among them, and the runtime's info says so.
func (t *Runtime) Routes() iter.Seq2[string, http.HandlerFunc] {
	return func(yield func(string, http.HandlerFunc) bool) {
		_ = yield("GET /copilotkit/info", t.serve((*call).info)) &&
			yield("POST /copilotkit/agent/{agent}/run", t.serve((*call).run)) &&
			yield("POST /copilotkit/agent/{agent}/connect", t.serve((*call).connect)) &&
			yield("POST /copilotkit/agent/{agent}/suggest", t.serve((*call).suggest)) &&
			yield("POST /copilotkit/agent/{agent}/stop/{thread}", t.serve((*call).stop)) &&
			yield("POST /copilotkit", t.serve((*call).single)) &&
			yield("POST /copilotkit/{agent...}", t.serve((*call).elsewhere)) &&
			yield("GET /copilotkit/{agent...}", t.serve((*call).notFound))
	}
}

// call is one request of the protocol, however it was made.
type call struct {
	*Runtime
	w      http.ResponseWriter
	r      *http.Request
	caller Caller
	agent  string // as the page calls it
	thread string // of a stop
	// body is what came in an envelope; nil: it is the request's.
	body []byte
}

func (t *Runtime) serve(serve func(*call)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		k := &call{Runtime: t, w: w, r: r, agent: r.PathValue("agent"), thread: r.PathValue("thread")}
		var refused *refusal.Refusal
		if k.caller, refused = t.Enter(r); refused != nil {
			k.refuse(refused)
			return
		}
		serve(k)
	}
}

// errorJSON is an error as the protocol's clients read it.
type errorJSON struct {
	Error   string             `json:"error"`
	Message string             `json:"message,omitzero"`
	Details []protocol.Problem `json:"details,omitempty"`
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

// elsewhere serves paths that are none of the routes: the single endpoint with
// a slash behind it, and connect with an agent's name that was not encoded.
func (k *call) elsewhere() {
	rest := strings.TrimPrefix(k.r.URL.EscapedPath(), "/copilotkit/")
	if rest == "" {
		k.single()
		return
	}
	if agent, ok := strings.CutPrefix(rest, "agent/"); ok {
		if agent, ok = strings.CutSuffix(agent, "/connect"); ok {
			if decoded, err := url.PathUnescape(agent); err == nil {
				k.agent = decoded
				k.connect()
				return
			}
		}
	}
	k.notFound()
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
