// Package copilotkit is CopilotKit's runtime protocol over what POST /agui and
// following a thread do. Its frontends need no other server.
package copilotkit

import (
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/aguiws/aguiws/server/internal/sse"
)

// Runtime answers requests of the protocol.
type Runtime struct {
	streams *sse.Streams
	config  Config
}

// New makes the runtime on a server's streams.
func New(s *sse.Streams, c Config) *Runtime { return &Runtime{s, c} }

// Routes are what the runtime answers, by patterns of http.ServeMux. Thread lists,
// transcription and the like are not among them, and the runtime's info says so.
func (t *Runtime) Routes() iter.Seq2[string, http.HandlerFunc] {
	routes := []struct {
		pattern string
		serve   func(*call)
	}{
		{"GET /copilotkit/info", (*call).info},
		{"POST /copilotkit/agent/{agent}/run", (*call).run},
		{"POST /copilotkit/agent/{agent}/connect", (*call).connect},
		{"POST /copilotkit/agent/{agent}/suggest", (*call).suggest},
		{"POST /copilotkit/agent/{agent}/stop/{thread}", (*call).stop},
		{"POST /copilotkit", (*call).single},
		{"POST /copilotkit/{agent...}", (*call).elsewhere},
		{"GET /copilotkit/{agent...}", (*call).notFound},
	}
	return func(yield func(string, http.HandlerFunc) bool) {
		for _, r := range routes {
			if !yield(r.pattern, t.serve(r.serve)) {
				return
			}
		}
	}
}

func (t *Runtime) serve(serve func(*call)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		k := &call{Runtime: t, w: w, r: r, agent: r.PathValue("agent"), thread: r.PathValue("thread")}
		c, refused := t.streams.Enter(r)
		if refused != nil {
			k.refuse(refused)
			return
		}
		k.held = t.streams.Hold(r.Context(), c)
		defer k.held.Release()
		serve(k)
	}
}

// elsewhere serves paths that are none of the routes: connect with an agent's name
// that was not encoded.
func (k *call) elsewhere() {
	rest := strings.TrimPrefix(k.r.URL.EscapedPath(), "/copilotkit/")
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
