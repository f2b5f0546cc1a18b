package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/origin"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/login"
	"github.com/aguiws/aguiws/server/signin"
)

// hasSignIn reports whether people sign in at a provider.
func (s *settings) hasSignIn() bool { return s.signIn.clientID != "" }

// newSignIn makes what is configured; nil: nobody signs in so.
func newSignIn(s *settings, log *slog.Logger) (*signin.Service, error) {
	if !s.hasSignIn() {
		return nil, nil
	}
	secret, err := secretOf(s.signIn.secretFile)
	if err != nil {
		err = fmt.Errorf("%s: %w", s.named("signin-client-secret-file"), err)
	}
	sealer, noKeys := s.sealer()
	if err = errors.Join(err, noKeys); err != nil {
		return nil, err
	}
	svc, err := signin.New(signin.Options{Issuer: s.signInIssuer(), ClientID: s.signIn.clientID, ClientSecret: secret, Scopes: s.signIn.scopes,
		PublicURL: s.publicAddress(), Sealer: sealer, Lifetime: s.signIn.lifetime, Claims: s.claims(), Logger: log})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.named("signin-client-id"), err)
	}
	return svc, nil
}

// newAccounts makes what people sign in and log in with at providers.
func newAccounts(s *settings, st store.Logins, observe func(provider, event string), log *slog.Logger) (*login.Service, *signin.Service, error) {
	logins, err := newLogins(s, st, observe, log)
	if err != nil {
		return nil, nil, err
	}
	signIn, err := newSignIn(s, log)
	return logins, signIn, err
}

func (s *settings) signInIssuer() string { return cmp.Or(s.signIn.issuer, s.jwt.issuer) }

// claims say what tokens and people who sign in are known by.
func (s *settings) claims() identity.JWTOptions {
	return identity.JWTOptions{UserClaim: s.jwt.user, TenantClaim: s.jwt.tenant, NamespaceClaim: s.jwt.namespace, ScopeClaim: s.jwt.scope}
}

// ownAddress are the name and the origin under which people sign in, which the server
// answers to; nothing where nobody signs in.
func (s *settings) ownAddress() (hosts, origins []string) {
	at, err := url.Parse(s.publicAddress())
	if !s.hasSignIn() || err != nil {
		return nil, nil
	}
	return []string{at.Host}, []string{at.Scheme + "://" + at.Host}
}

func (s *settings) validateSignIn() error {
	if !s.hasSignIn() {
		var wrong []error
		for _, name := range []string{"signin-client-secret-file", "signin-issuer", "signin-scopes", "signin-lifetime"} {
			if s.from[name] != "" {
				wrong = append(wrong, fmt.Errorf("%s: needs --signin-client-id", s.named(name)))
			}
		}
		return errors.Join(wrong...)
	}
	var wrong []error
	host, _, _ := net.SplitHostPort(s.addr)
	for _, c := range []struct {
		wrong   bool
		problem string
	}{
		{s.auth == "none", "without authentication all users are one: use --auth tokens or jwt"},
		{s.signInIssuer() == "", "needs --signin-issuer, such as https://id.example.com"},
		{s.loginKeys == "", "sessions are sealed, which needs --login-keys, a file with a key that openssl rand -base64 32 makes"},
		{s.publicURL == "" && !origin.Loopback(host), "the provider sends browsers back here, which needs --public-url, such as https://chat.example.com"},
	} {
		if c.wrong {
			wrong = append(wrong, errors.New(s.named("signin-client-id")+": "+c.problem))
		}
	}
	return errors.Join(wrong...)
}

// signIn says where people would sign in. A provider that is not reached may be reached
// later.
func (r *report) signIn(ctx context.Context, s *settings) {
	svc, err := newSignIn(s, slog.New(slog.DiscardHandler))
	if err != nil {
		r.fail("signin", err)
		return
	}
	if svc == nil {
		return
	}
	if at, err := svc.Reach(ctx); err != nil {
		r.say("warn", "signin", "nobody could sign in now: %v", err)
	} else {
		r.say("ok", "signin", "people sign in at %s, whose metadata are of %s", at, s.signInIssuer())
	}
	r.say("ok", "signin", "the provider must know the redirect URI %s", svc.RedirectURI())
	if s.signIn.secretFile == "" {
		r.say("warn", "signin", "without signin-client-secret-file this server is a public client there")
	}
}
