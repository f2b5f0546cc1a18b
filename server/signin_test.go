package server

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/internal/oauthtest"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/ws"
	"github.com/aguiws/aguiws/server/login"
	"github.com/aguiws/aguiws/server/signin"
)

func signInAt(t testing.TB, issuer string) *signin.Service {
	t.Helper()
	sealer, err := login.ParseKeys(loginKey)
	if err != nil {
		t.Fatal(err)
	}
	s, err := signin.New(signin.Options{Issuer: issuer, ClientID: oauthtest.ClientID, ClientSecret: oauthtest.ClientSecret, PublicURL: publicURL, Sealer: sealer})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// signInLab is a server on which people sign in, and one of the same key beside it.
func signInLab(t *testing.T, issuer string) (one, other *testServer) {
	t.Helper()
	node := func() *testServer {
		tokens := newTokens(t, []identity.Token{{Token: annsToken, User: "ann"}})
		page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the page") })
		r := newRunner(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{})}})
		return newTestServer(t, running(r), &Options{Auth: tokens, SignIn: signInAt(t, issuer), Origins: []string{"https://app.example"}, Fallback: page})
	}
	return node(), node()
}

// asPage sends a request as a browser does to the public URL.
func (ts *testServer) asPage(t *testing.T, method, path string, header http.Header, body string) (*http.Response, string) {
	t.Helper()
	r := newRequest(t, t.Context(), method, ts.http.URL+path, strings.NewReader(body))
	r.Header, r.Host = header.Clone(), strings.TrimPrefix(publicURL, "http://")
	if r.Header == nil {
		r.Header = http.Header{}
	}
	resp, err := ts.http.Client().Transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return resp, ""
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

func cookies(resp *http.Response) http.Header {
	var pairs []string
	for _, c := range resp.Cookies() {
		if c.MaxAge >= 0 {
			pairs = append(pairs, c.Name+"="+c.Value)
		}
	}
	return http.Header{"Cookie": {strings.Join(pairs, "; ")}}
}

func beside(h http.Header, pairs ...string) http.Header {
	h = h.Clone()
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

func TestPeopleSignIn(t *testing.T) {
	provider := oauthtest.Start(t, publicURL)
	one, other := signInLab(t, provider.URL)
	began, _ := one.asPage(t, "GET", "/signin?return=/inbox", nil, "")
	to, err := url.Parse(began.Header.Get("Location"))
	if err != nil || began.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to.String(), provider.URL) {
		t.Fatalf("%s: %v", began.Status, began.Header)
	}
	agreed, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(httptest.NewRequest("GET", to.String(), nil))
	if err != nil {
		t.Fatal(err)
	}
	agreed.Body.Close()
	// Any node takes the browser back.
	back, text := other.asPage(t, "GET", strings.TrimPrefix(agreed.Header.Get("Location"), publicURL), beside(cookies(began), "Sec-Fetch-Site", "cross-site"), "")
	if back.StatusCode != http.StatusSeeOther || back.Header.Get("Location") != "/inbox" {
		t.Fatalf("%s: %s", back.Status, text)
	}
	session := cookies(back)
	post := inputTo(ids{thread: "t", run: "r", message: "m"})
	upgrade := []string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol", ws.Subprotocol}
	for _, c := range []struct {
		what, method, path, body string
		header                   http.Header
		status                   int
		says                     string
	}{
		{"the page reads", "GET", "/agui/capabilities", "", session, 200, ""},
		{"the page's CopilotKit", "GET", "/copilotkit/info", "", session, 200, ""},
		{"the page sends", "POST", "/agui", post, beside(session, "Origin", publicURL, "Content-Type", "application/json"), 200, ""},
		{"the page's socket", "GET", "/agui/ws", "", beside(session, append(upgrade, "Origin", publicURL)...), 101, ""},
		{"a form of another site", "POST", "/agui", post, beside(session, "Origin", "https://evil.example", "Content-Type", "application/json"), 403, "origin_not_allowed"},
		{"a page that is listed", "POST", "/agui", post, beside(session, "Origin", "https://app.example", "Content-Type", "application/json"), 403, "origin_not_allowed"},
		{"a page that is listed reads", "GET", "/agui/capabilities", "", beside(session, "Origin", "https://app.example"), 403, "origin_not_allowed"},
		{"CopilotKit of a page that is listed", "GET", "/copilotkit/info", "", beside(session, "Origin", "https://app.example"), 403, "origin_not_allowed"},
		{"a page that is listed, with a token", "GET", "/agui/capabilities", "", beside(session, "Origin", "https://app.example", "Authorization", "Bearer "+annsToken), 200, ""},
		{"a program", "POST", "/agui", post, beside(session, "Content-Type", "application/json"), 403, "origin_required"},
		{"an image", "GET", "/agui/capabilities", "", beside(session, "Sec-Fetch-Site", "cross-site"), 403, "origin_not_allowed"},
		{"a socket of another site", "GET", "/agui/ws", "", beside(session, append(upgrade, "Origin", "https://evil.example")...), 403, "origin_not_allowed"},
		{"a socket of a page that is listed", "GET", "/agui/ws", "", beside(session, append(upgrade, "Origin", "https://app.example")...), 403, "origin_not_allowed"},
		{"a socket of a program", "GET", "/agui/ws", "", beside(session, upgrade...), 403, "origin_required"},
		{"a token", "GET", "/agui/capabilities", "", http.Header{"Authorization": {"Bearer " + annsToken}}, 200, ""},
		{"nobody", "GET", "/agui/capabilities", "", nil, 401, "unauthenticated"},
		{"a session that was changed", "GET", "/agui/capabilities", "", http.Header{"Cookie": {session.Get("Cookie") + "A"}}, 401, "unauthenticated"},
		{"signing out from another site", "POST", "/signout", "", beside(session, "Origin", "https://evil.example"), 403, "origin_not_allowed"},
		{"signing out from anywhere", "POST", "/signout", "", session, 403, "origin_not_allowed"},
		{"signing out by a link", "GET", "/signout", "", session, 405, "method_not_allowed"},
	} {
		resp, text := one.asPage(t, c.method, c.path, c.header, c.body)
		if resp.StatusCode != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s: %s: %s", c.what, resp.Status, text)
		}
		if c.status == 403 && resp.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s: it changes cookies", c.what)
		}
	}
	out, _ := one.asPage(t, "POST", "/signout", beside(session, "Origin", publicURL), "")
	if kept := out.Cookies(); out.StatusCode != http.StatusNoContent || len(kept) != 1 || kept[0].MaxAge >= 0 {
		t.Errorf("%s: %v", out.Status, kept)
	}
	// What came of it is told in words, and none of them are the provider's.
	refused, text := one.asPage(t, "GET", "/signin/callback?state=x&error="+url.QueryEscape("<script>alert(1)</script>"), nil, "")
	if refused.StatusCode != http.StatusForbidden || strings.Contains(text, "script") || !strings.Contains(text, `action="/signin"`) || !strings.Contains(refused.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%s: %v: %s", refused.Status, refused.Header, text)
	}
}

