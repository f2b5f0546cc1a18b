package signin

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/server/identity"
)

const issuer = "https://id.example"

// knows takes one bearer token.
type knows struct{}

func (knows) Authenticate(_ context.Context, c identity.Credential) (identity.Identity, error) {
	if c.Bearer != "good" {
		return identity.Identity{}, &identity.RefusedError{Reason: identity.ReasonMissing}
	}
	return identity.Identity{User: "by token"}, nil
}

func TestASessionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serviceAt(t, issuer, func(o *Options) { o.Lifetime = time.Hour })
		c, err := s.Session(identity.Identity{User: "ann", Tenant: "acme", Namespace: "acme/user/ann"})
		if err != nil {
			t.Fatal(err)
		}
		shorter := serviceAt(t, issuer, func(o *Options) { o.Lifetime = 30 * time.Minute })
		if id, err := shorter.open(c.Value); !errors.Is(err, identity.ErrUnauthenticated) {
			t.Errorf("with a shorter lifetime: %+v, %v", id, err)
		}
		time.Sleep(time.Hour - time.Second)
		id, err := s.open(c.Value)
		if err != nil || id.Scopes != nil || !id.May(identity.ScopeRun) || id.May(identity.ScopeApprover) || time.Until(id.Expires) != time.Second {
			t.Errorf("%+v, %v", id, err)
		}
		time.Sleep(time.Second)
		var refused *identity.RefusedError
		if _, err := s.open(c.Value); !errors.As(err, &refused) || refused.Reason != identity.ReasonExpired {
			t.Errorf("afterwards: %v", err)
		}
	})
}

