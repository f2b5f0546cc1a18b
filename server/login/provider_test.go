package login

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestProvidersThatCannotWork(t *testing.T) {
	good := Provider{Name: "git", Issuer: "https://git.example", ClientID: "x"}
	for want, change := range map[string]func(*Provider){
		"":                    func(*Provider) {},
		"name is":             func(p *Provider) { p.Name = "Git Hub" },
		"client-id":           func(p *Provider) { p.ClientID = "" },
		"needs an issuer, or": func(p *Provider) { p.Issuer = "" },
		"one needs the other": func(p *Provider) { p.TokenURL = "https://git.example/token" },
		"https://":            func(p *Provider) { p.Issuer = "http://git.example" },
		"cannot be read":      func(p *Provider) { p.Issuer = "git.example" },
		"no user, password":   func(p *Provider) { p.Issuer = "https://SECRET:x@git.example" },
		"client-auth is":      func(p *Provider) { p.ClientAuth = "none" },
		"state is not for":    func(p *Provider) { p.Params = map[string]string{"state": "x"} },
	} {
		p := good
		change(&p)
		err := p.Check()
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "SECRET")) {
			t.Errorf("%q: %v", want, err)
		}
	}
	p := good
	p.Issuer = "http://127.0.0.1:9"
	if err := p.Check(); err != nil {
		t.Errorf("this machine may do without TLS: %v", err)
	}
}

// Addresses that are configured are connected to, and asked nothing.
func TestReachOfAddresses(t *testing.T) {
	asked := atomic.Int64{}
	count := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	there, untrusted, gone := httptest.NewServer(count), httptest.NewUnstartedServer(count), httptest.NewServer(count)
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	defer there.Close()
	defer untrusted.Close()
	gone.Close()
	for _, test := range []struct{ authorize, token, says string }{
		{there.URL, there.URL, ""},
		{there.URL, gone.URL, "token-url: no connection to " + gone.Listener.Addr().String()},
		{gone.URL, there.URL, "authorize-url: no connection to " + gone.Listener.Addr().String()},
		{untrusted.URL, there.URL, "certificate"},
	} {
		s := &Service{providers: map[string]*client{"git": newClient(Provider{Name: "git", AuthorizeURL: test.authorize + "/a", TokenURL: test.token + "/t", ClientID: "x"})}}
		at, err := s.Reach(t.Context(), "git")
		if at != test.authorize+"/a" || (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%q and %v, want %q", at, err, test.says)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// Metadata is believed of the issuer that is configured alone, and leads to no address
// that a configuration could not name.
func TestMetadata(t *testing.T) {
	var document string
	at := "/.well-known/openid-configuration"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != at {
			http.NotFound(w, r)
			return
		}
		if document == "redirect" {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
			return
		}
		fmt.Fprint(w, strings.ReplaceAll(document, "ISSUER", "http://"+r.Host))
	}))
	defer s.Close()
	for _, tt := range []struct{ at, document, fails string }{
		{at, `{"issuer":"ISSUER","authorization_endpoint":"ISSUER/a","token_endpoint":"ISSUER/t"}`, ""},
		{"/.well-known/oauth-authorization-server", `{"issuer":"ISSUER","authorization_endpoint":"ISSUER/a","token_endpoint":"ISSUER/t"}`, ""},
		{at, `{"issuer":"https://evil.example","authorization_endpoint":"ISSUER/a","token_endpoint":"ISSUER/t"}`, "is configured"},
		{at, `{"issuer":"ISSUER","authorization_endpoint":"ISSUER/a","token_endpoint":"http://169.254.169.254/t"}`, "https://"},
		{at, `{"issuer":"ISSUER"}`, "cannot be read"},
		{at, `<html>`, "no metadata"},
		{at, "redirect", "redirect"},
		{"/never", "", "404"},
	} {
		at, document = tt.at, tt.document
		_, err := newClient(Provider{Issuer: s.URL}).endpoint(within(t))
		if (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
			t.Errorf("%s: %v", tt.document, err)
		}
	}
}

// Where tokens are revoked its metadata say, unless the configuration does; people log in
// though that is no address that it could name.
func TestMetadataOfRevocation(t *testing.T) {
	for said, want := range map[string]string{"ISSUER/r": "ISSUER/r", "": "", "http://169.254.169.254/r": "", "configured": "https://git.example/r"} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, strings.ReplaceAll(`{"issuer":"ISSUER","authorization_endpoint":"ISSUER/a","token_endpoint":"ISSUER/t","revocation_endpoint":"`+said+`"}`, "ISSUER", "http://"+r.Host))
		}))
		defer s.Close()
		p := Provider{Issuer: s.URL}
		if said == "configured" {
			p.RevokeURL = want
		}
		if at, err := newClient(p).endpoint(within(t)); err != nil || at.Revoke != strings.ReplaceAll(want, "ISSUER", s.URL) {
			t.Errorf("%s: %q, %v", said, at.Revoke, err)
		}
	}
}

