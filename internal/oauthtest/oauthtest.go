// Package oauthtest starts a provider for tests: go-oauth2's authorization server, behind
// which a test says what goes wrong. Who asks for the scope openid gets an ID token, too.
package oauthtest

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/go-oauth2/oauth2/v4"
	"github.com/go-oauth2/oauth2/v4/manage"
	"github.com/go-oauth2/oauth2/v4/models"
	"github.com/go-oauth2/oauth2/v4/server"
)

// The client that the server knows.
const (
	ClientID     = "aguiws"
	ClientSecret = "SECRET-4711-client"
)

// Server is an authorization server whose users agree at once. The fields may be set
// before it is asked.
type Server struct {
	URL     string       // its issuer
	Issued  atomic.Int32 // how many tokens it has given for codes
	Asked   atomic.Int32 // how often its token endpoint was asked
	Renewed atomic.Int32 // and for refresh tokens

	mu     sync.Mutex
	says   Says
	given  []string
	nonces map[string]string // of codes that were asked for with the scope openid
	signer jose.Signer
	key    jose.JSONWebKey

	http    *httptest.Server
	manager *manage.Manager
}

// Says is what the server does otherwise than well.
type Says struct {
	Error     string // what the authorization answers in place of a code
	Iss       string // in place of its issuer; "-": none
	Token     int    // status of the token endpoint
	Lifetime  time.Duration
	NoRefresh bool
	// IDToken changes the claims of ID tokens; nil: nothing.
	IDToken func(claims map[string]any)
	// Forged has ID tokens signed with a key that is not published, under its name.
	Forged bool
	// NoIDToken leaves them out.
	NoIDToken bool
}

// Start starts a server, which knows a redirect URI that begins with redirect.
func Start(t testing.TB, redirect string) *Server {
	s := &Server{nonces: map[string]string{}}
	s.signer, s.key = newKey(t)
	s.manager = manage.NewDefaultManager()
	s.manager.MapTokenStorage(&tokens{byCode: map[string]oauth2.TokenInfo{}, byAccess: map[string]oauth2.TokenInfo{}, byRefresh: map[string]oauth2.TokenInfo{}})
	s.SendTo(redirect)
	s.manager.SetRefreshTokenCfg(&manage.RefreshingConfig{IsGenerateRefresh: true, IsRemoveAccess: true, IsRemoveRefreshing: true, AccessTokenExp: time.Hour, RefreshTokenExp: 24 * time.Hour})
	s.Say(Says{})
	config := server.NewConfig()
	config.ForcePKCE = true
	srv := server.NewServer(config, s.manager)
	srv.SetClientInfoHandler(server.ClientBasicHandler)
	srv.SetUserAuthorizationHandler(func(http.ResponseWriter, *http.Request) (string, error) { return "her", nil })
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", s.metadata)
	mux.HandleFunc("GET /jwks", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{s.key}})
	})
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) { s.authorize(srv, w, r) })
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) { s.token(srv, w, r) })
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL
	t.Cleanup(s.Stop)
	return s
}

// SendTo is where browsers are sent back to, before the server is asked.
func (s *Server) SendTo(redirect string) { s.manager.MapClientStorage(clients{redirect}) }

// Stop takes the server away.
func (s *Server) Stop() { s.http.Close() }

// Say changes what the server does.
func (s *Server) Say(says Says) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.says = says
	lifetime := says.Lifetime
	if lifetime == 0 {
		lifetime = time.Hour
	}
	s.manager.SetAuthorizeCodeTokenCfg(&manage.Config{AccessTokenExp: lifetime, RefreshTokenExp: 24 * time.Hour, IsGenerateRefresh: !says.NoRefresh})
}

// Given are all secrets that the server has handed out: codes, access and refresh tokens;
// and those that it was asked with.
func (s *Server) Given() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.given...)
}

func (s *Server) said() Says {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.says
}

func (s *Server) metadata(w http.ResponseWriter, _ *http.Request) {
	_ = json.NewEncoder(w).Encode(map[string]any{"issuer": s.URL, "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token", "jwks_uri": s.URL + "/jwks",
		"authorization_response_iss_parameter_supported": true})
}

func (s *Server) authorize(srv *server.Server, w http.ResponseWriter, r *http.Request) {
	says := s.said()
	answer := httptest.NewRecorder()
	if says.Error != "" {
		answer.Header().Set("Location", r.URL.Query().Get("redirect_uri")+"?"+url.Values{"error": {says.Error}, "state": {r.URL.Query().Get("state")}}.Encode())
		answer.WriteHeader(http.StatusFound)
	} else if err := srv.HandleAuthorizeRequest(answer, r); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	to, err := url.Parse(answer.Header().Get("Location"))
	if err != nil || answer.Code != http.StatusFound {
		http.Error(w, answer.Body.String(), http.StatusBadRequest)
		return
	}
	q := to.Query()
	if code := q.Get("code"); code != "" {
		s.note(code)
		if slices.Contains(strings.Fields(r.URL.Query().Get("scope")), "openid") {
			s.mu.Lock()
			s.nonces[code] = r.URL.Query().Get("nonce")
			s.mu.Unlock()
		}
	}
	if says.Iss != "-" {
		q.Set("iss", s.URL)
		if says.Iss != "" {
			q.Set("iss", says.Iss)
		}
	}
	to.RawQuery = q.Encode()
	w.Header().Set("Location", to.String())
	w.WriteHeader(http.StatusFound)
}