func TestWhatOpensNoSession(t *testing.T) {
	s := serviceAt(t, issuer, nil)
	c, err := s.Session(identity.Identity{User: "ann", Tenant: "acme", Namespace: "acme/user/ann", Scopes: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	if id, err := s.open(c.Value); err != nil || id.May(identity.ScopeRead) {
		t.Errorf("no scopes are %+v, %v", id, err)
	}
	sealed, _ := base64.RawURLEncoding.DecodeString(c.Value)
	for i := range sealed {
		changed := append([]byte(nil), sealed...)
		changed[i] ^= 1
		if _, err := s.open(base64.RawURLEncoding.EncodeToString(changed)); !errors.Is(err, identity.ErrUnauthenticated) {
			t.Fatalf("byte %d was changed: %v", i, err)
		}
	}
	for name, change := range map[string]func(*Options){
		"another key":                       func(o *Options) { o.Sealer = sealerOf(t, 2) },
		"a key that is the first no longer": func(o *Options) { o.Sealer = sealerOf(t, 2, 1) },
		"another provider":                  func(o *Options) { o.Issuer = "https://other.example" },
		"another client":                    func(o *Options) { o.ClientID = "other" },
	} {
		if _, err := serviceAt(t, issuer, change).open(c.Value); !errors.Is(err, identity.ErrUnauthenticated) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if id, err := serviceAt(t, issuer, func(o *Options) { o.Sealer = sealerOf(t, 1, 2) }).open(c.Value); err != nil {
		t.Errorf("%+v, %v", id, err)
	}
	for _, value := range []string{"", "x", strings.Repeat("A", 5000), "%", base64.RawURLEncoding.EncodeToString(s.flows.Seal([]byte(`{}`), sealedFlow)), base64.RawURLEncoding.EncodeToString(sealerOf(t, 1).Seal([]byte(`{"user":"eve"}`), s.sealedFor()))} {
		if _, err := s.open(value); !errors.Is(err, identity.ErrUnauthenticated) {
			t.Errorf("%.20q: %v", value, err)
		}
	}
}

// Who asks with a cookie alone is the server's own page.
func TestForeignPages(t *testing.T) {
	s := serviceAt(t, issuer, nil)
	session, err := s.Session(identity.Identity{User: "ann", Tenant: "acme", Namespace: "acme/user/ann"})
	if err != nil {
		t.Fatal(err)
	}
	auth := s.Beside(knows{})
	const socket = "socket"
	for _, c := range []struct {
		method, origin, site string
		own                  bool
		visit                string // "document" or "iframe"
	}{
		{"GET", "", "", true, ""}, {"GET", "", "none", true, ""}, {"GET", "", "same-origin", true, ""}, {"HEAD", "", "", true, ""},
		{"GET", publicURL, "same-origin", true, ""}, {"POST", publicURL, "", true, ""}, {"POST", "", "same-origin", true, ""}, {"DELETE", "HTTPS://chat.example:443", "", true, ""},
		{socket, publicURL, "", true, ""}, {socket, publicURL, "same-origin", true, ""}, {socket, "", "same-origin", true, ""},
		{"GET", "", "cross-site", false, ""}, {"GET", "", "same-site", false, ""}, {"GET", "https://evil.example", "", false, ""}, {"GET", "https://evil.chat.example", "same-site", false, ""},
		{"GET", "null", "", false, ""}, {"POST", "", "", false, ""}, {"POST", "", "none", false, ""}, {"POST", "", "cross-site", false, ""}, {"POST", "https://evil.example", "cross-site", false, ""},
		{"POST", "https://evil.example", "same-origin", false, ""}, {"POST", "null", "", false, ""}, {"POST", "http://chat.example", "", false, ""}, {"POST", "https://chat.example:8443", "", false, ""},
		{"PUT", "", "", false, ""}, {"OPTIONS", "", "", false, ""}, {socket, "", "", false, ""}, {socket, "", "none", false, ""}, {socket, "https://evil.example", "", false, ""}, {socket, "null", "", false, ""},
		{"GET", "", "cross-site", true, "document"}, {"GET", "", "cross-site", false, "iframe"}, {"POST", "", "cross-site", false, "document"}, {"GET", "https://evil.example", "cross-site", false, "document"}, {socket, "", "cross-site", false, "document"},
	} {
		r := httptest.NewRequest(c.method, publicURL+"/v1/me", nil)
		if c.method == socket {
			r = httptest.NewRequest(http.MethodGet, publicURL+"/agui/ws", nil)
			r.Header.Set("Upgrade", "websocket")
		}
		r.AddCookie(session)
		mode := ""
		if c.visit != "" {
			mode = "navigate"
		}
		for name, value := range map[string]string{"Origin": c.origin, "Sec-Fetch-Site": c.site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": c.visit} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		id, err := auth.Authenticate(t.Context(), identity.Credential{Request: r})
		if c.own && (err != nil || id.User != "ann") || !c.own && !errors.Is(err, identity.ErrForeignPage) {
			t.Errorf("%+v: %+v, %v", c, id, err)
		}
		if ends := s.End(r) != nil; ends != c.own {
			t.Errorf("%+v: it signs out: %t", c, ends)
		}
		// A bearer decides alone.
		if id, err := auth.Authenticate(t.Context(), identity.Credential{Bearer: "good", Request: r}); err != nil || id.User != "by token" {
			t.Errorf("%+v: with a token %+v, %v", c, id, err)
		}
		if _, err := auth.Authenticate(t.Context(), identity.Credential{Bearer: "bad", Request: r}); !errors.Is(err, identity.ErrUnauthenticated) {
			t.Errorf("%+v: with a wrong token %v", c, err)
		}
	}
}

// Servers below paths of one host have cookies of their own, and so have those of a machine's
// ports without TLS.
func TestCookiesOfOneServer(t *testing.T) {
	for public, want := range map[string]string{
		"http://localhost:8080": "aguiws-session-8080", "http://127.0.0.1": "aguiws-session-80", "http://[::1]:81": "aguiws-session-81", "https://chat.example:8443": "__Host-aguiws-session",
		"https://example.com/some/agents": "__Host-aguiws-session-some-agents", "http://127.0.0.1:81/agents/": "aguiws-session-agents-81",
	} {
		s := serviceAt(t, issuer, func(o *Options) { o.PublicURL = public })
		if c := s.cookie(sessionCookie, "x", time.Hour); c.Name != want || c.Secure != strings.HasPrefix(want, hostOnly) || !IsCookie(c.Name) {
			t.Errorf("%s: %s", public, c)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for says, change := range map[string]func(*Options){
		"key":        func(o *Options) { o.Sealer = nil },
		"client":     func(o *Options) { o.ClientID = "" },
		"issuer":     func(o *Options) { o.Issuer = "http://id.example" },
		"public URL": func(o *Options) { o.PublicURL = "https://chat.example/chat?x=1" },
		"lifetime":   func(o *Options) { o.Lifetime = time.Second },
	} {
		o := Options{Issuer: issuer, ClientID: "x", PublicURL: publicURL, Sealer: sealerOf(t, 1)}
		change(&o)
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}
