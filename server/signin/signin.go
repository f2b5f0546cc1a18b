// Package signin lets people sign in to the page at a provider of OpenID Connect, by the
// authorization code flow with PKCE. The session lies sealed in a cookie of their
// browser, and nowhere else. docs/signin.md says what people meet.
package signin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"github.com/aguiws/aguiws/internal/origin"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/login"
)

// The paths below the public URL: where signing in begins, where the provider sends
// browsers back to, and where it ends.
const (
	BeginPath    = "/signin"
	CallbackPath = "/signin/callback"
	EndPath      = "/signout"
)

// DefaultLifetime is for how long somebody is signed in.
const DefaultLifetime = 8 * time.Hour

// Options of a Service.
type Options struct {
	// Issuer is who the provider says that it is. Its metadata name its addresses.
	Issuer string
	// ClientID and ClientSecret are what the provider knows this server by; without a
	// secret the server is a public client.
	ClientID, ClientSecret string
	// Scopes are asked for besides openid. Default: profile and email.
	Scopes []string
	// PublicURL is the address under which browsers reach the server, such as
	// https://chat.example.com or https://example.com/agents. The provider must know it with CallbackPath behind it.
	PublicURL string
	// Sealer has the key that sessions are sealed with: its first one. Servers that have
	// the same take each other's sessions.
	Sealer *login.Sealer
	// Lifetime is for how long somebody is signed in. Default DefaultLifetime.
	Lifetime time.Duration
	// Claims say which claims of an ID token name the user, the tenant, the namespace and
	// the scopes, and by which algorithms it may be signed. The issuer, the audience and
	// the keys are the provider's.
	Claims identity.JWTOptions
	// Logger gets users, tenants and codes, never a token, a code or a cookie.
	Logger *slog.Logger
}

// Service signs people in. Its methods may be called concurrently.
type Service struct {
	opts     Options
	public   origin.Origin
	base     string // of the public URL: its path
	port     string // of the public URL; "": its scheme's
	metadata *login.Metadata
	flows    *login.Sealer
	sessions *login.Sealer

	mu       sync.Mutex
	keysAt   string // of verifier
	verifier *identity.JWT
}

// New makes a service. It asks the provider for nothing.
func New(o Options) (*Service, error) {
	o.Logger = cmp.Or(o.Logger, slog.Default())
	o.Lifetime = cmp.Or(o.Lifetime, DefaultLifetime)
	if o.Scopes == nil {
		o.Scopes = []string{"profile", "email"}
	}
	o.Scopes = slices.Compact(append([]string{"openid"}, slices.DeleteFunc(slices.Clone(o.Scopes), func(s string) bool { return s == "openid" })...))
	switch {
	case o.Sealer == nil:
		return nil, errors.New("signin: there is no key to seal sessions with")
	case o.ClientID == "":
		return nil, errors.New("signin: the client's id is missing: the provider gives it when this server is registered there")
	case o.Lifetime < time.Minute:
		return nil, errors.New("signin: the lifetime is a minute at least")
	}
	if err := login.CheckAddress(o.Issuer); err != nil {
		return nil, fmt.Errorf("signin: the issuer: %w", err)
	}
	if err := login.CheckPublicURL(o.PublicURL); err != nil {
		return nil, fmt.Errorf("signin: %w", err)
	}
	public, err := origin.ParsePublic(o.PublicURL)
	if err != nil {
		return nil, fmt.Errorf("signin: %w", err)
	}
	o.PublicURL = public.URL
	s := &Service{opts: o, base: public.Base, port: public.Port, metadata: login.NewMetadata(o.Issuer)}
	var ok bool
	if s.public, ok = origin.Parse(strings.TrimSuffix(o.PublicURL, s.base)); !ok {
		return nil, fmt.Errorf("signin: the public URL %q is none that a browser knows", o.PublicURL)
	}
	if _, err := s.newVerifier("https://keys.example"); err != nil {
		return nil, fmt.Errorf("signin: %w", err)
	}
	if s.flows, err = o.Sealer.Latest("sign-in flow"); err == nil {
		s.sessions, err = o.Sealer.Latest("sign-in session")
	}
	return s, err
}

// Base is the path of the public URL, below which the server's own paths are: "" at the root
// of the host.
func (s *Service) Base() string { return s.base }

// RedirectURI is what the provider must know as this server's.
func (s *Service) RedirectURI() string { return s.opts.PublicURL + CallbackPath }

// Reach asks the provider for its metadata and its keys, and returns where people sign in.
func (s *Service) Reach(ctx context.Context) (string, error) {
	at, err := s.endpoints(ctx)
	if err != nil {
		return "", err
	}
	verifier, err := s.believing(at.Keys)
	if err == nil {
		err = verifier.Check(ctx)
	}
	return at.Authorize, err
}

func (s *Service) endpoints(ctx context.Context) (login.Endpoints, error) {
	at, err := s.metadata.Read(ctx)
	if err == nil && at.Keys == "" {
		err = errors.New("the provider's metadata name no jwks_uri that may be used: it is no provider of OpenID Connect")
	}
	return at, err
}

// believing is what believes ID tokens that are signed with the keys at an address. It
// stays while the address does, and the keys with it.
func (s *Service) believing(keys string) (*identity.JWT, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.verifier == nil || s.keysAt != keys {
		made, err := s.newVerifier(keys)
		if err != nil {
			return nil, err
		}
		s.verifier, s.keysAt = made, keys
	}
	return s.verifier, nil
}

func (s *Service) newVerifier(keys string) (*identity.JWT, error) {
	o := s.opts.Claims
	o.KeySet, o.Issuer, o.Audience, o.Logger = keys, s.opts.Issuer, s.opts.ClientID, s.opts.Logger
	return identity.NewJWT(o)
}

// config is what golang.org/x/oauth2 asks the provider by.
func (s *Service) config(at login.Endpoints) *oauth2.Config {
	style := oauth2.AuthStyleInHeader
	if at.SecretInForm || s.opts.ClientSecret == "" {
		style = oauth2.AuthStyleInParams
	}
	return &oauth2.Config{ClientID: s.opts.ClientID, ClientSecret: s.opts.ClientSecret, RedirectURL: s.RedirectURI(), Scopes: s.opts.Scopes,
		Endpoint: oauth2.Endpoint{AuthURL: at.Authorize, TokenURL: at.Token, AuthStyle: style}}
}

const (
	sessionCookie = "aguiws-session"
	flowCookie    = "aguiws-signin"
	// hostOnly begins the names of cookies that no other host of the site can set.
	hostOnly = "__Host-"
)

// IsCookie reports whether a cookie of that name is a session or a flow, and means nothing
// elsewhere.
func IsCookie(name string) bool {
	name = strings.TrimPrefix(name, hostOnly)
	return strings.HasPrefix(name, sessionCookie) || strings.HasPrefix(name, flowCookie)
}

// cookie is one of the server's own. An age of 0 takes it away.
func (s *Service) cookie(name, value string, age time.Duration) *http.Cookie {
	c := &http.Cookie{Name: s.cookieName(name), Value: value, Path: "/", MaxAge: int(age.Seconds()), HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.public.Scheme() == "https"}
	if age == 0 {
		c.MaxAge = -1
	}
	return c
}

// cookieName is that of one base, and without TLS of one port: what is below a host shares
// its cookies, and so do the ports of a machine.
func (s *Service) cookieName(name string) string {
	name += strings.ReplaceAll(s.base, "/", "-")
	if s.public.Scheme() == "https" {
		return hostOnly + name
	}
	return name + "-" + cmp.Or(s.port, "80")
}
