package server

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	agui "github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/ws"
)

// byToken authenticates by bearer token or by the cookie "session", both being
// keys of the map.
type byToken map[string]identity.Identity

func (m byToken) Authenticate(_ context.Context, c identity.Credential) (identity.Identity, error) {
	token := c.Bearer
	if token == "" {
		if cookie, err := c.Request.Cookie("session"); err == nil {
			token = cookie.Value
		}
	}
	switch token {
	case "down":
		return identity.Identity{}, errors.New("the directory does not answer")
	case "foreign":
		return identity.Identity{}, identity.ErrForbidden
	}
	if id, ok := m[token]; ok {
		return id, nil
	}
	return identity.Identity{}, identity.ErrUnauthenticated
}

const annsToken = "0123456789abcdef-ann"

func newTokens(t *testing.T, list []identity.Token) *identity.Tokens {
	t.Helper()
	tokens, err := identity.NewTokens(list)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

// A token that is taken out of the list, or stands for somebody else by now,
// closes its sockets; one that stays does not.
func TestReplacedTokens(t *testing.T) {
	list := []identity.Token{{Token: annsToken, User: "ann"}, {Token: "0123456789abcdef-bob", User: "bob"}, {Token: "0123456789abcdef-cid", User: "cid"}}
	tokens := newTokens(t, list)
	ts := newTestServer(t, newFake(), &Options{Auth: tokens})
	open := func(token string) *client {
		c := ts.connect("/agui/ws", bearer(token, ws.Subprotocol))
		c.expect("ws.hello")
		return c
	}
	ann, bob, cid := open(annsToken), open("0123456789abcdef-bob"), open("0123456789abcdef-cid")
	list[1].User = "eve"
	if err := tokens.Replace(list[:2]); err != nil {
		t.Fatal(err)
	}
	bob.closed(peer.StatusExpired)
	cid.closed(peer.StatusExpired)
	ann.send(`{"type":"ws.ping"}`)
	ann.expect("ws.pong")
	if _, err := agui.Open(t.Context(), ts.http.URL+"/agui/ws", bearer("0123456789abcdef-cid")); err == nil {
		t.Error("a revoked token is let in")
	}
	open("0123456789abcdef-bob") // as eve
	if err := tokens.Replace(nil); err != nil {
		t.Fatal(err)
	}
	ann.closed(peer.StatusExpired)
}

// A socket ends with its token.
func TestJWTExpiryClosesTheSocket(t *testing.T) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{KeyID: "k", Key: public}}})
	}))
	defer issuer.Close()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: jose.JSONWebKey{KeyID: "k", Key: private}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	token := func(expires time.Duration) string {
		t.Helper()
		claims := map[string]any{"iss": issuer.URL, "aud": "agui", "sub": "ann", "exp": time.Now().Add(expires).Unix()}
		token, err := jwt.Signed(signer).Claims(claims).Serialize()
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	auth, err := identity.NewJWT(identity.JWTOptions{KeySet: issuer.URL, Issuer: issuer.URL, Audience: "agui"})
	if err != nil {
		t.Fatal(err)
	}
	// No network reaches into the bubble, so the keys are fetched before.
	if _, err := auth.Authenticate(t.Context(), identity.Credential{Bearer: token(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		_, c, _ := bubble(t, newFake(), &Options{Auth: auth}, ws.Subprotocol, bearerOffer(token(-28*time.Second))) // the leeway is left
		c.closed(peer.StatusExpired)
	})
}
