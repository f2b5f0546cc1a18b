package server

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// CopilotKit's runtime protocol over what POST /agui and following a thread do.
// Its frontends need no other server.

// copilotDefault is the agent that CopilotKit means when a page names none.
const copilotDefault = "default"

// copilotRoutes are those of the protocol. Thread lists, transcription and the
// like are not among them, and the runtime's info says so.
func (s *Server) copilotRoutes() []route {
	return []route{
		{"GET /copilotkit/info", s.copilot((*copilotCall).info)},
		{"POST /copilotkit/agent/{agent}/run", s.copilot((*copilotCall).run)},
		{"POST /copilotkit/agent/{agent}/connect", s.copilot((*copilotCall).connect)},
		{"POST /copilotkit/agent/{agent}/suggest", s.copilot((*copilotCall).suggest)},
		{"POST /copilotkit/agent/{agent}/stop/{thread}", s.copilot((*copilotCall).stop)},
		{"POST /copilotkit", s.copilot((*copilotCall).single)},
		{"POST /copilotkit/{agent...}", s.copilot((*copilotCall).elsewhere)},
		{"GET /copilotkit/{agent...}", s.copilot((*copilotCall).notFound)},
	}
}

// copilotCall is one request of the protocol, however it was made.
type copilotCall struct {
	srv    *Server
	w      http.ResponseWriter
	r      *http.Request
	caller *caller
	agent  string // as the page calls it
	thread string // of a stop
	// body is what came in an envelope; nil: it is the request's.
	body []byte
}

func (s *Server) copilot(serve func(*copilotCall)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		k := &copilotCall{srv: s, w: w, r: r, agent: r.PathValue("agent"), thread: r.PathValue("thread")}
		var refused *refusal
		if k.caller, refused = s.enter(r); refused != nil {
			k.refuse(refused)
			return
		}
		serve(k)
	}
}

// copilotError is an error as the protocol's clients read it.
type copilotError struct {
	Error   string             `json:"error"`
	Message string             `json:"message,omitzero"`
	Details []protocol.Problem `json:"details,omitzero"`
}

func (k *copilotCall) fail(status int, e copilotError) { writeJSON(k.w, status, e) }

func (k *copilotCall) refuse(f *refusal) {
	if f.retry > 0 {
		k.w.Header().Set("Retry-After", strconv.Itoa(f.retry))
	}
	if f.status == http.StatusUnauthorized {
		k.w.Header().Set("WWW-Authenticate", "Bearer")
	}
	noteCode(k.w, f.code)
	k.fail(f.status, copilotError{Error: f.code, Message: f.message})
}

func (k *copilotCall) notFound() {
	k.fail(http.StatusNotFound, copilotError{Error: "Not found", Message: "this runtime has no " + k.r.Method + " " + k.r.URL.Path})
}

// elsewhere serves paths that are none of the routes: the single endpoint with
// a slash behind it, and connect with an agent's name that was not encoded.
func (k *copilotCall) elsewhere() {
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

// name is the agent's name here. Without one the call is answered.
func (k *copilotCall) name() (name string, ok bool) {
	switch {
	case slices.Contains(k.srv.opts.Agents, k.agent):
		return k.agent, true
	case k.agent == copilotDefault:
		return "", true
	}
	k.fail(http.StatusNotFound, copilotError{Error: "Agent not found", Message: "Agent '" + k.agent + "' does not exist"})
	return "", false
}

// stream answers an input with events. Unless the input cannot be read, serve
// does that.
func (k *copilotCall) stream(serve func(*sse, *frame)) {
	agent, ok := k.name()
	if !ok {
		return
	}
	if refused := k.srv.reserve(k.caller); refused != nil {
		k.refuse(refused)
		return
	}
	defer k.srv.unreserve(k.caller)
	f, refused := k.input()
	switch {
	case refused != nil:
		k.refuse(refused)
	case f.fault != nil:
		k.fail(http.StatusBadRequest, copilotError{Error: "Invalid request body", Message: f.fault.message, Details: f.fault.fields})
	default:
		k.srv.stream(k.w, k.r, k.caller, agent, func(out *sse) { serve(out, f) })
	}
}

func (k *copilotCall) input() (*frame, *refusal) {
	if k.body == nil {
		return k.srv.readInput(k.w, k.r)
	}
	release, refused := k.srv.work(k.r, len(k.body))
	if refused != nil {
		return nil, refused
	}
	defer release()
	return inputOf(k.body), nil
}

// run answers an input with its run, as POST /agui does.
func (k *copilotCall) run() {
	k.stream(func(out *sse, f *frame) {
		if asksForSuggestions(f.input) {
			out.suggest(f)
			return
		}
		out.run(f)
	})
}
