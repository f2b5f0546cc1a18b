package identity

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/aguiws/aguiws/server/internal/strictjson"
)

// JWTOptions say which tokens are believed, and what they say.
type JWTOptions struct {
	// KeySet is the https:// URL of the issuer's JSON Web Key Set.
	KeySet string
	// Issuer is what "iss" must be, Audience what "aud" must hold. Both needed.
	Issuer, Audience string
	// Algorithms are those that a token may be signed with, of RS256, RS384,
	// RS512, PS256, PS384, PS512, ES256, ES384, ES512 and EdDSA. Default: RS256,
	// ES256, EdDSA.
	Algorithms []string
	// Leeway is how far the clocks of issuer and server may be apart. Default
	// 30 s.
	Leeway time.Duration

	// The claims that say who it is. Dots lead into objects, unless a claim has
	// the whole name. No claim must be one that users choose themselves.
	UserClaim      string // default "sub"
	TenantClaim    string // default none: all users are of the tenant "default"
	NamespaceClaim string // default none: a namespace a user; see Token.Namespace
	// ScopeClaim is a list, or a text of words. Default "scope". A token without
	// it may read and run.
	ScopeClaim string
	// ScopePrefix is what our scopes begin with there, such as "aguiws:"; others
	// are not ours. Default none.
	ScopePrefix string
	// Logger is told of what only the operator can put right, and nothing of
	// tokens. Default: slog.Default().
	Logger *slog.Logger
}

const (
	// maxTokenBytes bounds a token that is looked at.
	maxTokenBytes = 16 << 10
	// maxCandidates bounds the signatures that are checked for one token, which
	// anybody can send.
	maxCandidates = 4
)

var signatures = []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}

// JWT authenticates by JSON Web Tokens of one issuer, whose "typ" is left out or
// says JWT or at+jwt. A token that names no key is tried with those of the issuer's
// that fit its algorithm, and refused where they are more than four. Make it with
// NewJWT. Keys
// are fetched when first needed, kept for 15 minutes, and for a day when the
// issuer cannot be reached; an unknown key makes it look again, at most every
// 30 seconds.
type JWT struct {
	opts       JWTOptions
	algorithms []jose.SignatureAlgorithm
	keys       *keySet
	ambiguous  sync.Once // it was logged that keys are too many to try
}

// NewJWT refuses options that leave open whom to believe.
func NewJWT(opts JWTOptions) (*JWT, error) {
	switch {
	case opts.Issuer == "":
		return nil, errors.New("identity: JWT: the issuer is needed")
	case opts.Audience == "":
		return nil, errors.New("identity: JWT: the audience is needed: a token for another service is none for this one")
	case opts.Leeway < 0 || opts.Leeway > 5*time.Minute:
		return nil, errors.New("identity: JWT: the leeway is at most five minutes")
	}
	keys, err := newKeySet(opts.KeySet)
	if err != nil {
		return nil, fmt.Errorf("identity: JWT: %w", err)
	}
	opts.Leeway = cmp.Or(opts.Leeway, 30*time.Second)
	opts.Logger = cmp.Or(opts.Logger, slog.Default())
	opts.UserClaim = cmp.Or(opts.UserClaim, "sub")
	opts.ScopeClaim = cmp.Or(opts.ScopeClaim, "scope")
	if len(opts.Algorithms) == 0 {
		opts.Algorithms = []string{"RS256", "ES256", "EdDSA"}
	}
	j := &JWT{opts: opts, keys: keys}
	for _, name := range opts.Algorithms {
		if !slices.Contains(signatures, name) {
			return nil, fmt.Errorf("identity: JWT: %q is no algorithm that can be allowed: %s", name, strings.Join(signatures, ", "))
		}
		j.algorithms = append(j.algorithms, jose.SignatureAlgorithm(name))
	}
	return j, nil
}

// Check fetches the keys and reports why they cannot be had.
func (j *JWT) Check(ctx context.Context) error {
	_, err := j.keys.fetch(ctx)
	return err
}

