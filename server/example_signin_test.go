package server_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/login"
	"github.com/aguiws/aguiws/server/signin"
	"github.com/aguiws/aguiws/web"
)

// signingIn is a server whose users sign in to its page. Programs send tokens of the same
// issuer. keys is what "openssl rand -base64 32" has made.
func signingIn(runs *runner.Runner, secret, keys string) (*server.Server, error) {
	issuer := "https://id.example.com/realms/acme"
	tokens, err := identity.NewJWT(identity.JWTOptions{
		Issuer: issuer, KeySet: issuer + "/protocol/openid-connect/certs", Audience: "aguiws",
	})
	if err != nil {
		return nil, err
	}
	sealer, err := login.ParseKeys(keys)
	if err != nil {
		return nil, err
	}
	people, err := signin.New(signin.Options{
		Issuer: issuer, ClientID: "aguiws-page", ClientSecret: secret,
		PublicURL: "https://chat.example.com", Sealer: sealer,
		Claims: identity.JWTOptions{ScopeClaim: "realm_access.roles"}, // whose role approver approves
	})
	if err != nil {
		return nil, err
	}
	return server.New(runs, &server.Options{
		Auth: tokens, SignIn: people, Hosts: []string{"chat.example.com"},
		Fallback: web.HandlerFor(web.Options{SignIn: true}),
	})
}

// People sign in at a provider of OpenID Connect: anybody gets the page, and nobody gets
// threads before that.
func Example_signIn() {
	store, err := redisstore.Embedded(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	runs, err := runner.New(store, &runner.Options{Agents: map[string]adapter.Agent{
		"": adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error { return run.Say("Hello.") }),
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer runs.Shutdown(context.Background())
	srv, err := signingIn(runs, "secret", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
	if err != nil {
		log.Fatal(err)
	}
	for _, path := range []string{"/", "/v1/inbox"} {
		answer := httptest.NewRecorder()
		srv.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "https://chat.example.com"+path, nil))
		fmt.Println(path, answer.Code)
	}

	// Output:
	// / 200
	// /v1/inbox 401
}
