package signin

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/aguiws/aguiws/internal/oauthtest"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/login"
)

const publicURL = "https://chat.example"

func sealerOf(t testing.TB, keys ...byte) *login.Sealer {
	t.Helper()
	var text strings.Builder
	for _, b := range keys {
		text.WriteString(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{b}, 32)) + "\n")
	}
	s, err := login.ParseKeys(text.String())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func serviceAt(t testing.TB, issuer string, change func(*Options)) *Service {
	t.Helper()
	o := Options{Issuer: issuer, ClientID: oauthtest.ClientID, ClientSecret: oauthtest.ClientSecret, PublicURL: publicURL, Sealer: sealerOf(t, 1),
		Claims: identity.JWTOptions{TenantClaim: "org.name", ScopeClaim: "roles"}, Logger: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.metadata.Client().CloseIdleConnections()
	})
	return s
}

func provider(t testing.TB) *oauthtest.Server {
	p := oauthtest.Start(t, publicURL)
	p.Say(oauthtest.Says{IDToken: good})
	return p
}

// good is what the tests' ID tokens say beside what they must.
func good(claims map[string]any) {
	claims["org"], claims["roles"] = map[string]any{"name": "acme"}, []string{"approver", "openid", "run"}
}

// visits asks the provider as a browser does that it was sent there, and returns where it
// is sent back to.
func visits(t testing.TB, address string) string {
	t.Helper()
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := c.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusFound {
		t.Fatalf("%s answers %s", address, resp.Status)
	}
	return resp.Header.Get("Location")
}

func get(address string, cookies ...*http.Cookie) *http.Request {
	r := httptest.NewRequest(http.MethodGet, address, nil)
	for _, c := range cookies {
		r.AddCookie(c)
	}
	return r
}

func (s *Service) begins(t testing.TB, place string) Step {
	t.Helper()
	step, err := s.Begin(t.Context(), get(publicURL+BeginPath+"?return="+url.QueryEscape(place)))
	if err != nil || len(step.Cookies) != 1 {
		t.Fatalf("%+v, %v", step, err)
	}
	return step
}

func TestSigningIn(t *testing.T) {
	p := provider(t)
	s := serviceAt(t, p.URL, nil)
	began := s.begins(t, "/inbox?thread=a%20b")
	asked, err := url.Parse(began.URL)
	if err != nil {
		t.Fatal(err)
	}
	q := asked.Query()
	if q.Get("code_challenge_method") != "S256" || q.Get("nonce") == "" || q.Get("scope") != "openid profile email" || q.Get("redirect_uri") != publicURL+"/signin/callback" {
		t.Errorf("the provider is asked %s", began.URL)
	}
	step, err := s.Return(t.Context(), get(visits(t, began.URL), began.Cookies...))
	if err != nil || step.URL != "/inbox?thread=a%20b" || len(step.Cookies) != 2 {
		t.Fatalf("%+v, %v", step, err)
	}
	for i, c := range append(step.Cookies, began.Cookies...) {
		if !strings.HasPrefix(c.Name, "__Host-") || !c.Secure || !c.HttpOnly || c.Path != "/" || c.Domain != "" || c.SameSite != http.SameSiteLaxMode || !IsCookie(c.Name) || len(c.String()) > 4096 {
			t.Errorf("cookie %d is %s", i, c)
		}
	}
	session := step.Cookies[1]
	if step.Cookies[0].MaxAge >= 0 || session.MaxAge != int(DefaultLifetime.Seconds()) || strings.Contains(session.Value, "acme") {
		t.Errorf("the cookies are %v", step.Cookies)
	}
	// Another node has the same key, and has never heard of anybody.
	other := serviceAt(t, p.URL, nil).Beside(identity.None{})
	id, err := other.Authenticate(t.Context(), identity.Credential{Request: get(publicURL+"/v1/me", session)})
	if err != nil || id.User != "her" || id.Tenant != "acme" || id.Namespace != "acme/user/her" || id.Name != "Ann Example" || !slices.Equal(id.Scopes, []string{"run", "approver"}) || time.Until(id.Expires) < 7*time.Hour {
		t.Errorf("%+v, %v", id, err)
	}
	// A code is taken once, whatever the browser still has.
	if _, err := s.Return(t.Context(), get(visits(t, began.URL), step.Cookies...)); err != problemOtherBrowser {
		t.Errorf("without its cookie: %v", err)
	}
}

