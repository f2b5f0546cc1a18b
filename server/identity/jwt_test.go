package identity

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// issuer signs tokens and answers requests for its keys.
type issuer struct {
	t       *testing.T
	mu      sync.Mutex
	private map[string]any
	public  jose.JSONWebKeySet
	broken  bool
	fetches int
}

func newIssuer(t *testing.T, kids ...string) *issuer {
	i := &issuer{t: t, private: map[string]any{}}
	for _, kid := range kids {
		i.add(kid)
	}
	return i
}

func (i *issuer) add(kid string) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		i.t.Fatal(err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.private[kid] = private
	i.public.Keys = append(i.public.Keys, jose.JSONWebKey{KeyID: kid, Key: public, Algorithm: "EdDSA", Use: "sig"})
}

func (i *issuer) set(edit func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	edit()
}

// RoundTrip answers a request for the keys.
func (i *issuer) RoundTrip(*http.Request) (*http.Response, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.fetches++
	if i.broken {
		return nil, errors.New("no route to the issuer")
	}
	w := httptest.NewRecorder()
	_ = json.NewEncoder(w).Encode(i.public)
	return w.Result(), nil
}

func (i *issuer) sign(kid string, alg jose.SignatureAlgorithm, key any, claims map[string]any) string {
	i.t.Helper()
	return i.signAs((&jose.SignerOptions{}).WithHeader("kid", kid), alg, key, claims)
}

func (i *issuer) signAs(header *jose.SignerOptions, alg jose.SignatureAlgorithm, key any, claims map[string]any) string {
	i.t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, header)
	if err != nil {
		i.t.Fatal(err)
	}
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		i.t.Fatal(err)
	}
	return token
}

func (i *issuer) token(edit func(map[string]any)) string {
	i.t.Helper()
	claims := map[string]any{"iss": "https://id.example", "aud": []string{"other", "agui"}, "sub": "ann", "exp": time.Now().Add(time.Hour).Unix()}
	if edit != nil {
		edit(claims)
	}
	return i.sign("k1", jose.EdDSA, i.private["k1"], claims)
}

var jwtOptions = JWTOptions{KeySet: "https://id.example/keys", Issuer: "https://id.example", Audience: "agui"}

func newTestJWT(t *testing.T, i *issuer, opts JWTOptions) *JWT {
	t.Helper()
	j, err := NewJWT(opts)
	if err != nil {
		t.Fatal(err)
	}
	j.keys.client.Transport = i
	return j
}

func TestJWT(t *testing.T) {
	i := newIssuer(t, "k1")
	j := newTestJWT(t, i, jwtOptions)
	id, err := j.Authenticate(t.Context(), Credential{Bearer: i.token(nil)})
	if err != nil || id.User != "ann" || id.Tenant != "default" || id.Namespace != "default/user/ann" || id.Scopes != nil {
		t.Fatalf("got %+v, %v", id, err)
	}
	if left := time.Until(id.Expires); left < time.Hour || left > time.Hour+31*time.Second {
		t.Errorf("expires in %v", left)
	}

	opts := jwtOptions
	opts.UserClaim, opts.TenantClaim, opts.NamespaceClaim, opts.ScopeClaim, opts.ScopePrefix = "email", "org.id", "https://x.example/team", "realm.roles", "agui:"
	rich := newTestJWT(t, i, opts)
	token := i.token(func(c map[string]any) {
		c["email"], c["org"], c["https://x.example/team"] = "ann@example", map[string]any{"id": "acme"}, "blue"
		c["realm"] = map[string]any{"roles": []string{"agui:read", "admin", "agui:approver"}}
	})
	id, err = rich.Authenticate(t.Context(), Credential{Bearer: token})
	if err != nil || id.User != "ann@example" || id.Tenant != "acme" || id.Namespace != "acme/shared/blue" || !slices.Equal(id.Scopes, []string{"read", "approver"}) {
		t.Errorf("got %+v, %v", id, err)
	}
	if _, err := rich.Authenticate(t.Context(), Credential{Bearer: i.token(nil)}); !errors.Is(err, ErrUnauthenticated) {
		t.Errorf("claims that are missing: %v", err)
	}
	for claimed, want := range map[any][]string{"openid read": {"openid", "read"}, "": {}} {
		id, err := j.Authenticate(t.Context(), Credential{Bearer: i.token(func(c map[string]any) { c["scope"] = claimed })})
		if err != nil || id.Scopes == nil || !slices.Equal(id.Scopes, want) {
			t.Errorf("scope %q: got %+v, %v", claimed, id, err)
		}
	}
}

