package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	// keysFor is how long fetched keys are used before they are fetched again,
	// and keysMost how long when that fails.
	keysFor  = 15 * time.Minute
	keysMost = 24 * time.Hour
	// keysPause is the time between two fetches, whatever is asked for: a token
	// may name any key.
	keysPause = 30 * time.Second
	// keysTimeout bounds one fetch.
	keysTimeout  = 5 * time.Second
	maxKeysBytes = 1 << 20
	maxKeys      = 100
)

// keySet is the keys of an issuer, fetched when they are needed. One request
// fetches, others wait for it only if they cannot do without.
//
// The RemoteKeySet of github.com/coreos/go-oidc/v3 (v3.21.0) does not do for
// this. It fetches for every token that none of its keys verifies, which
// anybody can send, without a pause. It keeps what it has until such a token
// comes, so a key that the issuer has withdrawn may be believed for good. It
// believes private keys and keys for encryption as well, compares no key's
// algorithm with the token's, and cannot fetch before a token comes. A client
// around it can bound the length of an answer and the time; the rest would be
// this type again, inside of that client.
type keySet struct {
	url      string
	client   *http.Client
	fetching chan struct{} // holds one token while somebody fetches

	mu      sync.Mutex
	keys    []jose.JSONWebKey
	fetched time.Time // when keys were
	tried   time.Time
	failure error // of the last try
}

func newKeySet(address string) (*keySet, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return nil, errors.New("the key set's URL must be https://host/path")
	}
	ip := net.ParseIP(u.Hostname())
	local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if u.Scheme != "https" && !(u.Scheme == "http" && local) {
		return nil, errors.New("the key set's URL must begin with https://: a person who changes the keys can be anybody")
	}
	return &keySet{
		url: address, fetching: make(chan struct{}, 1),
		client: &http.Client{
			Timeout: keysTimeout,
			// A redirect is a change of whom to trust: it is for the operator.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// find returns the keys that a token naming kid may be signed with. A name that
// is unknown is looked for in a fresh set.
func (s *keySet) find(ctx context.Context, kid string) ([]jose.JSONWebKey, error) {
	found, age, due := s.look(kid)
	if len(found) == 0 || age > keysFor {
		if err := s.refresh(ctx, len(found) == 0 && due); err != nil && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		found, age, _ = s.look(kid)
	}
	if len(found) > 0 && age <= keysMost {
		return found, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil { // the issuer may have keys that nobody here knows
		return nil, s.failure
	}
	return nil, refused(ReasonUnknownKey, "the key set at %s has no key of the token's name (kid)", s.url)
}

// look returns the known keys of a name, their age, and whether a fetch is due.
func (s *keySet) look(kid string) (found []jose.JSONWebKey, age time.Duration, due bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.keys {
		if k.KeyID == kid || kid == "" {
			found = append(found, k)
		}
	}
	return found, time.Since(s.fetched), s.due()
}

func (s *keySet) due() bool { return s.tried.IsZero() || time.Since(s.tried) >= keysPause }

// refresh fetches the keys if it is time to. If another call does so, it waits for that or
// goes on with what there is.
func (s *keySet) refresh(ctx context.Context, wait bool) error {
	select {
	case s.fetching <- struct{}{}:
	default:
		if !wait {
			return nil
		}
		select {
		case s.fetching <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	defer func() { <-s.fetching }()
	s.mu.Lock()
	due := s.due()
	s.mu.Unlock()
	if !due {
		return nil
	}
	// The caller going away must not count as a failure of the issuer.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keysTimeout)
	defer cancel()
	keys, err := s.fetch(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried, s.failure = time.Now(), err
	if err == nil {
		s.keys, s.fetched = keys, s.tried
	}
	return err
}

func (s *keySet) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return nil, fmt.Errorf("identity: key set: %w", err)
	}
	request.Header.Set("Accept", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("identity: key set: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("identity: key set: %s answers %s", s.url, response.Status)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxKeysBytes+1))
	if err != nil {
		return nil, fmt.Errorf("identity: key set: %w", err)
	}
	if len(body) > maxKeysBytes {
		return nil, fmt.Errorf("identity: key set: larger than %d bytes", maxKeysBytes)
	}
	return parseKeys(body)
}

// parseKeys reads the public keys that sign. Those of a kind that is not known
// are left out, as RFC 7517 asks.
func parseKeys(body []byte) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(body, &set); err != nil {
		return nil, fmt.Errorf("identity: key set: %w", err)
	}
	var keys []jose.JSONWebKey
	for _, raw := range set.Keys {
		var k jose.JSONWebKey
		if k.UnmarshalJSON(raw) == nil && k.Valid() && k.IsPublic() && (k.Use == "" || k.Use == "sig") && len(keys) < maxKeys {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("identity: the key set holds no public key that signs")
	}
	return keys, nil
}
