package login

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// A provider is told what its user deletes, as RFC 7009 has it, and the token is gone here
// whatever it answers.
func TestDeletedTokensAreRevoked(t *testing.T) {
	for name, tt := range map[string]struct {
		p       Provider
		refresh string
		status  int
		want    string // what the provider is told; "": nothing
		basic   bool
		event   string
	}{
		"by its refresh token": {p: Provider{ClientSecret: "SECRET-4711-c?"}, refresh: "SECRET-4711-r", want: "token=SECRET-4711-r&token_type_hint=refresh_token", basic: true, event: EventRevoked},
		"by its access token":  {p: Provider{ClientSecret: "SECRET-4711-c?"}, want: "token=SECRET-4711-a&token_type_hint=access_token", basic: true, event: EventRevoked},
		"the secret by post":   {p: Provider{ClientSecret: "SECRET-4711-c?", ClientAuth: "post"}, want: "client_id=x&client_secret=SECRET-4711-c%3F&token=SECRET-4711-a&token_type_hint=access_token", event: EventRevoked},
		"a public client":      {want: "client_id=x&token=SECRET-4711-a&token_type_hint=access_token", event: EventRevoked},
		"it fails":             {status: 503, want: "client_id=x&token=SECRET-4711-a&token_type_hint=access_token", event: EventRevocationFailed},
		"it has nowhere":       {p: Provider{RevokeURL: "-"}},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var told, auth string
			at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_ = r.ParseForm()
				mu.Lock()
				defer mu.Unlock()
				told, auth = r.PostForm.Encode(), r.Header.Get("Authorization")
				w.WriteHeader(max(tt.status, 200))
			}))
			defer at.Close()
			p := tt.p
			p.Name, p.ClientID, p.AuthorizeURL, p.TokenURL = "git", "x", at.URL+"/authorize", at.URL+"/token"
			if p.RevokeURL == "" {
				p.RevokeURL = at.URL + "/revoke"
			} else {
				p.RevokeURL = ""
			}
			var said strings.Builder
			var events []string
			s, err := New(embedded(t), Options{Sealer: sealerOf(t, keyOf(1)), PublicURL: "http://127.0.0.1:1", Providers: []Provider{p}, Logger: slog.New(slog.NewTextHandler(&said, nil)),
				Observe: func(provider, event string) { events = append(events, provider+" "+event) }})
			if err != nil {
				t.Fatal(err)
			}
			put(t, s, token{Access: "SECRET-4711-a", Refresh: tt.refresh, Type: "Bearer", Asked: []string{"repo"}})
			if there, err := s.Forget(within(t), ofAnn.User, "git"); err != nil || !there {
				t.Fatal(there, err)
			}
			if has, err := s.Has(within(t), ofAnn); err != nil || has {
				t.Errorf("it is still there: %v", err)
			}
			if told != tt.want {
				t.Errorf("the provider is told %q", told)
			}
			if r := (http.Request{Header: http.Header{"Authorization": {auth}}}); tt.basic {
				id, secret, _ := r.BasicAuth()
				if plain, err := url.QueryUnescape(secret); id != "x" || err != nil || plain != "SECRET-4711-c?" {
					t.Errorf("it comes as %q with %q", id, secret)
				}
			} else if auth != "" {
				t.Errorf("it comes with %q", auth)
			}
			want := "[git deleted]"
			if tt.event != "" {
				want = "[git deleted git " + tt.event + "]"
			}
			if fmt.Sprint(events) != want {
				t.Errorf("it is counted as %v", events)
			}
			if failed := tt.event == EventRevocationFailed; strings.Contains(said.String(), "SECRET") || strings.Contains(said.String(), "answers 503") != failed {
				t.Errorf("the log says %s", said.String())
			}
			if there, err := s.Forget(within(t), ofAnn.User, "git"); err != nil || there {
				t.Errorf("again: %t, %v", there, err)
			}
		})
	}
}