func TestJWTsAreRefused(t *testing.T) {
	i := newIssuer(t, "k1")
	j := newTestJWT(t, i, jwtOptions)
	_, stranger, _ := ed25519.GenerateKey(rand.Reader)
	curve, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i.set(func() {
		i.public.Keys = append(i.public.Keys, jose.JSONWebKey{KeyID: "p384", Key: curve.Public()})
	})
	bits, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i.set(func() {
		i.public.Keys = append(i.public.Keys, jose.JSONWebKey{KeyID: "rsa", Key: bits.Public(), Algorithm: "RS256"})
	})
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	claims := map[string]any{"iss": "https://id.example", "aud": "agui", "sub": "ann", "exp": time.Now().Add(time.Hour).Unix()}
	good := i.token(nil)
	for name, c := range map[string]struct {
		token  string
		reason Reason
	}{
		"no token":                   {"", ReasonMissing},
		"no JWT":                     {"a.b.c", ReasonMalformed},
		"changed":                    {good[:len(good)-4] + "AAAA", ReasonSignature},
		"unsigned":                   {"eyJhbGciOiJub25lIiwia2lkIjoiazEifQ." + strings.Split(good, ".")[1] + ".", ReasonAlgorithm},
		"key of a stranger":          {i.sign("k1", jose.EdDSA, stranger, claims), ReasonSignature},
		"algorithm of another key":   {i.sign("rsa", jose.PS256, bits, claims), ReasonUnknownKey},
		"algorithm of another curve": {i.sign("p384", jose.ES256, other, claims), ReasonUnknownKey},
		"unknown key":                {i.sign("k9", jose.EdDSA, i.private["k1"], claims), ReasonUnknownKey},
		"shared secret":              {i.sign("k1", jose.HS256, []byte(i.private["k1"].(ed25519.PrivateKey).Public().(ed25519.PublicKey)), claims), ReasonAlgorithm},
		"issuer":                     {i.token(func(c map[string]any) { c["iss"] = "https://id.example/" }), ReasonIssuer},
		"no issuer":                  {i.token(func(c map[string]any) { delete(c, "iss") }), ReasonIssuer},
		"audience":                   {i.token(func(c map[string]any) { c["aud"] = "other" }), ReasonAudience},
		"no audience":                {i.token(func(c map[string]any) { delete(c, "aud") }), ReasonAudience},
		"expired":                    {i.token(func(c map[string]any) { c["exp"] = time.Now().Add(-time.Minute).Unix() }), ReasonExpired},
		"no expiry":                  {i.token(func(c map[string]any) { delete(c, "exp") }), ReasonExpired},
		"not yet":                    {i.token(func(c map[string]any) { c["nbf"] = time.Now().Add(time.Minute).Unix() }), ReasonNotYet},
		"nobody":                     {i.token(func(c map[string]any) { delete(c, "sub") }), ReasonClaim},
		"not a name":                 {i.token(func(c map[string]any) { c["sub"] = 7 }), ReasonClaim},
		"strange scopes":             {i.token(func(c map[string]any) { c["scope"] = map[string]any{} }), ReasonClaim},
	} {
		id, err := j.Authenticate(t.Context(), Credential{Bearer: c.token})
		var why *RefusedError
		if !errors.Is(err, ErrUnauthenticated) || !errors.As(err, &why) || why.Reason != c.reason || why.Detail == "" {
			t.Errorf("%s: %+v, %v, not %s", name, id, err, c.reason)
		}
		if c.token != "" && strings.Contains(err.Error(), c.token) {
			t.Errorf("%s: the error holds the token", name)
		}
	}
	for name, token := range map[string]string{
		"just expired":    i.token(func(c map[string]any) { c["exp"] = time.Now().Add(-10 * time.Second).Unix() }),
		"almost begun":    i.token(func(c map[string]any) { c["nbf"] = time.Now().Add(10 * time.Second).Unix() }),
		"one audience":    i.token(func(c map[string]any) { c["aud"] = "agui" }),
		"its curve's":     i.sign("p384", jose.ES384, curve, claims),
		"without its key": i.sign("", jose.EdDSA, i.private["k1"], claims),
	} {
		if _, err := j.Authenticate(t.Context(), Credential{Bearer: token}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What the issuer signs for another end, with the same key, is no credential.
func TestTypeOfJWT(t *testing.T) {
	i := newIssuer(t, "k1")
	j := newTestJWT(t, i, jwtOptions)
	claims := map[string]any{"iss": "https://id.example", "aud": "agui", "sub": "ann", "exp": time.Now().Add(time.Hour).Unix()}
	for typ, good := range map[any]bool{
		"JWT": true, "jwt": true, "at+jwt": true, "AT+JWT": true, "application/at+jwt": true, "application/jwt": true, "Application/JWT": true,
		"": false, "logout+jwt": false, "dpop+jwt": false, "secevent+jwt": false, "id+jwt": false, "JWT ": false, "application/application/jwt": false, "JOSE": false,
		7: false, true: false,
	} {
		token := i.signAs((&jose.SignerOptions{}).WithHeader("kid", "k1").WithHeader("typ", typ), jose.EdDSA, i.private["k1"], claims)
		if _, err := j.Authenticate(t.Context(), Credential{Bearer: token}); (err == nil) != good || err != nil && !errors.Is(err, ErrUnauthenticated) {
			t.Errorf("typ %#v: %v", typ, err)
		}
	}
}

// A token that names no key is tried with few keys, those that can be it, and one that
// is too long is not looked at.
func TestCostOfJWT(t *testing.T) {
	i := newIssuer(t, "k1", "k2", "k3", "k4")
	for n := range 90 {
		curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		i.private["ec"] = curve
		i.public.Keys = append(i.public.Keys, jose.JSONWebKey{KeyID: "ec" + string(rune('0'+n)), Key: curve.Public()})
	}
	var log bytes.Buffer
	opts := jwtOptions
	opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
	j := newTestJWT(t, i, opts)
	claims := map[string]any{"iss": "https://id.example", "aud": "agui", "sub": "ann", "exp": time.Now().Add(time.Hour).Unix()}
	if _, err := j.Authenticate(t.Context(), Credential{Bearer: i.sign("", jose.EdDSA, i.private["k4"], claims)}); err != nil {
		t.Errorf("the last of four keys that fit: %v", err)
	}
	if log.Len() > 0 {
		t.Errorf("the log has %s", log.String())
	}
	for range 3 {
		if _, err := j.Authenticate(t.Context(), Credential{Bearer: i.sign("", jose.ES256, i.private["ec"], claims)}); !errors.Is(err, ErrUnauthenticated) {
			t.Errorf("one of ninety keys that fit: %v", err)
		}
	}
	if said := log.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "keys=90") {
		t.Errorf("the log has %q", said)
	}
	claims["sub"] = strings.Repeat("a", maxTokenBytes)
	if _, err := j.Authenticate(t.Context(), Credential{Bearer: i.sign("k1", jose.EdDSA, i.private["k1"], claims)}); !errors.Is(err, ErrUnauthenticated) {
		t.Errorf("a token that is too long: %v", err)
	}
}

// Tokens that name unknown keys, however many at once, make the issuer be asked once.
func TestUnknownKeysAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newIssuer(t, "k1")
		j := newTestJWT(t, i, jwtOptions)
		claims := map[string]any{"iss": "https://id.example", "aud": "agui", "sub": "ann", "exp": time.Now().Add(time.Hour).Unix()}
		var asked sync.WaitGroup
		for n := range 100 {
			token := i.sign("unknown "+string(rune('0'+n)), jose.EdDSA, i.private["k1"], claims)
			asked.Go(func() {
				if _, err := j.Authenticate(t.Context(), Credential{Bearer: token}); !errors.Is(err, ErrUnauthenticated) {
					t.Errorf("got %v", err)
				}
			})
		}
		asked.Wait()
		if i.fetches != 1 {
			t.Errorf("the issuer was asked %d times", i.fetches)
		}
	})
}