// While the provider does not answer, everybody else goes on.
func TestProviderDoesNotAnswer(t *testing.T) {
	asked, answer := make(chan struct{}, 9), make(chan struct{})
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked <- struct{}{}
		<-answer
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer provider.Close()
	one, _ := signInLab(t, provider.URL)
	told := make(chan string)
	go func() {
		resp, text := one.asPage(t, "GET", "/signin?return="+url.QueryEscape(`/?thread="><b>`), nil, "")
		told <- resp.Status + text
	}()
	<-asked
	if resp, text := one.asPage(t, "GET", "/", nil, ""); text != "the page" {
		t.Errorf("the page: %s", resp.Status)
	}
	if resp, _ := one.asPage(t, "GET", "/agui/capabilities", http.Header{"Authorization": {"Bearer " + annsToken}}, ""); resp.StatusCode != 200 {
		t.Errorf("who has a token: %s", resp.Status)
	}
	close(answer)
	if text := <-told; !strings.HasPrefix(text, "503") || !strings.Contains(text, "does not answer now") || strings.Contains(text, "<b>") {
		t.Error(text)
	}
}

// The control API tells each who they are.
func TestMe(t *testing.T) {
	w := newWalk(t)
	for token, want := range map[string]string{
		annsToken:                          `{"user":"ann","tenant":"acme","namespace":"acme/user/ann","scopes":["read","run"]}`,
		strangers["an approver elsewhere"]: `{"user":"sam","tenant":"other","namespace":"other/user/sam","scopes":["read","run","approver","admin"]}`,
	} {
		answer := w.request(t, http.MethodGet, "/v1/me", token, "")
		if _, body, _ := strings.Cut(answer, "\n{"); "{"+strings.TrimSpace(body) != want {
			t.Errorf("%s", answer)
		}
	}
	c, err := w.opts.SignIn.Session(identity.Identity{User: "eve", Tenant: "other", Namespace: "other/user/eve", Name: "Eve <Example>", Scopes: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	resp, body := w.asPage(t, "GET", "/v1/me", http.Header{"Cookie": {c.Name + "=" + c.Value}}, "")
	var me struct {
		User, Name string
		Scopes     []string
	}
	if err := json.Unmarshal([]byte(body), &me); err != nil || me.User != "eve" || me.Name != "Eve <Example>" || me.Scopes == nil || len(me.Scopes) != 0 {
		t.Errorf("%s: %s", resp.Status, body)
	}
}
