package signin

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/aguiws/aguiws/internal/origin"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/login"
)

const (
	flowTime   = 10 * time.Minute // for which a flow may be under way
	stepTime   = 12 * time.Second // bounds what a browser waits for the provider
	maxReturn  = 1024
	sealedFlow = "flow"
)

// flow is what is sealed of one that is under way. A browser has one: the latest.
type flow struct {
	State    string `json:"state"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"`
	Return   string `json:"return"`
	Until    int64  `json:"until"`
}

// Step is where a browser goes next, and what it keeps.
type Step struct {
	URL     string
	Cookies []*http.Cookie
	// Return is the place of the page where the person was, as far as it is known.
	Return string
}

// Begin sends a browser to the provider. An error that the person has to be told is a
// *Problem, also of Return.
func (s *Service) Begin(ctx context.Context, r *http.Request) (Step, error) {
	asked := r.URL.Query()
	step := Step{Return: returnPath(s.base, asked.Get("return"))}
	site := strings.ToLower(r.Header.Get("Sec-Fetch-Site"))
	if site == "cross-site" || site == "same-site" { // a person says on the page that they mean it
		step.URL = step.Return
		return step, nil
	}
	// The cookie must come to the host to which the provider sends the browser back.
	if at, ok := origin.Of(s.public.Scheme(), r.Host); ok && at != s.public && !asked.Has("here") {
		step.URL = s.opts.PublicURL + BeginPath + "?" + url.Values{"return": {step.Return}, "here": {""}}.Encode()
		return step, nil
	}
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	at, err := s.endpoints(ctx)
	if err != nil {
		s.opts.Logger.Warn("the provider of sign-ins cannot be asked", "error", err)
		return step, problemDown
	}
	f := flow{rand.Text() + rand.Text(), rand.Text() + rand.Text(), oauth2.GenerateVerifier(), step.Return, time.Now().Add(flowTime).Unix()}
	text, err := json.Marshal(f)
	if err != nil {
		return step, err
	}
	step.Cookies = []*http.Cookie{s.cookie(flowCookie, base64.RawURLEncoding.EncodeToString(s.flows.Seal(text, sealedFlow)), flowTime)}
	step.URL = s.config(at).AuthCodeURL(f.State, oauth2.S256ChallengeOption(f.Verifier), oauth2.SetAuthURLParam("nonce", f.Nonce))
	return step, nil
}

// returnPath is a place of the page as a browser may be sent there: the first one for what
// leads elsewhere.
func returnPath(base, text string) string {
	first := base + "/"
	u, err := url.Parse(text)
	odd := func(c rune) bool { return c <= ' ' || c >= 0x7f || c == '\\' }
	if err != nil || len(text) > maxReturn || strings.ContainsFunc(text, odd) || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" || !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") {
		return first
	}
	at := path.Clean(u.Path)
	if at == base {
		at = first
	}
	place, ok := strings.CutPrefix(at, base)
	if !ok || !strings.HasPrefix(place, "/") {
		return first
	}
	for _, other := range []string{BeginPath, EndPath, "/login"} { // they do something by themselves
		if place == other || strings.HasPrefix(place, other+"/") {
			return first
		}
	}
	// Written anew: what one reader takes for a path may be a host to another.
	return (&url.URL{Path: at, RawQuery: u.RawQuery}).String()
}

