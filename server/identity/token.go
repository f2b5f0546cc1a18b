package identity

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// minToken is the fewest bytes of a token: fewer can be guessed.
const minToken = 16

// Token is one static credential and whom it stands for.
type Token struct {
	// Token is the bearer token, of 16 bytes or more. SHA256 is its SHA-256 in
	// hexadecimal, for lists that should hold no secret. One of the two is set.
	Token, SHA256 string
	// User is whom it stands for. Tenant defaults to "default".
	Tenant, User string
	// Namespace is shared by the users of the tenant whose tokens name it.
	// Default: one of the user's own.
	Namespace string
	// Scopes are what it may do. Default: ScopeRead and ScopeRun.
	Scopes []string
	// Expires is when it ends. Zero: never.
	Expires time.Time
}

// Tokens authenticates by a list of static tokens. It holds their digests
// only, and compares with all of them, so that the time it takes tells nothing
// about any. Make it with NewTokens.
type Tokens struct {
	mu   sync.RWMutex
	list []knownToken
}

type knownToken struct {
	digest   [sha256.Size]byte
	identity Identity
	revoked  chan struct{}
}

// NewTokens refuses a list that holds a token twice, a weak one, or one that
// stands for nobody. Errors name tokens by their place in the list, from 1.
func NewTokens(list []Token) (*Tokens, error) {
	t := &Tokens{}
	if len(list) == 0 {
		return t, errors.New("identity: no token is listed")
	}
	return t, t.Replace(list)
}

// Replace changes the list. Connections that were opened with a token which is no longer in
// it, or which stands for something else by now, are closed; with an empty list these are
// all. After an error the list is as before: whoever cannot tell which tokens are still
// good replaces it by an empty one.
func (t *Tokens) Replace(list []Token) error {
	known := make([]knownToken, 0, len(list))
	for i, token := range list {
		k, err := token.known()
		if err != nil {
			return fmt.Errorf("identity: token %d: %w", i+1, err)
		}
		if slices.ContainsFunc(known, func(o knownToken) bool { return o.digest == k.digest }) {
			return fmt.Errorf("identity: token %d is listed twice", i+1)
		}
		known = append(known, k)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, old := range t.list {
		i := slices.IndexFunc(known, func(k knownToken) bool { return k.digest == old.digest })
		if i >= 0 && sameIdentity(known[i].identity, old.identity) {
			known[i].identity.Revoked, known[i].revoked = old.identity.Revoked, old.revoked
		} else {
			close(old.revoked)
		}
	}
	t.list = known
	return nil
}

func (t Token) known() (knownToken, error) {
	k := knownToken{revoked: make(chan struct{})}
	switch {
	case (t.Token == "") == (t.SHA256 == ""):
		return k, errors.New("either the token or its sha256 is needed")
	case t.SHA256 != "":
		digest, err := hex.DecodeString(t.SHA256)
		if err != nil || len(digest) != sha256.Size {
			return k, errors.New("sha256: expected 64 hexadecimal digits")
		}
		copy(k.digest[:], digest)
	case len(t.Token) < minToken:
		return k, fmt.Errorf("the token has fewer than %d bytes: openssl rand -hex 24 makes a good one", minToken)
	case strings.TrimSpace(t.Token) != t.Token:
		return k, errors.New("the token begins or ends with a space, which no request can send")
	default:
		k.digest = sha256.Sum256([]byte(t.Token))
	}
	if t.User == "" {
		return k, errors.New("user: whom it stands for is needed")
	}
	k.identity = identityOf(t.Tenant, t.User, t.Namespace, t.Scopes)
	k.identity.Expires, k.identity.Revoked = t.Expires, k.revoked
	return k, nil
}

// identityOf fills in what a credential leaves open. A namespace always lies in
// its tenant, and a shared one is never a user's own, whatever the names are.
func identityOf(tenant, user, shared string, scopes []string) Identity {
	if tenant == "" {
		tenant = "default"
	}
	namespace := OwnNamespace(tenant, user)
	if shared != "" {
		namespace = url.PathEscape(tenant) + "/shared/" + url.PathEscape(shared)
	}
	return Identity{Namespace: namespace, Tenant: tenant, User: user, Scopes: scopes}
}

// OwnNamespace is that of a user of a tenant who shares none.
func OwnNamespace(tenant, user string) string {
	return url.PathEscape(tenant) + "/user/" + url.PathEscape(user)
}

// NameOf is the name by which the store knows a user of a tenant, and by which an agent
// does (adapter.Run.User).
func NameOf(tenant, user string) string { return url.PathEscape(tenant) + "/" + url.PathEscape(user) }

// OfName takes apart what NameOf has put together. ok is false for any other text.
func OfName(name string) (tenant, user string, ok bool) {
	of, who, _ := strings.Cut(name, "/")
	tenant, bad := url.PathUnescape(of)
	user, worse := url.PathUnescape(who)
	if bad != nil || worse != nil || NameOf(tenant, user) != name {
		return "", "", false
	}
	return tenant, user, true
}

func sameIdentity(a, b Identity) bool {
	return a.Namespace == b.Namespace && a.Tenant == b.Tenant && a.User == b.User &&
		slices.Equal(a.Scopes, b.Scopes) && a.Expires.Equal(b.Expires)
}

// Authenticate tells whom the bearer token stands for.
func (t *Tokens) Authenticate(_ context.Context, c Credential) (Identity, error) {
	digest := sha256.Sum256([]byte(c.Bearer))
	t.mu.RLock()
	defer t.mu.RUnlock()
	found := -1
	for i := range t.list {
		if subtle.ConstantTimeCompare(digest[:], t.list[i].digest[:]) == 1 {
			found = i
		}
	}
	if c.Bearer == "" {
		return Identity{}, refused(ReasonMissing, "no bearer token came")
	}
	if found < 0 {
		return Identity{}, refused(ReasonUnlisted, "the token is not on the list")
	}
	id := t.list[found].identity
	if !id.Expires.IsZero() && !time.Now().Before(id.Expires) {
		return Identity{}, refused(ReasonExpired, "the token of %q expired at %s", id.User, id.Expires.UTC().Format(time.RFC3339))
	}
	return id, nil
}