// Whatever goes wrong, nobody is signed in, and what is logged repeats no secret.
func TestRefusals(t *testing.T) {
	claim := func(name string, value any) oauthtest.Says {
		return oauthtest.Says{IDToken: func(claims map[string]any) {
			good(claims)
			if claims[name] = value; value == nil {
				delete(claims, name)
			}
		}}
	}
	replaced := func(name, by string) func(string) string {
		return func(address string) string {
			u, _ := url.Parse(address)
			q := u.Query()
			q.Set(name, by)
			if by == "" {
				q.Del(name)
			}
			return u.Scheme + "://" + u.Host + u.Path + "?" + q.Encode()
		}
	}
	past := time.Now().Add(-time.Hour).Unix()
	for name, c := range map[string]struct {
		says   oauthtest.Says
		back   func(string) string
		flow   func(*flow)
		cookie func(*http.Cookie)
		want   *Problem
	}{
		"another nonce":            {says: claim("nonce", "another"), want: problemIdentity},
		"no nonce":                 {says: claim("nonce", nil), want: problemIdentity},
		"another audience":         {says: claim("aud", "another"), want: problemIdentity},
		"audiences, and no party":  {says: claim("aud", []string{oauthtest.ClientID, "b"}), want: problemIdentity},
		"another party":            {says: claim("azp", "another"), want: problemIdentity},
		"another issuer":           {says: claim("iss", "https://evil.example"), want: problemIdentity},
		"expired":                  {says: claim("exp", past), want: problemIdentity},
		"without an expiry":        {says: claim("exp", nil), want: problemIdentity},
		"of later on":              {says: claim("nbf", time.Now().Add(time.Hour).Unix()), want: problemIdentity},
		"nobody":                   {says: claim("sub", nil), want: problemIdentity},
		"no tenant":                {says: claim("org", nil), want: problemIdentity},
		"scopes of other programs": {says: claim("roles", []string{"default-roles-acme", "offline_access"}), want: problemNoAccess},
		"a scope without another":  {says: claim("roles", []string{"tenants"}), want: problemNoAccess},
		"scopes of another type":   {says: claim("roles", 7), want: problemIdentity},
		"signed by somebody else":  {says: oauthtest.Says{IDToken: good, Forged: true}, want: problemIdentity},
		"no ID token":              {says: oauthtest.Says{NoIDToken: true}, want: problemFailed},
		"a long user":              {says: claim("sub", strings.Repeat("x", 4000)), want: problemTooLong},
		"declined":                 {says: oauthtest.Says{Error: "access_denied"}, want: problemDenied},
		"refused in words":         {says: oauthtest.Says{Error: "<script>alert(1)</script>"}, want: problemFailed},
		"the provider is busy":     {says: oauthtest.Says{Error: "temporarily_unavailable"}, want: problemDown},
		"no tokens now":            {says: oauthtest.Says{Token: 503}, want: problemDown},
		"no tokens":                {says: oauthtest.Says{Token: 400}, want: problemFailed},
		"another provider's":       {says: oauthtest.Says{Iss: "https://evil.example", IDToken: good}, want: problemIssuer},
		"nobody's":                 {says: oauthtest.Says{Iss: "-", IDToken: good}, want: problemIssuer},
		"another state":            {back: replaced("state", "another"), want: problemOtherBrowser},
		"no state":                 {back: replaced("state", ""), want: problemInvalid},
		"two states":               {back: func(a string) string { return a + "&state=b" }, want: problemInvalid},
		"two codes":                {back: func(a string) string { return a + "&code=b" }, want: problemInvalid},
		"a code and an error":      {back: replaced("error", "access_denied"), want: problemInvalid},
		"another code":             {back: replaced("code", "another"), want: problemFailed},
		"another verifier":         {flow: func(f *flow) { f.Verifier = oauth2.GenerateVerifier() }, want: problemFailed},
		"too late":                 {flow: func(f *flow) { f.Until = past }, want: problemOtherBrowser},
		"a cookie that was changed": {cookie: func(c *http.Cookie) {
			b, _ := base64.RawURLEncoding.DecodeString(c.Value)
			b[len(b)-1] ^= 1
			c.Value = base64.RawURLEncoding.EncodeToString(b)
		}, want: problemOtherBrowser},
		"a cookie of nothing":   {cookie: func(c *http.Cookie) { c.Value = "x" }, want: problemOtherBrowser},
		"a session as a flow":   {cookie: func(c *http.Cookie) { c.Name = hostOnly + sessionCookie }, want: problemOtherBrowser},
		"a cookie that is long": {cookie: func(c *http.Cookie) { c.Value = strings.Repeat("A", 5000) }, want: problemOtherBrowser},
	} {
		t.Run(name, func(t *testing.T) {
			p := provider(t)
			if c.back == nil && c.flow == nil && c.cookie == nil {
				p.Say(c.says)
			}
			var log bytes.Buffer
			s := serviceAt(t, p.URL, func(o *Options) {
				o.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			})
			began := s.begins(t, "/")
			cookie := began.Cookies[0]
			if c.flow != nil {
				f := opened(t, s, cookie)
				c.flow(&f)
				text, _ := json.Marshal(f)
				cookie.Value = base64.RawURLEncoding.EncodeToString(s.flows.Seal(text, sealedFlow))
			}
			if c.cookie != nil {
				c.cookie(cookie)
			}
			back := visits(t, began.URL)
			if c.back != nil {
				back = c.back(back)
			}
			step, err := s.Return(t.Context(), get(back, cookie))
			var p2 *Problem
			if !errors.As(err, &p2) || p2 != c.want {
				t.Errorf("%v, want %v", err, c.want)
			}
			if c.want == problemNoAccess && !(strings.Contains(log.String(), "level=WARN") && strings.Contains(log.String(), "user=her tenant=acme claim=roles")) {
				t.Errorf("the operator is told %s", &log)
			}
			if slices.ContainsFunc(step.Cookies, func(c *http.Cookie) bool { return c.MaxAge > 0 }) {
				t.Errorf("the browser keeps %v", step.Cookies)
			}
			for _, secret := range append(p.Given(), oauthtest.ClientSecret, cookie.Value, "<script>") {
				if secret != "x" && strings.Contains(log.String(), secret) {
					t.Errorf("the log has %q: %s", secret, &log)
				}
			}
		})
	}
}

