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

// signatures are the algorithms that a token may be signed with. None is symmetric, and the
// key decides which of them fit it: see fits.
var signatures = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
	jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// JWT authenticates by JSON Web Tokens of one issuer, whose "typ" is left out or
// says JWT or at+jwt. A token that names no key is tried with those of the issuer's
// that fit its algorithm, and refused where they are more than four. Make it with
// NewJWT. Keys
// are fetched when first needed, kept for 15 minutes, and for a day when the
// issuer cannot be reached; an unknown key makes it look again, at most every
// 30 seconds.
type JWT struct {
	opts      JWTOptions
	keys      *keySet
	ambiguous sync.Once // it was logged that keys are too many to try
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
	return &JWT{opts: opts, keys: keys}, nil
}

// Check fetches the keys and reports why they cannot be had.
func (j *JWT) Check(ctx context.Context) error {
	_, err := j.keys.fetch(ctx)
	return err
}

// Authenticate tells whom the bearer token stands for.
func (j *JWT) Authenticate(ctx context.Context, c Credential) (Identity, error) {
	standard, all, err := j.signed(ctx, c.Bearer)
	if err != nil {
		return Identity{}, err
	}
	return j.identify(standard, all)
}

// signed are the claims of a token that a key of the issuer has signed: nothing else is
// known of them.
func (j *JWT) signed(ctx context.Context, text string) (standard jwt.Claims, all map[string]json.RawMessage, err error) {
	if text == "" {
		return standard, nil, refused(ReasonMissing, "no bearer token came")
	}
	if len(text) > maxTokenBytes {
		return standard, nil, refused(ReasonMalformed, "the token has %d bytes, and at most %d are read", len(text), maxTokenBytes)
	}
	token, err := jwt.ParseSigned(text, signatures)
	if errors.As(err, new(*jose.ErrUnexpectedSignatureAlgorithm)) {
		return standard, nil, refused(ReasonAlgorithm, "the token is not signed by one of %s", signatures)
	}
	if err != nil || len(token.Headers) != 1 {
		return standard, nil, refused(ReasonMalformed, "the token is not a signed JWT of three parts")
	}
	if !isAccessToken(token.Headers[0]) {
		return standard, nil, refused(ReasonType, "the header typ is neither JWT nor at+jwt: it is not an access token")
	}
	kid, algorithm := token.Headers[0].KeyID, token.Headers[0].Algorithm
	keys, err := j.keys.find(ctx, kid)
	if err != nil {
		return standard, nil, err
	}
	keys = slices.DeleteFunc(keys, func(k jose.JSONWebKey) bool { return !fits(k, algorithm) })
	if len(keys) == 0 {
		return standard, nil, refused(ReasonUnknownKey, "the issuer's key set has no key of that name (kid) for %s", algorithm)
	}
	if len(keys) > maxCandidates {
		j.ambiguous.Do(func() {
			j.opts.Logger.Error("tokens are refused: a token does not name its key (kid), and too many of the issuer's keys could be it; have the issuer name the key",
				"kid", kid != "", "algorithm", algorithm, "keys", len(keys), "tried at most", maxCandidates)
		})
		return standard, nil, refused(ReasonUnknownKey, "the token names no key (kid), and %d keys of the issuer could be it", len(keys))
	}
	for _, key := range keys {
		standard, all = jwt.Claims{}, nil
		if token.Claims(key.Key, &standard, &all) == nil {
			return standard, all, nil
		}
		if token.Claims(key.Key) == nil {
			return standard, nil, refused(ReasonClaim, "the token is signed, and its claims are not of the types of RFC 7519")
		}
	}
	return standard, nil, refused(ReasonSignature, "no key of the issuer has signed the token")
}

// isAccessToken reports whether a token may be one that says who asks (RFC 8725,
// 3.11; RFC 9068). A token that the issuer signs for another end says so in "typ".
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
	if err := j.valid(standard); err != nil {
		return Identity{}, err
	}
	user, tenant, shared := j.opts.UserClaim, j.opts.TenantClaim, j.opts.NamespaceClaim
	for _, name := range []*string{&user, &tenant, &shared} {
		if *name == "" {
			continue
		}
		value, ok := strictjson.Text(claim(all, *name))
		if !ok || value == "" {
			return Identity{}, refused(ReasonClaim, "the claim %q has no text", *name)
		}
		*name = value
	}
	scopes, ok := j.scopes(claim(all, j.opts.ScopeClaim))
	if !ok {
		return Identity{}, refused(ReasonClaim, "the claim %q is neither a list nor a text of words", j.opts.ScopeClaim)
	}
	id := identityOf(tenant, user, shared, scopes)
	id.Expires = standard.Expiry.Time().Add(j.opts.Leeway)
	return id, nil
}

// valid reports whether the token is of the issuer, for this server and for now. The claims
// that it quotes are signed.
func (j *JWT) valid(claims jwt.Claims) error {
	if claims.Expiry == nil {
		return refused(ReasonExpired, "the token has no exp")
	}
	err := claims.ValidateWithLeeway(jwt.Expected{Issuer: j.opts.Issuer, AnyAudience: jwt.Audience{j.opts.Audience}, Time: time.Now()}, j.opts.Leeway)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jwt.ErrInvalidIssuer):
		return refused(ReasonIssuer, "iss is %.200q, and jwt-issuer %q", claims.Issuer, j.opts.Issuer)
	case errors.Is(err, jwt.ErrInvalidAudience):
		return refused(ReasonAudience, "aud is %.200q, and jwt-audience %q", strings.Join(claims.Audience, " "), j.opts.Audience)
	case errors.Is(err, jwt.ErrExpired):
		return refused(ReasonExpired, "the token expired at %s", claims.Expiry.Time().UTC().Format(time.RFC3339))
	}
	return refused(ReasonNotYet, "the token is from later on (nbf, iat): the clocks of issuer and server may differ")
}

// scopes reads what is ours of a scope claim. A claim that is there and names none of ours
// allows nothing.
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