func TestJWTOptionsAreChecked(t *testing.T) {
	for name, edit := range map[string]func(*JWTOptions){
		"no issuer":   func(o *JWTOptions) { o.Issuer = "" },
		"no audience": func(o *JWTOptions) { o.Audience = "" },
		"no URL":      func(o *JWTOptions) { o.KeySet = "" },
		"plain http":  func(o *JWTOptions) { o.KeySet = "http://id.example/keys" },
		"password":    func(o *JWTOptions) { o.KeySet = "https://a:b@id.example/keys" },
		"leeway":      func(o *JWTOptions) { o.Leeway = time.Hour },
	} {
		opts := jwtOptions
		edit(&opts)
		if _, err := NewJWT(opts); err == nil {
			t.Errorf("%s: passes", name)
		}
	}
}

// Keys are fetched rarely, changed ones are found, and an issuer that does not
// answer takes nobody's access away who has it.
func TestKeysAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newIssuer(t, "k1", "k2")
		j := newTestJWT(t, i, jwtOptions)
		check := func(what string, kid string, want error, fetches int) {
			t.Helper()
			claims := map[string]any{"iss": "https://id.example", "aud": "agui", "sub": "ann", "exp": time.Now().Add(time.Hour).Unix()}
			_, err := j.Authenticate(t.Context(), Credential{Bearer: i.sign(kid, jose.EdDSA, i.private["k1"], claims)})
			if !errors.Is(err, want) && (want != errAny || err == nil || errors.Is(err, ErrUnauthenticated)) {
				t.Errorf("%s: %v", what, err)
			}
			if i.fetches != fetches {
				t.Errorf("%s: %d fetches, want %d", what, i.fetches, fetches)
			}
		}
		i.broken = true
		check("no keys at all", "k1", errAny, 1)
		check("asked again at once", "k1", errAny, 1)
		i.broken = false
		time.Sleep(keysPause)
		check("the issuer is back", "k1", nil, 2)
		for range 10 {
			check("known", "k1", nil, 2)
			check("unknown, too soon", "k9", ErrUnauthenticated, 2)
		}
		time.Sleep(keysPause)
		check("unknown", "k9", ErrUnauthenticated, 3)
		i.private["k3"] = i.private["k1"]
		i.public.Keys = append(i.public.Keys, jose.JSONWebKey{KeyID: "k3", Key: i.private["k1"].(ed25519.PrivateKey).Public()})
		time.Sleep(keysPause)
		check("a new one", "k3", nil, 4)
		time.Sleep(keysFor + time.Second)
		check("old keys are looked at again", "k1", nil, 5)
		i.broken = true
		time.Sleep(keysFor + time.Second)
		check("old keys are good enough", "k1", nil, 6)
		check("unknown to the old keys", "k9", errAny, 6)
		time.Sleep(keysPause)
		check("unknown, and nobody to ask", "k9", errAny, 7)
		time.Sleep(keysMost)
		check("too old", "k1", errAny, 8)
	})
}