func opened(t *testing.T, s *Service, c *http.Cookie) (f flow) {
	t.Helper()
	sealed, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := s.flows.Open(sealed, sealedFlow)
	if err != nil || json.Unmarshal(text, &f) != nil {
		t.Fatal(err)
	}
	return f
}

// A link of another site leads to the page, and another name of the machine to the public
// one, once.
func TestWhereSigningInBegins(t *testing.T) {
	p := provider(t)
	s := serviceAt(t, p.URL, nil)
	for _, site := range []string{"cross-site", "same-site"} {
		r := get(publicURL + "/signin?return=/inbox")
		r.Header.Set("Sec-Fetch-Site", site)
		if step, err := s.Begin(t.Context(), r); err != nil || step.URL != "/inbox" || step.Cookies != nil {
			t.Errorf("%s: %+v, %v", site, step, err)
		}
	}
	step, err := s.Begin(t.Context(), get("https://other.example/signin?return=/inbox"))
	if err != nil || !strings.HasPrefix(step.URL, publicURL+"/signin?") || step.Cookies != nil {
		t.Fatalf("%+v, %v", step, err)
	}
	again := get(step.URL)
	again.Host = "other.example" // a proxy writes it anew
	if step, err := s.Begin(t.Context(), again); err != nil || !strings.HasPrefix(step.URL, p.URL) || step.Return != "/inbox" {
		t.Errorf("%+v, %v", step, err)
	}
	p.Stop()
	if _, err := serviceAt(t, p.URL, nil).Begin(t.Context(), get(publicURL+"/signin")); err != problemDown {
		t.Errorf("without a provider: %v", err)
	}
}

func TestReturnPathBelowABase(t *testing.T) {
	for text, want := range map[string]string{
		"/agents": "/agents/", "/agents/": "/agents/", "/agents/?thread=a": "/agents/?thread=a", "/agents/inbox": "/agents/inbox",
		"/": "/agents/", "/inbox": "/agents/", "/agentsx/inbox": "/agents/", "/agents/../admin": "/agents/", "/agents/signin": "/agents/", "/agents/login/t/i": "/agents/",
		"/agents//evil.example": "/agents/evil.example", "": "/agents/", "//evil.example": "/agents/",
	} {
		if got := returnPath("/agents", text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestReturnPath(t *testing.T) {
	for text, want := range map[string]string{
		"/inbox": "/inbox", "/?thread=a": "/?thread=a", "/ops/runs?state=dead&x=%2F": "/ops/runs?state=dead&x=%2F", "/a/../inbox": "/inbox",
		"": "/", "inbox": "/", "//evil.example": "/", "///evil.example": "/", "/\\evil.example": "/", "\\\\evil.example": "/", "https://evil.example/": "/", "https:evil": "/",
		"javascript:alert(1)": "/", "/\t/evil.example": "/", "/\r\nSet-Cookie: a=b": "/", "/%2F/evil.example": "/evil.example", "/%5Cevil.example": "/%5Cevil.example", "/.//evil.example": "/evil.example",
		"/..//evil.example": "/evil.example", "//user@evil.example": "/", "/signin?return=/": "/", "/signin/callback?code=x": "/", "/x/../signin": "/", "/signout": "/", "/login/t/i": "/",
		"/" + strings.Repeat("x", 2000): "/",
	} {
		got := returnPath("", text)
		u, err := url.Parse(publicURL)
		if err != nil {
			t.Fatal(err)
		}
		if to, err := u.Parse(got); err != nil || to.Host != u.Host || to.Scheme != u.Scheme {
			t.Errorf("%q leads to %v", text, to)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