// kept is the flow that the browser has begun, if the answer is to it.
func (s *Service) kept(r *http.Request, state string) (f flow, ok bool) {
	c, err := r.Cookie(s.cookieName(flowCookie))
	if err != nil || len(c.Value) > maxCookie {
		return f, false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil {
		return f, false
	}
	text, _, err := s.flows.Open(sealed, sealedFlow)
	if err != nil || json.Unmarshal(text, &f) != nil || subtle.ConstantTimeCompare([]byte(f.State), []byte(state)) != 1 {
		return flow{}, false
	}
	return f, true
}

// Return takes back a browser that the provider has sent, and signs its reader in.
func (s *Service) Return(ctx context.Context, r *http.Request) (Step, error) {
	said := r.URL.Query()
	state := said.Get("state")
	if state == "" || len(said["state"]) > 1 || len(said["code"]) > 1 || said.Has("code") == said.Has("error") {
		return Step{}, problemInvalid
	}
	f, ok := s.kept(r, state)
	if !ok {
		return Step{}, problemOtherBrowser
	}
	step := Step{URL: f.Return, Return: f.Return, Cookies: []*http.Cookie{s.cookie(flowCookie, "", 0)}}
	if !time.Now().Before(time.Unix(f.Until, 0)) {
		return step, problemOtherBrowser
	}
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	id, err := s.finish(ctx, f, said)
	if err != nil {
		return step, err
	}
	if !mayAnything(id) {
		s.opts.Logger.Warn("somebody who may do nothing is not signed in: the ID token's claim of scopes has none of this server's. Give the person one at the provider, or name another claim in jwt-scopes",
			"user", id.User, "tenant", id.Tenant, "claim", cmp.Or(s.opts.Claims.ScopeClaim, "scope"), "has", fmt.Sprintf("%.200q", id.Scopes), "wants", strings.Join(allowing, ", "))
		return step, problemNoAccess
	}
	session, err := s.Session(id)
	if err != nil {
		return step, err
	}
	step.Cookies = append(step.Cookies, session)
	s.opts.Logger.Info("signed in", "user", id.User, "tenant", id.Tenant)
	return step, nil
}

// finish makes an identity of what the provider says.
func (s *Service) finish(ctx context.Context, f flow, said url.Values) (identity.Identity, error) {
	none := identity.Identity{}
	at, err := s.endpoints(ctx)
	if err != nil {
		s.opts.Logger.Warn("the provider of sign-ins cannot be asked", "error", err)
		return none, problemDown
	}
	if !s.metadata.CheckIss(at, said) {
		s.opts.Logger.Warn("an answer is not from the provider that was asked: its iss is another than signin-issuer, or is missing")
		return none, problemIssuer
	}
	if said.Has("error") {
		return none, s.refusedWith(said.Get("error"))
	}
	got, err := s.config(at).Exchange(context.WithValue(ctx, oauth2.HTTPClient, s.metadata.Client()), said.Get("code"), oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return none, s.notExchanged(err)
	}
	idToken, _ := got.Extra("id_token").(string)
	if idToken == "" {
		s.opts.Logger.Warn("the provider's answer to a sign-in has no id_token")
		return none, problemFailed
	}
	verifier, err := s.believing(at.Keys)
	if err != nil {
		return none, err
	}
	id, err := verifier.SignedIn(ctx, idToken, f.Nonce)
	switch {
	case err == nil:
		return id, nil
	case errors.Is(err, identity.ErrUnauthenticated):
		s.opts.Logger.Warn("an ID token is not taken", "error", err)
		return none, problemIdentity
	}
	s.opts.Logger.Warn("the keys of the provider of sign-ins cannot be had", "error", err)
	return none, problemDown
}

// refusedWith tells why the provider sends a browser back without a code.
func (s *Service) refusedWith(code string) error {
	s.opts.Logger.Info("the provider signs nobody in", "code", login.ErrorCode(code))
	switch code {
	case "access_denied":
		return problemDenied
	case "temporarily_unavailable", "server_error":
		return problemDown
	}
	return problemFailed
}

// notExchanged tells why a code has come to nothing. The log repeats nothing of the request.
func (s *Service) notExchanged(err error) error {
	var said *oauth2.RetrieveError
	var failed *url.Error
	switch {
	case errors.As(err, &said) && said.Response != nil:
		s.opts.Logger.Warn("a code could not be exchanged", "status", said.Response.StatusCode, "code", login.ErrorCode(said.ErrorCode))
		if status := said.Response.StatusCode; status >= 500 || status == http.StatusTooManyRequests {
			return problemDown
		}
		return problemFailed
	case errors.As(err, &failed):
		s.opts.Logger.Warn("a code could not be exchanged: the provider cannot be asked", "error", failed.Err)
		return problemDown
	}
	s.opts.Logger.Warn("a code could not be exchanged: the provider answers what is no token")
	return problemFailed
}