// errAny stands for any error that is not the credential's fault.
var errAny = errors.New("any")

func TestKeySetAnswers(t *testing.T) {
	body, status := "", http.StatusOK
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	defer s.Close()
	opts := jwtOptions
	opts.KeySet = s.URL
	j, err := NewJWT(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer j.keys.client.CloseIdleConnections()
	const good = `{"kty":"OKP","crv":"Ed25519","kid":"k","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`
	const private = `{"kty":"OKP","crv":"Ed25519","kid":"k","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"}`
	for name, c := range map[string]struct {
		status int
		body   string
		ok     bool
	}{
		"good":             {200, `{"keys":[` + good + `]}`, true},
		"among others":     {200, `{"keys":[{"kty":"new"},{"kty":"oct","k":"c2VjcmV0"},` + good + `]}`, true},
		"not found":        {404, `{"keys":[` + good + `]}`, false},
		"moved":            {302, `{"keys":[` + good + `]}`, false},
		"no JSON":          {200, `<html>`, false},
		"empty":            {200, `{"keys":[]}`, false},
		"a secret":         {200, `{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}`, false},
		"a private key":    {200, `{"keys":[` + private + `]}`, false},
		"for encryption":   {200, `{"keys":[` + strings.Replace(good, `"kid"`, `"use":"enc","kid"`, 1) + `]}`, false},
		"larger than life": {200, `{"keys":[` + good + `]}` + strings.Repeat(" ", maxKeysBytes), false},
	} {
		body, status = c.body, c.status
		if err := j.Check(t.Context()); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
