package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const annsToken = "0123456789abcdef-ann"

func TestTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		digest := sha256.Sum256([]byte("0123456789abcdef-cid"))
		tokens, err := NewTokens([]Token{
			{Token: annsToken, User: "ann", Tenant: "acme"},
			{Token: "0123456789abcdef-bob", User: "bob", Namespace: "team", Scopes: []string{ScopeRead}, Expires: time.Now().Add(time.Hour)},
			{SHA256: hex.EncodeToString(digest[:]), User: "cid"},
		})
		if err != nil {
			t.Fatal(err)
		}
		who := func(token string) (Identity, error) {
			return tokens.Authenticate(t.Context(), Credential{Bearer: token})
		}
		ann, err := who(annsToken)
		if err != nil || ann.User != "ann" || ann.Tenant != "acme" || ann.Namespace != "acme/user/ann" || ann.Scopes != nil || !ann.Expires.IsZero() {
			t.Errorf("got %+v, %v", ann, err)
		}
		bob, err := who("0123456789abcdef-bob")
		if err != nil || bob.Namespace != "default/shared/team" || !slices.Equal(bob.Scopes, []string{"read"}) || bob.Expires.IsZero() {
			t.Errorf("got %+v, %v", bob, err)
		}
		if cid, err := who("0123456789abcdef-cid"); err != nil || cid.User != "cid" {
			t.Errorf("got %+v, %v", cid, err)
		}
		for _, token := range []string{"", annsToken + " ", annsToken[:len(annsToken)-1], "0123456789abcdef-eve", hex.EncodeToString(digest[:])} {
			if id, err := who(token); !errors.Is(err, ErrUnauthenticated) {
				t.Errorf("%q is %+v, %v", token, id, err)
			}
		}
		time.Sleep(time.Hour)
		if id, err := who("0123456789abcdef-bob"); !errors.Is(err, ErrUnauthenticated) {
			t.Errorf("an expired token is %+v, %v", id, err)
		}
	})
}

// An empty list is nobody's only when it takes the place of another.
func TestAllTokensAreRevoked(t *testing.T) {
	tokens, err := NewTokens([]Token{{Token: annsToken, User: "ann"}})
	if err != nil {
		t.Fatal(err)
	}
	ann, err := tokens.Authenticate(t.Context(), Credential{Bearer: annsToken})
	if err != nil {
		t.Fatal(err)
	}
	if err := tokens.Replace(nil); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ann.Revoked:
	default:
		t.Error("the token is not revoked")
	}
	if id, err := tokens.Authenticate(t.Context(), Credential{Bearer: annsToken}); !errors.Is(err, ErrUnauthenticated) {
		t.Errorf("%+v, %v", id, err)
	}
}

func TestNamespacesCannotCollide(t *testing.T) {
	seen := map[string]int{}
	for i, id := range []Identity{
		identityOf("a", "b", "", nil), identityOf("a", "x", "b", nil), identityOf("a/user", "b", "", nil), identityOf("a", "user/b", "", nil),
		identityOf("", "b", "", nil), identityOf("a%2Fuser", "b", "", nil), identityOf("a", "x", "user/b", nil),
	} {
		if other, again := seen[id.Namespace]; again {
			t.Errorf("%d and %d share %q", i, other, id.Namespace)
		}
		seen[id.Namespace] = i
	}
	if a, b := identityOf("t", "ann", "team", nil), identityOf("t", "bob", "team", nil); a.Namespace != b.Namespace {
		t.Error("a shared namespace is not shared")
	}
}

// A namespace by its name lies in the tenant whose credentials make such names, and one of
// another form may lie in any.
func TestNamespacesOfATenant(t *testing.T) {
	for _, tenant := range []string{"a", "b", "a/user", ""} {
		for _, shared := range []string{"", "team", "a/b"} {
			id := identityOf(tenant, "ann", shared, nil)
			for _, other := range []string{"a", "b", "a/user", "default"} {
				if InTenant(id.Namespace, other) != (other == id.Tenant) {
					t.Errorf("%q in %q: %t", id.Namespace, other, InTenant(id.Namespace, other))
				}
			}
		}
	}
	for _, namespace := range []string{"", "local", "a/room", "room/1/2", "b/user"} {
		if !InTenant(namespace, "a") {
			t.Errorf("%q is not in a", namespace)
		}
	}
}

func TestTokensAreRefused(t *testing.T) {
	for name, list := range map[string][]Token{
		"none":           nil,
		"nobody":         {{Token: annsToken}},
		"neither":        {{User: "ann"}},
		"both":           {{User: "ann", Token: annsToken, SHA256: strings.Repeat("0", 64)}},
		"weak":           {{User: "ann", Token: "short"}},
		"space":          {{User: "ann", Token: annsToken + "\n"}},
		"digest":         {{User: "ann", SHA256: "0123"}},
		"listed already": {{User: "ann", Token: annsToken}, {User: "bob", Token: annsToken}},
	} {
		if _, err := NewTokens(list); err == nil || strings.Contains(err.Error(), annsToken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An agent's Run.User is taken apart again, whatever stands in the names.
func TestOfName(t *testing.T) {
	for _, of := range [][2]string{{"shop", "ann"}, {"a/b", "ann@example.com/%2F"}, {"", "ann"}, {"shop", "ä b"}} {
		if tenant, user, ok := OfName(NameOf(of[0], of[1])); !ok || tenant != of[0] || user != of[1] {
			t.Errorf("%q: %q %q %v", of, tenant, user, ok)
		}
	}
	for _, name := range []string{"", "ann", "a/b/c", "shop/%zz", "shop/%61nn"} {
		if tenant, user, ok := OfName(name); ok {
			t.Errorf("%q is taken for %q of %q", name, user, tenant)
		}
	}
}
