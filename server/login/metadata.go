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
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aguiws/aguiws/internal/origin"
)

const (
	providerTimeout = 10 * time.Second // of one request
	discoveredFor   = time.Hour
	askAgain        = 5 * time.Second // when metadata could not be had
	maxMetadata     = 1 << 20
)

// Endpoints are where a provider is asked.
type Endpoints struct {
	Authorize, Token string
	Revoke           string // "": it takes no token back when it is asked
	Keys             string // with which it signs who somebody is; "": it does not say
	PromisesIss      bool   // its answers say their issuer (RFC 9207)
	SecretInForm     bool   // it takes no client's secret in the header
}

// Metadata are what a provider has published of itself (OpenID Connect, RFC 8414). They are
// read when they are needed, once for all who want them, and its methods may be called
// concurrently.
type Metadata struct {
	issuer string
	http   *http.Client

	mu     sync.Mutex
	at     time.Time // when of was read; zero: never
	of     Endpoints
	tried  time.Time // when it was last to be read
	failed error     // why it was not
	asking *asking   // nil: nobody reads it now
}

// asking is a reading of metadata for all who want them.
type asking struct {
	done  chan struct{} // closed when the others are set
	found Endpoints
	err   error
}

// NewMetadata are those of an issuer. It asks for nothing.
func NewMetadata(issuer string) *Metadata {
	return &Metadata{issuer: issuer, http: &http.Client{Timeout: providerTimeout, CheckRedirect: func(*http.Request, []*http.Request) error {
		return errors.New("the server answers with a redirect, which is not followed")
	}}}
}

// Client is what asks the provider: it waits for a bounded time, and follows no redirect.
func (c *Metadata) Client() *http.Client { return c.http }

// Read returns them. While they cannot be had those that were read before are good.
func (c *Metadata) Read(ctx context.Context) (Endpoints, error) {
	c.mu.Lock()
	known := !c.at.IsZero()
	if known && time.Since(c.at) < discoveredFor || c.failed != nil && time.Since(c.tried) < askAgain {
		defer c.mu.Unlock()
		if known {
			return c.of, nil
		}
		return Endpoints{}, c.failed
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
		return Endpoints{}, ctx.Err()
	}
}

func (c *Metadata) read(ctx context.Context, one *asking) {
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

func (c *Metadata) discover(ctx context.Context) (Endpoints, error) {
	issuer, err := url.Parse(c.issuer)
	if err != nil {
		return Endpoints{}, err
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
	return Endpoints{}, failed
}

func (c *Metadata) metadata(ctx context.Context, at string) (found Endpoints, err error) {
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
		Keys      string `json:"jwks_uri"`
		Iss       bool   `json:"authorization_response_iss_parameter_supported"`
		// Left out, it is client_secret_basic alone.
		Secrets []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxMetadata)).Decode(&m); err != nil {
		return found, fmt.Errorf("%s answers what is no metadata: %w", at, err)
	}
	if m.Issuer != c.issuer {
		return found, fmt.Errorf("%s is the metadata of issuer %q, and %q is configured", at, m.Issuer, c.issuer)
	}
	for what, address := range map[string]string{"authorization_endpoint": m.Authorize, "token_endpoint": m.Token} {
		if err := c.mayLead(address); err != nil {
			return found, fmt.Errorf("%s: %s: %w", at, what, err)
		}
	}
	for _, address := range []*string{&m.Revoke, &m.Keys} {
		if *address != "" && c.mayLead(*address) != nil {
			*address = "" // people can log in without
		}
	}
	inForm := slices.Contains(m.Secrets, "client_secret_post") && !slices.Contains(m.Secrets, "client_secret_basic")
	return Endpoints{m.Authorize, m.Token, m.Revoke, m.Keys, m.Iss, inForm}, nil
}

// mayLead says why the provider's metadata must not name an address: one of this machine is
// for an issuer of this machine alone.
func (c *Metadata) mayLead(address string) error {
	if err := CheckAddress(address); err != nil {
		return err
	}
	issuer, err := url.Parse(c.issuer)
	if err != nil {
		return err
	}
	if to, err := url.Parse(address); err != nil || origin.Loopback(to.Hostname()) && !origin.Loopback(issuer.Hostname()) {
		return errors.New("the URL leads to this machine, and the issuer's does not")
	}
	return nil
}

// CheckIss holds an answer to the issuer (RFC 9207).
func (c *Metadata) CheckIss(at Endpoints, said url.Values) bool {
	if !said.Has("iss") {
		return !at.PromisesIss
	}
	return len(said["iss"]) == 1 && c.issuer != "" && said.Get("iss") == c.issuer
}

// CheckAddress lets https by, and http of this machine.
func CheckAddress(address string) error {
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
