package cli

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/login"
)

// hasLogins reports whether there are providers.
func (s *settings) hasLogins() bool { return len(s.logins) > 0 }

// providers are those of the settings, with their secrets.
func (s *settings) providers() ([]login.Provider, error) {
	var providers []login.Provider
	for _, each := range s.logins {
		p := login.Provider{Name: each.Name, Title: each.Title, Issuer: each.Issuer, AuthorizeURL: each.AuthorizeURL, TokenURL: each.TokenURL, RevokeURL: each.RevokeURL,
			ClientID: each.ClientID, ClientAuth: each.ClientAuth, Scopes: each.Scopes, Params: each.Params, RequireIss: each.RequireIss}
		var err error
		if p.ClientSecret, err = secretOf(each.ClientSecretFile); err != nil {
			return nil, fmt.Errorf("%s: provider %q: client-secret-file: %w", s.named("logins"), each.Name, err)
		}
		if err := p.Check(); err != nil {
			return nil, fmt.Errorf("%s: provider %q: %w", s.named("logins"), each.Name, err)
		}
		providers = append(providers, p)
	}
	return providers, nil
}

// secretOf is the secret in a file; "" without one.
func secretOf(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(data))
	if secret == "" {
		return "", fmt.Errorf("%s is empty", file)
	}
	return secret, nil
}

// newLogins makes the logins that are configured; nil: there are none.
func newLogins(s *settings, st store.Logins, observe func(provider, event string), log *slog.Logger) (*login.Service, error) {
	if !s.hasLogins() {
		return nil, nil
	}
	providers, err := s.providers()
	if err != nil {
		return nil, err
	}
	sealer, err := s.sealer()
	if err != nil {
		return nil, err
	}
	svc, err := login.New(st, login.Options{Providers: providers, Sealer: sealer, PublicURL: s.publicAddress(), OneUser: s.auth == "none", Observe: observe, Logger: log, Hook: crashHook(s.crashAt)})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.named("logins"), err)
	}
	return svc, nil
}

// sealer has the keys of the settings.
func (s *settings) sealer() (*login.Sealer, error) {
	text, err := os.ReadFile(s.loginKeys)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.named("login-keys"), err)
	}
	sealer, err := login.ParseKeys(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", s.named("login-keys"), s.loginKeys, err)
	}
	return sealer, nil
}

// agentLogins are logins as agents have them; nil stays nil.
func agentLogins(svc *login.Service) adapter.Logins {
	if svc == nil {
		return nil
	}
	return svc
}

// pageAddress is where webhooks say that the page is; "": its path has to do.
func (s *settings) pageAddress() string {
	if s.publicURL == "" && s.auth != "none" {
		return ""
	}
	return s.publicAddress()
}

// publicAddress is where browsers find the server: on this machine, unless it is said.
func (s *settings) publicAddress() string {
	if s.publicURL != "" {
		return s.publicURL
	}
	scheme := "http"
	if s.tlsCert != "" {
		scheme = "https"
	}
	host, port, _ := net.SplitHostPort(s.addr)
	return scheme + "://" + net.JoinHostPort(cmp.Or(host, "localhost"), port)
}

func (s *settings) validateLogins() error {
	if s.from["login-keys"] != "" && !s.hasLogins() && !s.hasSignIn() {
		return fmt.Errorf("%s: needs --logins or --signin-client-id", s.named("login-keys"))
	}
	if s.publicURL != "" {
		if err := login.CheckPublicURL(s.publicURL); err != nil {
			return fmt.Errorf("%s: %w", s.named("public-url"), err)
		}
	}
	switch {
	case !s.hasLogins():
		return nil
	case s.loginKeys == "":
		return fmt.Errorf("%s: tokens are stored encrypted, which needs --login-keys, a file with a key that openssl rand -base64 32 makes", s.named("logins"))
	case s.publicURL == "" && s.auth != "none":
		return fmt.Errorf("%s: the provider sends browsers back here, which needs --public-url, such as https://chat.example.com", s.named("logins"))
	}
	if err := login.CheckPublicURL(s.publicAddress()); err != nil {
		return fmt.Errorf("%s: %w", s.named("public-url"), err)
	}
	return nil
}

// logins says where users would log in. A provider that is not reached may be reached
// later.
func (r *report) logins(ctx context.Context, s *settings) {
	svc, err := newLogins(s, nil, nil, nil)
	if err != nil {
		r.fail("logins", err)
		return
	}
	if svc == nil {
		return
	}
	list, _ := s.providers()
	for _, p := range list {
		if at, err := svc.Reach(ctx, p.Name); err != nil {
			r.say("warn", "logins", "%s: nobody could log in now: %v", p.Name, err)
		} else {
			r.say("ok", "logins", "%s: users log in at %s", p.Name, at)
		}
		r.say("ok", "logins", "%s: must know the redirect URI %s", p.Name, svc.RedirectURI(p.Name))
		if p.ClientSecret == "" {
			r.say("warn", "logins", "%s: without client-secret-file this server is a public client there", p.Name)
		}
	}
}