func (s *Server) token(srv *server.Server, w http.ResponseWriter, r *http.Request) {
	s.Asked.Add(1)
	if verifier := r.FormValue("code_verifier"); verifier != "" {
		s.note(verifier)
	}
	if status := s.said().Token; status != 0 {
		http.Error(w, `{"error":"server_error"}`, status)
		return
	}
	answer := httptest.NewRecorder()
	if err := srv.HandleTokenRequest(answer, r); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var got map[string]any
	if answer.Code == http.StatusOK && json.Unmarshal(answer.Body.Bytes(), &got) == nil {
		for _, name := range []string{"access_token", "refresh_token"} {
			if text, _ := got[name].(string); text != "" {
				s.note(text)
			}
		}
		if r.PostForm.Get("grant_type") == "refresh_token" {
			s.Renewed.Add(1)
		} else {
			s.Issued.Add(1)
		}
		if idToken := s.idToken(r.PostForm.Get("code")); idToken != "" {
			s.note(idToken)
			got["id_token"] = idToken
			answer.Body.Reset()
			_ = json.NewEncoder(answer.Body).Encode(got)
			answer.Header().Del("Content-Length")
		}
	}
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// keyName is that of the key that signs ID tokens.
const keyName = "k1"

func newKey(t testing.TB) (jose.Signer, jose.JSONWebKey) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: private}, (&jose.SignerOptions{}).WithType("JWT").WithHeader("kid", keyName))
	if err != nil {
		t.Fatal(err)
	}
	return signer, jose.JSONWebKey{Key: public, KeyID: keyName, Use: "sig", Algorithm: string(jose.EdDSA)}
}

// idToken says who has agreed to a code; "": nobody asked that.
func (s *Server) idToken(code string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	nonce, asked := s.nonces[code]
	if !asked || s.says.NoIDToken {
		return ""
	}
	now := time.Now()
	claims := map[string]any{"iss": s.URL, "aud": ClientID, "sub": "her", "name": "Ann Example", "nonce": nonce, "iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix()}
	if s.says.IDToken != nil {
		s.says.IDToken(claims)
	}
	signer := s.signer
	if s.says.Forged {
		_, private, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			return ""
		}
		if signer, err = jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: private}, (&jose.SignerOptions{}).WithHeader("kid", keyName)); err != nil {
			return ""
		}
	}
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		return ""
	}
	return text
}

func (s *Server) note(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.given = append(s.given, secret)
}

// clients is one client.
type clients struct{ redirect string }

func (c clients) GetByID(_ context.Context, id string) (oauth2.ClientInfo, error) {
	if id != ClientID {
		return nil, errors.New("no such client")
	}
	return &models.Client{ID: ClientID, Secret: ClientSecret, Domain: c.redirect}, nil
}

// tokens keeps what was given in memory.
type tokens struct {
	mu                          sync.Mutex
	byCode, byAccess, byRefresh map[string]oauth2.TokenInfo
}

func (t *tokens) Create(_ context.Context, info oauth2.TokenInfo) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if code := info.GetCode(); code != "" {
		t.byCode[code] = info
		return nil
	}
	t.byAccess[info.GetAccess()] = info
	if refresh := info.GetRefresh(); refresh != "" {
		t.byRefresh[refresh] = info
	}
	return nil
}

func (t *tokens) remove(from map[string]oauth2.TokenInfo, key string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(from, key)
	return nil
}

func (t *tokens) get(from map[string]oauth2.TokenInfo, key string) (oauth2.TokenInfo, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return from[key], nil
}

func (t *tokens) RemoveByCode(_ context.Context, code string) error { return t.remove(t.byCode, code) }
func (t *tokens) RemoveByAccess(_ context.Context, access string) error {
	return t.remove(t.byAccess, access)
}
func (t *tokens) RemoveByRefresh(_ context.Context, refresh string) error {
	return t.remove(t.byRefresh, refresh)
}
func (t *tokens) GetByCode(_ context.Context, code string) (oauth2.TokenInfo, error) {
	return t.get(t.byCode, code)
}
func (t *tokens) GetByAccess(_ context.Context, access string) (oauth2.TokenInfo, error) {
	return t.get(t.byAccess, access)
}
func (t *tokens) GetByRefresh(_ context.Context, refresh string) (oauth2.TokenInfo, error) {
	return t.get(t.byRefresh, refresh)
}