// Authenticate tells whom the bearer token stands for.
func (j *JWT) Authenticate(ctx context.Context, c Credential) (Identity, error) {
	if len(c.Bearer) > maxTokenBytes {
		return Identity{}, ErrUnauthenticated
	}
	token, err := jwt.ParseSigned(c.Bearer, j.algorithms)
	if err != nil || len(token.Headers) != 1 || !isAccessToken(token.Headers[0]) {
		return Identity{}, ErrUnauthenticated
	}
	kid, algorithm := token.Headers[0].KeyID, token.Headers[0].Algorithm
	keys, err := j.keys.find(ctx, kid)
	if err != nil {
		return Identity{}, err
	}
	keys = slices.DeleteFunc(keys, func(k jose.JSONWebKey) bool { return !fits(k, algorithm) })
	if len(keys) > maxCandidates {
		j.ambiguous.Do(func() {
			j.opts.Logger.Error("tokens are refused: they do not say which key they are signed with, and too many of the issuer's could be it; have the issuer name it (kid)",
				"kid", kid != "", "algorithm", algorithm, "keys", len(keys), "tried at most", maxCandidates)
		})
		return Identity{}, ErrUnauthenticated
	}
	for _, key := range keys {
		var standard jwt.Claims
		var all map[string]json.RawMessage
		if token.Claims(key.Key, &standard, &all) == nil {
			return j.identify(standard, all)
		}
	}
	return Identity{}, ErrUnauthenticated
}

// isAccessToken reports whether a token may be one that says who asks (RFC 8725,
// 3.11; RFC 9068). What the issuer signs for other ends says so in "typ".
func isAccessToken(h jose.Header) bool {
	typ, given := h.ExtraHeaders[jose.HeaderType]
	if !given {
		return true
	}
	text, _ := typ.(string)
	text = strings.TrimPrefix(strings.ToLower(text), "application/")
	return text == "jwt" || text == "at+jwt"
}

// fits reports whether a signature of the algorithm can be the key's.
func fits(k jose.JSONWebKey, algorithm string) bool {
	if k.Algorithm != "" && k.Algorithm != algorithm {
		return false
	}
	switch key := k.Key.(type) {
	case *rsa.PublicKey:
		return strings.HasPrefix(algorithm, "RS") || strings.HasPrefix(algorithm, "PS")
	case *ecdsa.PublicKey:
		return algorithm == map[int]string{256: "ES256", 384: "ES384", 521: "ES512"}[key.Curve.Params().BitSize]
	case ed25519.PublicKey:
		return algorithm == "EdDSA"
	}
	return false
}

func (j *JWT) identify(standard jwt.Claims, all map[string]json.RawMessage) (Identity, error) {
	want := jwt.Expected{Issuer: j.opts.Issuer, AnyAudience: jwt.Audience{j.opts.Audience}, Time: time.Now()}
	if standard.Expiry == nil || standard.ValidateWithLeeway(want, j.opts.Leeway) != nil {
		return Identity{}, ErrUnauthenticated
	}
	user, tenant, shared := j.opts.UserClaim, j.opts.TenantClaim, j.opts.NamespaceClaim
	for _, name := range []*string{&user, &tenant, &shared} {
		if *name == "" {
			continue
		}
		value, ok := strictjson.Text(claim(all, *name))
		if !ok || value == "" {
			return Identity{}, ErrUnauthenticated
		}
		*name = value
	}
	scopes, ok := j.scopes(claim(all, j.opts.ScopeClaim))
	if !ok {
		return Identity{}, ErrUnauthenticated
	}
	id := identityOf(tenant, user, shared, scopes)
	id.Expires = standard.Expiry.Time().Add(j.opts.Leeway)
	return id, nil
}

// scopes reads what is ours of a scope claim. One that is there and names none
// of ours allows nothing.
func (j *JWT) scopes(data json.RawMessage) (scopes []string, ok bool) {
	if data == nil {
		return nil, true
	}
	list := []string{}
	if words, isText := strictjson.Text(data); isText {
		list = strings.Fields(words)
	} else if json.Unmarshal(data, &list) != nil {
		return nil, false
	}
	scopes = []string{}
	for _, s := range list {
		if ours, has := strings.CutPrefix(s, j.opts.ScopePrefix); has {
			scopes = append(scopes, ours)
		}
	}
	return scopes, true
}

// claim looks a claim up; nil if there is none.
func claim(all map[string]json.RawMessage, name string) json.RawMessage {
	if data, ok := all[name]; ok {
		return data
	}
	first, rest, nested := strings.Cut(name, ".")
	if !nested {
		return nil
	}
	var inner map[string]json.RawMessage
	if json.Unmarshal(all[first], &inner) != nil {
		return nil
	}
	return claim(inner, rest)
}
