package conformance

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"
)

// probe finds out what a server does not have. What its profile lists under offers
// is tried all the same, and fails if it is not there.
func (t *Target) probe(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, t.timeout())
	defer cancel()
	t.found = map[string]string{}
	hello := t.hello(ctx)
	if profiles, said := hello["profiles"].([]any); said && t.Over == Binding {
		t.announced(profiles)
	}
	switch {
	case t.Over == SSE && !t.followable(ctx):
		t.lacks("follow", "there is no event stream at "+t.threadEvents("{id}"))
		t.lacks("position", "there is no event stream at "+t.threadEvents("{id}"))
	case hello["durable"] == false:
		t.lacks("durable", "ws.hello says that the server is not")
	}
}

func (t *Target) lacks(feature, why string) {
	if t.Profile == nil || !slices.Contains(t.Profile.Offers, strings.TrimPrefix(feature, "/")) {
		t.found[feature] = why
	}
}

// followable reports whether threads can be followed over HTTP. A server that is not
// there, or fails, has not said that they cannot.
func (t *Target) followable(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, t.threadEvents("conformance-probe"), nil)
	if err != nil {
		return true
	}
	request.Header = t.header()
	request.Header.Set("Accept", "text/event-stream")
	answer, err := t.client().Do(request)
	if err != nil {
		return true
	}
	answer.Body.Close()
	kind := answer.Header.Get("Content-Type")
	return answer.StatusCode >= http.StatusInternalServerError ||
		answer.StatusCode == http.StatusOK && strings.HasPrefix(kind, "text/event-stream")
}

// needProfiles are the features, and the commands, that a server of the binding has by a
// profile that it announces.
var needProfiles = map[string][]string{
	"resume":     {"resume", "follow", "position"},
	"queue":      {"queue"},
	"interrupts": {"/confirm", "/tool", "/parallel", "/form", "/twice", "/expire", "/date", "/sleep", "/event", "/call"},
	"history":    {"history"},
	"drain":      {"drain"},
}

// announced notes what a server does not have because it does not announce it.
func (t *Target) announced(profiles []any) {
	for profile, features := range needProfiles {
		if slices.Contains(profiles, any(profile)) {
			continue
		}
		for _, feature := range features {
			t.lacks(feature, "ws.hello does not announce the profile "+profile)
		}
	}
}

// hello is what a server says of itself when a socket offers the binding; nil when it
// says nothing, or nothing that matters here.
func (t *Target) hello(ctx context.Context) map[string]any {
	replaced := t.Restart != nil || t.Drain != nil
	if t.Over != Binding && (t.Over != Plain || !replaced) {
		return nil
	}
	b, err := openBinding(ctx, newClient("probe", Binding, &trace{start: time.Now()}), t, dialing{Subprotocols: []string{subprotocol}})
	if err != nil {
		return nil
	}
	defer b.close()
	if b.ws == nil || b.ws.Subprotocol() != subprotocol {
		return nil
	}
	hello, there, err := b.frames.take(ctx)
	if err != nil || !there || hello.kind != "ws.hello" {
		return nil
	}
	said, _ := hello.value.(map[string]any)
	return said
}
