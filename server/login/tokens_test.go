package login

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore"
)

const patience = 30 * time.Second

// renewing is a token endpoint that takes each refresh token once, as those do that rotate.
type renewing struct {
	*httptest.Server
	mu     sync.Mutex
	next   int
	asked  int
	status int // of an answer that is no token; 0: none
	code   string
}

func newRenewing(t *testing.T) *renewing {
	r := new(renewing)
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.asked++
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.status != 0:
			w.WriteHeader(r.status)
			fmt.Fprintf(w, `{"error":%q,"error_description":"SECRET-4711"}`, r.code)
		case q.FormValue("refresh_token") != fmt.Sprint("refresh-", r.next):
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"invalid_grant"}`)
		default:
			r.next++
			fmt.Fprintf(w, `{"access_token":"access-%d","refresh_token":"refresh-%d","token_type":"bearer","expires_in":3600}`, r.next, r.next)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *renewing) say(status int, code string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status, r.code = status, code
}

func (r *renewing) times() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked
}

var ofAnn = store.Login{Provider: "git", Scopes: []string{"repo"}, User: "acme/ann"}

func embedded(t *testing.T) *redisstore.Store {
	s, err := redisstore.Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func service(t *testing.T, st store.Logins, at string, sealer *Sealer, log *slog.Logger) *Service {
	t.Helper()
	s, err := New(st, Options{Sealer: sealer, PublicURL: "http://127.0.0.1:1/", Logger: log,
		Providers: []Provider{{Name: "git", Title: "Git", AuthorizeURL: at + "/authorize", TokenURL: at + "/token", ClientID: "x", ClientSecret: "SECRET-4711-client"}}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

func put(t *testing.T, s *Service, tok token) {
	t.Helper()
	if _, ok, err := s.put(within(t), ofAnn.User, "git", tok, ""); err != nil || !ok {
		t.Fatal(ok, err)
	}
}

func over() token {
	return token{Access: "access-0", Refresh: "refresh-0", Type: "Bearer", Expires: time.Now().Add(-time.Minute), Asked: []string{"repo"}}
}

// However many want a token, on however many servers, it is renewed once: a provider that
// takes a refresh token once would take the login back otherwise.
func TestManyRunsRenewOnce(t *testing.T) {
	r, st := newRenewing(t), embedded(t)
	servers := []*Service{service(t, st, r.URL, sealerOf(t, keyOf(1)), nil), service(t, st, r.URL, sealerOf(t, keyOf(1)), nil)}
	put(t, servers[0], over())
	ctx := within(t)
	var group sync.WaitGroup
	for i := range 200 {
		group.Go(func() {
			if got, err := servers[i%2].Token(ctx, ofAnn); err != nil || got.Header() != "Bearer access-1" {
				t.Errorf("%q, %v", got.Access, err)
			}
		})
	}
	group.Wait()
	if n := r.times(); n != 1 {
		t.Errorf("it is renewed %d times", n)
	}
}

func TestTokensThatCannotBeRenewed(t *testing.T) {
	for name, tt := range map[string]struct {
		token  func(*token)
		status int
		code   string
		none   bool // there is no login any more
	}{
		"taken back":                      {status: 400, code: "invalid_grant", none: true},
		"down":                            {status: 503},
		"the client is not known":         {status: 401, code: "invalid_client"},
		"taken back by a code of its own": {status: 200, code: "bad_refresh_token", none: true},
		"a scope taken away":              {status: 400, code: "invalid_scope", none: true},
		"the secret is not right":         {status: 200, code: "incorrect_client_credentials"},
		"it asks wrongly":                 {status: 400, code: "invalid_request"},
		"it cannot now":                   {status: 400, code: "temporarily_unavailable"},
		"it says nothing":                 {status: 403},
		"no refresh token":                {token: func(t *token) { t.Refresh = "" }, none: true},
		"a scope less":                    {token: func(t *token) { t.Asked = nil }, none: true},
	} {
		t.Run(name, func(t *testing.T) {
			r, st := newRenewing(t), embedded(t)
			var log strings.Builder
			s := service(t, st, r.URL, sealerOf(t, keyOf(1)), slog.New(slog.NewTextHandler(&log, nil)))
			tok := over()
			if tt.token != nil {
				tt.token(&tok)
			}
			put(t, s, tok)
			r.say(tt.status, tt.code)
			_, err := s.Token(within(t), ofAnn)
			if err == nil || errors.Is(err, adapter.ErrNoLogin) != tt.none || strings.Contains(err.Error()+log.String(), "SECRET") || strings.Contains(err.Error(), "refresh-0") {
				t.Fatalf("%v, log %s", err, log.String())
			}
			if has, err := s.Has(within(t), ofAnn); err != nil || has == tt.none {
				t.Errorf("has %t, %v", has, err)
			}
			if tt.none {
				return
			}
			r.say(0, "") // and nobody has to wait until a hold is over
			if got, err := s.Token(within(t), ofAnn); err != nil || got.Access != "access-1" {
				t.Errorf("%q, %v", got.Access, err)
			}
		})
	}
}

// What was sealed by an older key is sealed by the first when it is used, so that the old
// one can go; what no key opens is asked for again.
func TestKeysRotate(t *testing.T) {
	r, st := newRenewing(t), embedded(t)
	first := service(t, st, r.URL, sealerOf(t, keyOf(1)), nil)
	good := over()
	good.Expires = time.Now().Add(time.Hour)
	put(t, first, good)
	both := service(t, st, r.URL, sealerOf(t, keyOf(2), keyOf(1)), nil)
	used, err := both.Token(within(t), ofAnn)
	if err != nil || used.Access != "access-0" {
		t.Fatalf("%q, %v", used.Access, err)
	}
	if got, err := service(t, st, r.URL, sealerOf(t, keyOf(2)), nil).Token(within(t), ofAnn); err != nil || got.Access != "access-0" {
		t.Errorf("with the new key alone: %v", err)
	}
	if has, err := first.Has(within(t), ofAnn); err != nil || has {
		t.Errorf("without the key: has %t, %v", has, err)
	}
	if list, err := first.Accounts(within(t), ofAnn.User); err != nil || len(list) != 1 || !list[0].Unreadable {
		t.Errorf("%+v, %v", list, err)
	}
	// Who was given it then can discard it: it is the same token.
	if err := both.Discard(within(t), ofAnn, used); err != nil {
		t.Error(err)
	}
	if has, err := both.Has(within(t), ofAnn); err != nil || has {
		t.Errorf("discarded: has %t, %v", has, err)
	}
}

// A token is of who gave it to whom: behind the same name another provider, or another
// client, neither sees it nor is sent it. The log tells once.
func TestTokensOfAnotherProvider(t *testing.T) {
	r, st := newRenewing(t), embedded(t)
	was := Provider{Name: "git", Issuer: "https://git.example", AuthorizeURL: r.URL, TokenURL: r.URL, ClientID: "x"}
	var log strings.Builder
	of := func(change func(*Provider)) *Service {
		p := was
		change(&p)
		s, err := New(st, Options{Sealer: sealerOf(t, keyOf(1)), PublicURL: "http://127.0.0.1:1", Providers: []Provider{p}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	put(t, of(func(*Provider) {}), over())
	for name, change := range map[string]func(*Provider){
		"another issuer": func(p *Provider) { p.Issuer = "https://other.example" },
		"no issuer":      func(p *Provider) { p.Issuer = "" },
		"another client": func(p *Provider) { p.ClientID = "y" },
	} {
		s := of(change)
		log.Reset()
		for range 3 {
			if _, err := s.Token(within(t), ofAnn); !errors.Is(err, adapter.ErrNoLogin) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n := strings.Count(log.String(), "count as none"); n != 1 {
			t.Errorf("%s: the log tells %d times", name, n)
		}
		if list, err := s.Accounts(within(t), ofAnn.User); err != nil || len(list) != 1 || !list[0].Unreadable {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
	}
	if n := r.times(); n != 0 {
		t.Errorf("a provider was asked %d times", n)
	}
	if got, err := of(func(p *Provider) { p.Title, p.TokenURL = "Git", r.URL+"/token" }).Token(within(t), ofAnn); err != nil || got.Access != "access-1" {
		t.Errorf("the same issuer: %v", err)
	}
}

// A token that was deleted while it was renewed stays deleted.
func TestDeletedWhileRenewed(t *testing.T) {
	r, st := newRenewing(t), embedded(t)
	s := service(t, st, r.URL, sealerOf(t, keyOf(1)), nil)
	put(t, s, over())
	r.mu.Lock() // the provider takes its time
	done := make(chan error, 1)
	go func() {
		_, err := s.Token(within(t), ofAnn)
		done <- err
	}()
	for held := true; held; { // until it is being renewed
		list, err := st.Tokens(within(t), ofAnn.User)
		if err != nil {
			t.Fatal(err)
		}
		held, err = st.HoldToken(within(t), ofAnn.User, "git", list[0].Version, "other", 0)
		if err != nil {
			t.Fatal(err)
		}
	}
	if ok, err := s.Forget(within(t), ofAnn.User, "git"); err != nil || !ok {
		t.Fatal(ok, err)
	}
	r.mu.Unlock()
	if err := <-done; !errors.Is(err, adapter.ErrNoLogin) {
		t.Errorf("%v", err)
	}
	if has, _ := s.Has(within(t), ofAnn); has {
		t.Error("it is back")
	}
}

// silent is a store that keeps one token, and whose answers to PutToken are lost for a while.
type silent struct {
	store.Logins
	mu    sync.Mutex
	token store.StoredToken
	until time.Time
	held  time.Time
}

func (s *silent) Tokens(context.Context, string) ([]store.StoredToken, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return []store.StoredToken{s.token}, nil
}

func (s *silent) HoldToken(_ context.Context, _, _, version, _ string, hold time.Duration) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if version != s.token.Version || time.Now().Before(s.held) {
		return false, nil
	}
	s.held = time.Now().Add(hold)
	return true, nil
}

func (s *silent) PutToken(_ context.Context, _ string, t store.StoredToken, was string, _ time.Duration) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Now().Before(s.until) {
		return false, store.ErrOutcomeUnknown
	}
	if was != "" && s.token.Version != was && s.token.Version != t.Version {
		return false, nil
	}
	s.token = t
	return true, nil
}

type answers func(*http.Request) (*http.Response, error)

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) { return a(r) }

// However long the store says nothing, a refresh token is sent once: what came for it is
// stored when the store answers again.
func TestStoreIsSilentWhileRenewed(t *testing.T) {
	for _, silence := range []time.Duration{time.Second, 45 * time.Second, 10 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			st := &silent{}
			s := service(t, st, "https://git.example", sealerOf(t, keyOf(1)), nil)
			asked := 0
			s.providers["git"].http.Transport = answers(func(*http.Request) (*http.Response, error) {
				asked++
				return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}},
					Body: io.NopCloser(strings.NewReader(fmt.Sprintf(`{"access_token":"access-%d","refresh_token":"refresh-%d","token_type":"bearer","expires_in":3600}`, asked, asked)))}, nil
			})
			if _, ok, err := s.put(t.Context(), ofAnn.User, "git", over(), ""); err != nil || !ok {
				t.Fatal(ok, err)
			}
			st.until = time.Now().Add(silence)
			var got adapter.Token
			err := store.ErrOutcomeUnknown
			for errors.Is(err, store.ErrOutcomeUnknown) { // as an agent's Token does
				got, err = s.Token(t.Context(), ofAnn)
			}
			if err != nil || got.Access != "access-1" || asked != 1 || len(s.unstored.of) != 0 {
				t.Errorf("%v: %q, %v, asked %d times, %d are kept", silence, got.Access, err, asked, len(s.unstored.of))
			}
		})
	}
}

func TestTokenIsNotTold(t *testing.T) {
	tok := adapter.Token{Type: "Bearer", Access: "SECRET-4711", Version: "v"}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		if said := fmt.Sprintf(verb, tok) + fmt.Sprintf(verb, &tok) + fmt.Sprintf(verb, []adapter.Token{tok}); strings.Contains(said, "SECRET") || strings.Contains(said, "5345") {
			t.Errorf("%s says %s", verb, said)
		}
	}
	if text, err := json.Marshal(map[string]any{"t": tok}); err == nil {
		t.Errorf("it has JSON: %s", text)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "token", tok)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "token", tok)
	if strings.Contains(log.String(), "SECRET") {
		t.Error(log.String())
	}
}
