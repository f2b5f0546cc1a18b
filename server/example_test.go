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
)

// signedIn takes its users from cookies of a site that has signed them in.
type signedIn map[string]string

func (sessions signedIn) Authenticate(_ context.Context, c identity.Credential) (identity.Identity, error) {
	cookie, err := c.Request.Cookie("session")
	if err != nil || c.Bearer != "" { // a token decides where there is one, and this site has given none out
		return identity.Identity{}, identity.ErrUnauthenticated
	}
	user, known := sessions[cookie.Value]
	if !known {
		return identity.Identity{}, identity.ErrUnauthenticated
	}
	return identity.Identity{Namespace: identity.OwnNamespace("shop", user), Tenant: "shop", User: user}, nil
}

// The handler as a part of a site of one's own, which has signed its users in.
func Example() {
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
	srv, err := server.New(runs, &server.Options{
		Auth:     signedIn{"f00d": "ann"},
		Origins:  []string{"https://shop.example"},
		Fallback: http.NotFoundHandler(), // the rest of the site
	})
	if err != nil {
		log.Fatal(err)
	}
	site := httptest.NewServer(srv.Handler()) // or srv.Listen and srv.Serve, which have limits for a public address
	defer site.Close()

	for _, session := range []string{"f00d", "cafe"} {
		r, err := http.NewRequest(http.MethodGet, site.URL+"/agui/capabilities", nil)
		if err != nil {
			log.Fatal(err)
		}
		r.AddCookie(&http.Cookie{Name: "session", Value: session})
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			log.Fatal(err)
		}
		resp.Body.Close()
		fmt.Println(session, resp.StatusCode)
	}

	// Output:
	// f00d 200
	// cafe 401
}
