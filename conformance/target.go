package conformance

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Target is a server under test.
type Target struct {
	// URL is where it is: ws:// or wss:// for the two WebSocket transports, the
	// address of POST for SSE, the runtimeUrl for CopilotKit.
	URL string
	// Over is the transport.
	Over string
	// Header goes with every request, as credentials do.
	Header http.Header
	// Profile is what the server offers; nil is everything.
	Profile *Profile
	// Effects is the file in which the agent's tool calls leave a line each,
	// {"tool","args"}; "" if there is none.
	Effects string
	// Restart ends the server's process without warning and starts another one on
	// the same address. Drain does so in an orderly way. Nil if there is no way. They
	// need not wait until the new one answers. A case fails if a connection that was
	// open before outlives them, so over HTTP URL must be the process's own address.
	Restart, Drain func(context.Context) error
	// Timeout is how long the harness waits for what must come. Default 10 s.
	Timeout time.Duration

	// found is what the server itself says, or shows, that it does not have, with
	// the reason.
	found map[string]string
}

func (t *Target) timeout() time.Duration {
	if t.Timeout <= 0 {
		return 10 * time.Second
	}
	return t.Timeout
}

func (t *Target) header() http.Header {
	if t.Header == nil {
		return http.Header{}
	}
	return t.Header.Clone()
}

func (t *Target) client() *http.Client { return http.DefaultClient }

// threadEvents is where a thread can be followed over SSE.
func (t *Target) threadEvents(thread string) string {
	return strings.TrimSuffix(t.URL, "/") + "/threads/" + url.PathEscape(thread) + "/events"
}

// runtime is one of CopilotKit's routes.
func (t *Target) runtime(what string) string {
	return strings.TrimSuffix(t.URL, "/") + "/agent/default/" + what
}

// missing is the first need of a case that is not met, with the reason; "" if all are.
func (t *Target) missing(c *Case) string {
	for _, need := range c.Needs {
		if without, is := strings.CutPrefix(need, "!"); is {
			if t.lacking(without) == "" {
				return without + ": the server offers it"
			}
		} else if why := t.lacking(need); why != "" {
			return need + ": " + why
		}
	}
	return ""
}

// lacking is why a feature is not there; "" if it is.
func (t *Target) lacking(need string) string {
	profile := t.Profile
	if profile == nil {
		profile = &Profile{}
	}
	switch {
	case t.Over == Plain && (need == "cancel" || need == "follow" || need == "position"),
		t.Over == SSE && need == "cancel",
		t.Over == CopilotKit && need == "position":
		return t.Over + " has no way to do that"
	case need == "effects" && t.Effects == "":
		return "no --effects file was given"
	case need == "restart" && t.Restart == nil:
		return "no --restart-cmd was given"
	case need == "drain" && t.Drain == nil:
		return "no --drain-cmd was given"
	case !profile.offers(need):
		return "the server does not offer it"
	}
	return t.found[need]
}
