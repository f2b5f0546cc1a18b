package login

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"github.com/aguiws/aguiws/internal/origin"
)

const (
	providerTimeout = 10 * time.Second // of one request
	discoveredFor   = time.Hour
	askAgain        = 5 * time.Second // when metadata could not be had
	maxMetadata     = 1 << 20
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
		if err := checkAddress(address); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	return nil
}

// checkAddress lets https by, and http of this machine.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Hostname() == "":
		return errors.New("the URL cannot be read: expected one such as https://accounts.example.com")
	case u.User != nil || u.Fragment != "":
		return errors.New("the URL must have no user, password or fragment")
	case u.Scheme != "https" && !(u.Scheme == "http" && origin.Loopback(u.Hostname())):
		return errors.New("the URL must begin with https://: secrets are sent there")
	}
	return nil
}

// endpoint is where a provider is asked.
type endpoint struct {
	authorize, token string
	revoke           string // "": it takes no token back when it is asked
	promisesIss      bool
}

// client is a provider as this server asks it.
type client struct {
	Provider
	http *http.Client

	mu     sync.Mutex
	at     time.Time // when of was read; zero: never
	of     endpoint
	tried  time.Time // when it was last to be read
	failed error     // why it was not
	asking *asking   // nil: nobody reads it now
}

// asking is a reading of metadata for all who want them.
type asking struct {
	done  chan struct{} // closed when the others are set
	found endpoint
	err   error
}

func newClient(p Provider) *client {
	return &client{Provider: p, http: &http.Client{Timeout: providerTimeout, CheckRedirect: func(*http.Request, []*http.Request) error {
		return errors.New("the server answers with a redirect, which is not followed")
	}}}
}

// endpoint reads the provider's metadata where the configuration has no addresses. While
// they cannot be had those that were read before are good.
func (c *client) endpoint(ctx context.Context) (endpoint, error) {
	if c.AuthorizeURL != "" {
		return endpoint{authorize: c.AuthorizeURL, token: c.TokenURL, revoke: c.RevokeURL}, nil
	}
	c.mu.Lock()
	known := !c.at.IsZero()
	if known && time.Since(c.at) < discoveredFor || c.failed != nil && time.Since(c.tried) < askAgain {
		defer c.mu.Unlock()
		if known {
			return c.of, nil
		}
		return endpoint{}, c.failed
	}
	one := c.asking
	if one == nil {
		one = &asking{done: make(chan struct{})}
		c.asking = one
		go c.read(context.WithoutCancel(ctx), one)
	}
	c.mu.Unlock()
	select {
	case <-one.done:
		return one.found, one.err
	case <-ctx.Done():
		return endpoint{}, ctx.Err()
	}
}

func (c *client) read(ctx context.Context, one *asking) {
	ctx, cancel := context.WithTimeout(ctx, 2*providerTimeout)
	defer cancel()
	found, err := c.discover(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asking, c.tried, c.failed = nil, time.Now(), err
	if err == nil {
		c.of, c.at = found, c.tried
	} else if !c.at.IsZero() {
		found, err = c.of, nil
	}
	one.found, one.err = found, err
	close(one.done)
}

func (c *client) discover(ctx context.Context) (endpoint, error) {
	issuer, err := url.Parse(c.Issuer)
	if err != nil {
		return endpoint{}, err
	}
	openid, oauth := *issuer, *issuer
	openid.Path = strings.TrimSuffix(issuer.Path, "/") + "/.well-known/openid-configuration"
	oauth.Path = "/.well-known/oauth-authorization-server" + strings.TrimSuffix(issuer.Path, "/")
	var failed error
	for _, at := range []url.URL{openid, oauth} {
		found, err := c.metadata(ctx, at.String())
		if err == nil {
			return found, nil
		}
		failed = cmp.Or(failed, err)
	}
	return endpoint{}, failed
}

func (c *client) metadata(ctx context.Context, at string) (found endpoint, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return found, err
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return found, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return found, fmt.Errorf("%s answers %d", at, resp.StatusCode)
	}
	var m struct {
		Issuer    string `json:"issuer"`
		Authorize string `json:"authorization_endpoint"`
		Token     string `json:"token_endpoint"`
		Revoke    string `json:"revocation_endpoint"`
		Iss       bool   `json:"authorization_response_iss_parameter_supported"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxMetadata)).Decode(&m); err != nil {
		return found, fmt.Errorf("%s answers what is no metadata: %w", at, err)
	}
	if m.Issuer != c.Issuer {
		return found, fmt.Errorf("%s is the metadata of issuer %q, and %q is configured", at, m.Issuer, c.Issuer)
	}
	for what, address := range map[string]string{"authorization_endpoint": m.Authorize, "token_endpoint": m.Token} {
		if err := c.mayLead(address); err != nil {
			return found, fmt.Errorf("%s: %s: %w", at, what, err)
		}
	}
	if m.Revoke = cmp.Or(c.RevokeURL, m.Revoke); m.Revoke != c.RevokeURL && c.mayLead(m.Revoke) != nil {
		m.Revoke = "" // people can log in without
	}
	return endpoint{m.Authorize, m.Token, m.Revoke, m.Iss}, nil
}

// mayLead says why the provider's metadata must not name an address: one of this machine is
// for an issuer of this machine alone.
func (c *client) mayLead(address string) error {
	if err := checkAddress(address); err != nil {
		return err
	}
	issuer, err := url.Parse(c.Issuer)
	if err != nil {
		return err
	}
	if to, err := url.Parse(address); err != nil || origin.Loopback(to.Hostname()) && !origin.Loopback(issuer.Hostname()) {
		return errors.New("the URL leads to this machine, and the issuer's does not")
	}
	return nil
}

// config is what golang.org/x/oauth2 asks the provider by.
func (c *client) config(at endpoint, redirect string, scopes []string) *oauth2.Config {
	style := oauth2.AuthStyleInHeader
	if c.ClientAuth == "post" || c.ClientSecret == "" {
		style = oauth2.AuthStyleInParams
	}
	return &oauth2.Config{ClientID: c.ClientID, ClientSecret: c.ClientSecret, RedirectURL: redirect, Scopes: scopes,
		Endpoint: oauth2.Endpoint{AuthURL: at.authorize, TokenURL: at.token, AuthStyle: style}}
}

// checkIss holds an answer to its issuer (RFC 9207), which has to be configured.
func (c *client) checkIss(at endpoint, said url.Values) bool {
	if !said.Has("iss") {
		return !c.RequireIss && !at.promisesIss
	}
	return len(said["iss"]) == 1 && c.Issuer != "" && said.Get("iss") == c.Issuer
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
