package signin

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aguiws/aguiws/internal/origin"
	"github.com/aguiws/aguiws/server/identity"
)

// maxCookie bounds the value of a cookie: browsers keep 4,096 bytes with its name and what
// else is said of it.
const maxCookie = 3800

// clocks is how far those of two servers may be apart.
const clocks = time.Minute

// session is what is sealed of somebody who is signed in.
type session struct {
	User      string   `json:"user"`
	Tenant    string   `json:"tenant"`
	Namespace string   `json:"namespace"`
	Name      string   `json:"name,omitempty"`
	Scopes    []string `json:"scopes"` // null: those of who has none
	Until     int64    `json:"until"`  // seconds of Unix
}

// scopes are those that mean something here: a token may list others without number. The last
// one means nothing by itself.
var scopes = []string{identity.ScopeRead, identity.ScopeRun, identity.ScopeApprover, identity.ScopeAdmin, identity.ScopeMetrics, identity.ScopeTenants}

// allowing are the scopes that allow something by themselves.
var allowing = scopes[:len(scopes)-1]

func mayAnything(id identity.Identity) bool { return slices.ContainsFunc(allowing, id.May) }

// Session is the cookie of somebody who is signed in from now on.
func (s *Service) Session(id identity.Identity) (*http.Cookie, error) {
	one := session{id.User, id.Tenant, id.Namespace, id.Name, nil, time.Now().Add(s.opts.Lifetime).Unix()}
	if id.Scopes != nil {
		one.Scopes = slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool { return !id.May(scope) })
	}
	text, err := json.Marshal(one)
	if err != nil {
		return nil, err
	}
	value := base64.RawURLEncoding.EncodeToString(s.sessions.Seal(text, s.sealedFor()))
	if len(value) > maxCookie {
		return nil, problemTooLong
	}
	return s.cookie(sessionCookie, value, s.opts.Lifetime), nil
}

// sealedFor is whom a session is of besides its user: another provider's users are others.
func (s *Service) sealedFor() string { return s.opts.Issuer + "\x00" + s.opts.ClientID }

// open tells whom a cookie stands for.
func (s *Service) open(value string) (identity.Identity, error) {
	refused := func(reason identity.Reason, format string, args ...any) (identity.Identity, error) {
		return identity.Identity{}, &identity.RefusedError{Reason: reason, Detail: fmt.Sprintf(format, args...)}
	}
	if len(value) > maxCookie {
		return refused(identity.ReasonMalformed, "the session's cookie has %d bytes, and at most %d are read", len(value), maxCookie)
	}
	sealed, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil {
		return refused(identity.ReasonMalformed, "the session's cookie is not base64")
	}
	var one session
	text, _, err := s.sessions.Open(sealed, s.sealedFor())
	if err != nil || json.Unmarshal(text, &one) != nil {
		return refused(identity.ReasonSession, "the session was changed, or it is sealed with another key than the first of login-keys, or for another signin-issuer or signin-client-id")
	}
	until := time.Unix(one.Until, 0)
	if !time.Now().Before(until) {
		return refused(identity.ReasonExpired, "the session of %.200q ended at %s", one.User, until.UTC().Format(time.RFC3339))
	}
	if time.Until(until) > s.opts.Lifetime+clocks {
		return refused(identity.ReasonExpired, "the session of %.200q is of a longer signin-lifetime, and goes on until %s", one.User, until.UTC().Format(time.RFC3339))
	}
	return identity.Identity{Namespace: one.Namespace, Tenant: one.Tenant, User: one.User, Name: one.Name, Scopes: one.Scopes, Expires: until}, nil
}

// Beside authenticates by sessions whoever comes without a bearer token, and by next
// whoever comes with one.
func (s *Service) Beside(next identity.Authenticator) identity.Authenticator { return beside{s, next} }

type beside struct {
	*Service
	next identity.Authenticator
}

// Authenticate takes a session's cookie only from the server's own page: browsers send it
// along whoever asks.
func (b beside) Authenticate(ctx context.Context, c identity.Credential) (identity.Identity, error) {
	if c.Bearer != "" || c.Request == nil {
		return b.next.Authenticate(ctx, c)
	}
	kept, err := c.Request.Cookie(b.cookieName(sessionCookie))
	if err != nil {
		return b.next.Authenticate(ctx, c)
	}
	if !b.own(c.Request) {
		return identity.Identity{}, identity.ErrForeignPage
	}
	return b.open(kept.Value)
}

// own reports whether the server's own page has sent a request. For what only reads it is
// enough that nothing says otherwise: a person may have typed the address, or has come back
// from a provider.
func (s *Service) own(r *http.Request) bool {
	if from := r.Header.Values("Origin"); len(from) > 0 {
		page, ok := origin.Parse(from[0])
		return ok && len(from) == 1 && page == s.public
	}
	site := strings.ToLower(r.Header.Get("Sec-Fetch-Site"))
	reads := (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.Header.Get("Upgrade") == ""
	visits := r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
	return site == "same-origin" || reads && (site == "" || site == "none" || visits)
}

// End is the cookie with which nobody is signed in any more; nil: the request is not the
// server's own page's.
func (s *Service) End(r *http.Request) *http.Cookie {
	if !s.own(r) {
		return nil
	}
	return s.cookie(sessionCookie, "", 0)
}
