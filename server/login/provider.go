package login

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/oauth2"
)

// Provider is a service at which users have accounts.
type Provider struct {
	Name  string // in agents, addresses and keys: a-z, 0-9 and -
	Title string // what people read; Name when empty
	// Issuer is who the provider says that it is (RFC 8414, OpenID Connect). If it has
	// published its metadata, the two addresses are read there.
	Issuer                 string
	AuthorizeURL, TokenURL string
	// RevokeURL is told of tokens that their users delete (RFC 7009); empty: what the
	// metadata name, if anything.
	RevokeURL              string
	ClientID, ClientSecret string   // no secret: a public client
	ClientAuth             string   // how the secret is sent: "basic" (default) or "post"
	Scopes                 []string // that are always asked for
	// Params are added to the authorization request, such as access_type: offline.
	Params map[string]string
	// RequireIss refuses an answer that does not say its issuer (RFC 9207). A provider
	// whose metadata promises iss is held to it without.
	RequireIss bool
}

var providerName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// Check says what is wrong with the provider's configuration, and repeats no secret.
func (p *Provider) Check() error {
	switch {
	case !providerName.MatchString(p.Name):
		return fmt.Errorf("the name is %q: must be of a-z, 0-9 and -", p.Name)
	case p.ClientID == "":
		return errors.New("client-id is missing: the provider gives it when this server is registered there")
	case p.Issuer == "" && (p.AuthorizeURL == "" || p.TokenURL == ""):
		return errors.New("the provider needs an issuer, or authorize-url and token-url")
	case (p.AuthorizeURL == "") != (p.TokenURL == ""):
		return errors.New("authorize-url and token-url: one needs the other")
	case p.ClientAuth != "" && p.ClientAuth != "basic" && p.ClientAuth != "post":
		return fmt.Errorf("client-auth is basic or post, and not %q", p.ClientAuth)
	case p.RequireIss && p.Issuer == "":
		return errors.New("require-iss needs an issuer to compare with")
	}
	for name := range p.Params {
		switch name {
		case "response_type", "client_id", "redirect_uri", "state", "scope", "code_challenge", "code_challenge_method":
			return fmt.Errorf("params: %s is not for a configuration to say", name)
		}
	}
	for what, address := range map[string]string{"issuer": p.Issuer, "authorize-url": p.AuthorizeURL, "token-url": p.TokenURL, "revoke-url": p.RevokeURL} {
		if address == "" {
			continue
		}
		if err := CheckAddress(address); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	return nil
}

// client is a provider as this server asks it.
type client struct {
	Provider
	*Metadata
}

func newClient(p Provider) *client {
	return &client{p, NewMetadata(p.Issuer)}
}

// endpoint reads the provider's metadata where the configuration has no addresses.
func (c *client) endpoint(ctx context.Context) (Endpoints, error) {
	if c.AuthorizeURL != "" {
		return Endpoints{Authorize: c.AuthorizeURL, Token: c.TokenURL, Revoke: c.RevokeURL}, nil
	}
	at, err := c.Read(ctx)
	at.Revoke = cmp.Or(c.RevokeURL, at.Revoke)
	return at, err
}

// config is what golang.org/x/oauth2 asks the provider by.
func (c *client) config(at Endpoints, redirect string, scopes []string) *oauth2.Config {
	style := oauth2.AuthStyleInHeader
	if c.ClientAuth == "post" || c.ClientSecret == "" {
		style = oauth2.AuthStyleInParams
	}
	return &oauth2.Config{ClientID: c.ClientID, ClientSecret: c.ClientSecret, RedirectURL: redirect, Scopes: scopes,
		Endpoint: oauth2.Endpoint{AuthURL: at.Authorize, TokenURL: at.Token, AuthStyle: style}}
}

// checkIss holds an answer to its issuer (RFC 9207), which has to be configured.
func (c *client) checkIss(at Endpoints, said url.Values) bool {
	at.PromisesIss = at.PromisesIss || c.RequireIss
	return c.CheckIss(at, said)
}

// aboutClient reports whether the code of a refusal is about this server or its request, or
// says that it may pass: another code says that the refresh token is good no more. It
// should be invalid_grant (RFC 6749), but is not everywhere.
func aboutClient(code string) bool {
	switch code {
	case "", "invalid_request", "unsupported_grant_type", "server_error", "temporarily_unavailable", "slow_down", "internal_error", "ratelimited", "service_unavailable":
		return true
	}
	return strings.Contains(code, "client")
}

// refused reports whether an error of the token endpoint is its word, and not that it
// cannot be had.
func refused(err error) (code string, yes bool) {
	var said *oauth2.RetrieveError
	if !errors.As(err, &said) || said.Response == nil || said.Response.StatusCode >= 500 || said.Response.StatusCode == http.StatusTooManyRequests {
		return "", false
	}
	return said.ErrorCode, true
}
