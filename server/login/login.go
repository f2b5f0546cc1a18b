package login

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/origin"
)

const (
	flowTime = 10 * time.Minute // for which a flow may be under way
	flowKept = 30 * time.Minute // for which it is known that there was one
	noteKept = 24 * time.Hour   // for which it is known why the latest one failed
	// finishTime bounds what is done of a flow once its browser is back.
	finishTime = time.Minute
	// keepTokens is for how long a user's tokens are kept when none is put or renewed.
	keepTokens = 180 * 24 * time.Hour
	// earlier is how long before it expires a token is renewed: requests take time.
	earlier = 30 * time.Second
)

// Options of a Service.
type Options struct {
	Providers []Provider
	Sealer    *Sealer
	// PublicURL is the address under which browsers reach the server, such as
	// https://chat.example.com or https://example.com/agents. The redirect URI that a provider
	// knows is it and /login/callback/ with the provider's name.
	PublicURL string
	// OneUser takes whoever has no name (Input.User "") for one user, as where identity.None
	// lets all in. Without it they can log in nowhere: their accounts would be each other's.
	OneUser bool
	// Logger gets names of providers and codes, never a token, a code or a state.
	Logger *slog.Logger
	// Observe is told of what happens, by the name of a configured provider: an Event or the
	// code of a Problem. It may be called concurrently.
	Observe func(provider, event string)
	// Hook, for tests of crashes, is called at named points.
	Hook func(point string)
}

// Service is adapter.Logins on a store. Its methods may be called concurrently.
type Service struct {
	store     store.Logins
	opts      Options
	base      string // of the public URL
	providers map[string]*client
	locks     locks
	unstored  unstored
	// unreadable are the names of providers of whose tokens the log was told.
	unreadable sync.Map
}

var _ adapter.Logins = (*Service)(nil)

// CallbackPath is below what providers send browsers back, each to its name: one that
// answers in another's place comes to the wrong address (RFC 9700, 4.4.2).
const CallbackPath = "/login/callback"

// New makes a service. It asks no provider for anything.
func New(s store.Logins, o Options) (*Service, error) {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Observe == nil {
		o.Observe = func(string, string) {}
	}
	if o.Sealer == nil {
		return nil, errors.New("login: there is no key to seal tokens with")
	}
	if err := CheckPublicURL(o.PublicURL); err != nil {
		return nil, fmt.Errorf("login: %w", err)
	}
	public, err := origin.ParsePublic(o.PublicURL)
	if err != nil {
		return nil, fmt.Errorf("login: %w", err)
	}
	o.PublicURL = public.URL
	svc := &Service{store: s, opts: o, base: public.Base, providers: map[string]*client{}, locks: locks{busy: map[string]chan struct{}{}}, unstored: unstored{of: map[string]renewed{}}}
	for _, p := range o.Providers {
		if err := p.Check(); err != nil {
			return nil, fmt.Errorf("login: provider %q: %w", p.Name, err)
		}
		if svc.providers[p.Name] != nil {
			return nil, fmt.Errorf("login: there are two providers named %q", p.Name)
		}
		svc.providers[p.Name] = newClient(p)
	}
	return svc, nil
}

// CheckPublicURL says why browsers could not be sent back to an address.
func CheckPublicURL(address string) error {
	err := CheckAddress(address)
	if err == nil {
		_, err = origin.ParsePublic(address)
	}
	if err != nil {
		return fmt.Errorf("the public URL %q: %w", address, err)
	}
	return nil
}

// Reach asks a provider for its metadata, or connects to the addresses that are configured in
// their place, and returns where people log in.
func (s *Service) Reach(ctx context.Context, provider string) (string, error) {
	p := s.providers[provider]
	at, err := p.endpoint(ctx)
	if err == nil && p.AuthorizeURL != "" {
		if err = connects(ctx, "authorize-url", at.Authorize); err == nil {
			err = connects(ctx, "token-url", at.Token)
		}
	}
	return at.Authorize, err
}

// connects says why nobody takes a connection at an address, and sends no request: one that is
// not of a login may be refused. Behind a proxy only a request could tell.
func connects(ctx context.Context, what, address string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	if proxy, err := http.ProxyFromEnvironment(r); err != nil || proxy != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, providerTimeout)
	defer cancel()
	dial, port := (&net.Dialer{}).DialContext, "80"
	if r.URL.Scheme == "https" {
		dial, port = (&tls.Dialer{}).DialContext, "443"
	}
	c, err := dial(ctx, "tcp", net.JoinHostPort(r.URL.Hostname(), cmp.Or(r.URL.Port(), port)))
	if err != nil {
		return fmt.Errorf("%s: no connection to %s: %w", what, r.URL.Host, err)
	}
	return c.Close()
}

// RedirectURI is what a provider must know as this server's.
func (s *Service) RedirectURI(provider string) string {
	return s.opts.PublicURL + CallbackPath + "/" + provider
}

// Providers are the names of those that are configured.
func (s *Service) Providers() []string { return slices.Sorted(maps.Keys(s.providers)) }

// known refuses a user without a name, unless there is one user alone.
func (s *Service) known(user string) error {
	if user == "" && !s.opts.OneUser {
		return problemNobody
	}
	return nil
}

// OneUser reports whether whoever has no name is one user.
func (s *Service) OneUser() bool { return s.opts.OneUser }

// Title implements adapter.Logins.
func (s *Service) Title(provider string) string {
	if p := s.providers[provider]; p != nil && p.Provider.Title != "" {
		return p.Provider.Title
	}
	return provider
}

// URL implements adapter.Logins.
func (s *Service) URL(thread, interrupt string) string {
	return s.opts.PublicURL + "/login/" + url.PathEscape(thread) + "/" + url.PathEscape(interrupt)
}

func (s *Service) provider(name string) (*client, error) {
	if p := s.providers[name]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("there is no provider named %q: must be one of %s", name, strings.Join(s.Providers(), ", "))
}

func (s *Service) reached(point string) {
	if s.opts.Hook != nil {
		s.opts.Hook(point)
	}
}

// using is the context in which golang.org/x/oauth2 uses the provider's client.
func using(ctx context.Context, p *client) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, p.http)
}

// patiently sends a call to the store until its outcome is known, or ctx ends.
func patiently[T any](ctx context.Context, call func() (T, error)) (T, error) {
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		result, err := call()
		if !errors.Is(err, store.ErrOutcomeUnknown) || rest(ctx, wait) != nil {
			return result, err
		}
	}
}

func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
