package server

import (
	"context"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/server/identity"
)

type countedAuth struct{ asked atomic.Int64 }

func (a *countedAuth) Authenticate(context.Context, identity.Credential) (identity.Identity, error) {
	a.asked.Add(1)
	return identity.Identity{}, identity.ErrUnauthenticated
}

// Bad credentials count against the address that sends them, and those that are too many
// are not looked at.
func TestGuessingIsLimited(t *testing.T) {
	var auth countedAuth
	ts := newTestServer(t, newFake(), &Options{Auth: &auth, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		RequestsPerAddress: 0.01, RequestBurst: 3})
	for i, want := range []int{401, 401, 401, 429, 429} {
		path := []string{"/agui/capabilities", "/agui/ws"}[i%2]
		if status, _, body := ts.get(path, behind("192.0.2.1", "Authorization", "Bearer guess"), ""); status != want {
			t.Errorf("guess %d at %s: %d %v, want %d", i+1, path, status, body, want)
		}
	}
	if n := auth.asked.Load(); n != 3 {
		t.Errorf("the authenticator was asked %d times", n)
	}
}