// Whoever says its issuer has to be the configured one.
func TestIss(t *testing.T) {
	const git = "https://git.example"
	for name, tt := range map[string]struct {
		p        Provider
		promises bool
		said     []string
		good     bool
	}{
		"it is":                       {p: Provider{Issuer: git}, said: []string{git}, good: true},
		"another":                     {p: Provider{Issuer: git}, said: []string{"https://evil.example"}},
		"twice":                       {p: Provider{Issuer: git}, said: []string{git, "https://evil.example"}},
		"empty":                       {p: Provider{Issuer: git}, said: []string{""}},
		"none is said":                {p: Provider{Issuer: git}, good: true},
		"none, though it is promised": {p: Provider{Issuer: git}, promises: true},
		"none, though it is required": {p: Provider{Issuer: git, RequireIss: true}},
		"none is configured":          {said: []string{git}},
		"neither":                     {good: true},
	} {
		said := url.Values{}
		if tt.said != nil {
			said["iss"] = tt.said
		}
		if good := newClient(tt.p).checkIss(Endpoints{PromisesIss: tt.promises}, said); good != tt.good {
			t.Errorf("%s: %t", name, good)
		}
	}
}

// A provider of another machine leads nobody to this one.
func TestMetadataOfAnotherMachine(t *testing.T) {
	for issuer, leads := range map[string]map[string]bool{
		"https://git.example": {"https://git.example/t": true, "https://tokens.example": true, "http://git.example/t": false, "http://127.0.0.1/t": false, "https://127.0.0.1/t": false,
			"http://localhost:6379/t": false, "https://localhost/t": false, "http://[::1]/t": false, "https://[::1]/t": false},
		"http://127.0.0.1:9": {"http://127.0.0.1:9/t": true, "https://git.example/t": true, "http://git.example/t": false},
	} {
		for address, may := range leads {
			if err := newClient(Provider{Issuer: issuer}).mayLead(address); (err == nil) != may {
				t.Errorf("%s leads to %s: %v", issuer, address, err)
			}
		}
	}
}

// metadataOf answers as git.example does with its metadata; nil: as one that is down.
func metadataOf(up func() bool, asked *atomic.Int32) answers {
	return func(r *http.Request) (*http.Response, error) {
		asked.Add(1)
		if !up() {
			return nil, errors.New("down")
		}
		return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(`{"issuer":"https://git.example","authorization_endpoint":"https://git.example/a","token_endpoint":"https://git.example/t"}`))}, nil
	}
}

// A provider that is down is not asked by everybody, and what it said before stays good.
func TestMetadataWhileTheProviderIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, up, asked := newClient(Provider{Issuer: "https://git.example"}), false, new(atomic.Int32)
		c.http.Transport = metadataOf(func() bool { return up }, asked)
		want := func(step string, good bool, times int32) {
			t.Helper()
			at, err := c.endpoint(t.Context())
			if (err == nil) != good || good && at.Token != "https://git.example/t" || asked.Load() != times {
				t.Errorf("%s: %+v, %v, asked %d times", step, at, err, asked.Load())
			}
		}
		want("down", false, 2) // at both addresses
		want("at once again", false, 2)
		time.Sleep(askAgain)
		up = true
		want("up", true, 3)
		up = false
		want("known", true, 3)
		time.Sleep(discoveredFor)
		want("down an hour later", true, 5)
		want("at once again", true, 5)
		time.Sleep(askAgain)
		up = true
		want("up again", true, 6)
	})
}

// One request is for all who wait, and who has waited enough leaves.
func TestMetadataIsReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, answer, asked := newClient(Provider{Issuer: "https://git.example"}), make(chan struct{}), new(atomic.Int32)
		c.http.Transport = metadataOf(func() bool { <-answer; return true }, asked)
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan error)
		go func() {
			_, err := c.endpoint(ctx)
			left <- err
		}()
		synctest.Wait()
		var group sync.WaitGroup
		for range 100 {
			group.Go(func() {
				if _, err := c.endpoint(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("who leaves is told %v", err)
		}
		close(answer)
		group.Wait()
		if n := asked.Load(); n != 1 {
			t.Errorf("it is asked %d times", n)
		}
	})
}
