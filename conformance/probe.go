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
	switch {
	case t.Over == SSE && !t.followable(ctx):
		t.lacks("follow", "there is no event stream at "+t.threadEvents("{id}"))
		t.lacks("position", "there is no event stream at "+t.threadEvents("{id}"))
	case (t.Over == Binding || t.Over == Plain) && (t.Restart != nil || t.Drain != nil) && t.saysVolatile(ctx):
		t.lacks("durable", "ws.hello says that the server is not")
	}
}

func (t *Target) lacks(feature, why string) {
	if t.Profile == nil || !slices.Contains(t.Profile.Offers, feature) {
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

// saysVolatile reports whether the server's ws.hello says that its suspended runs do
// not outlive its process.
func (t *Target) saysVolatile(ctx context.Context) bool {
	b, err := openBinding(ctx, newClient("probe", Binding, &trace{start: time.Now()}), t, dialing{Subprotocols: []string{subprotocol}})
	if err != nil {
		return false
	}
	defer b.close()
	if b.ws == nil || b.ws.Subprotocol() != subprotocol {
		return false
	}
	hello, there, err := b.frames.take(ctx)
	if err != nil || !there || hello.kind != "ws.hello" {
		return false
	}
	said, _ := hello.value.(map[string]any)
	return said["durable"] == false
}
