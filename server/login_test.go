package server

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/oauthtest"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/ws"
	"github.com/aguiws/aguiws/server/login"
)

const (
	// publicURL is where browsers would find the server. The tests bring them to where it is.
	publicURL = "http://127.0.0.1:1"
	loginKey  = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
)

// loginLab is a server whose script agent can ask for an account at a provider, git.
type loginLab struct {
	*walk
	provider *oauthtest.Server
	store    loginStore
	log      *lockedText
}

type loginStore interface {
	store.Store
	store.Logins
}

// lockedText is what a log wrote.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newLoginLab(t *testing.T, hook func(string), auth identity.Authenticator) *loginLab {
	t.Helper()
	return newLoginLabOn(t, embedded(t), hook, auth)
}

func newLoginLabOn(t *testing.T, st loginStore, hook func(string), auth identity.Authenticator) *loginLab {
	t.Helper()
	l := &loginLab{store: st, provider: oauthtest.Start(t, publicURL), log: new(lockedText)}
	sealer, err := login.ParseKeys(loginKey)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(l.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	svc, err := login.New(l.store, login.Options{Sealer: sealer, PublicURL: publicURL, OneUser: auth == identity.Authenticator(identity.None{}), Logger: log, Hook: hook, Providers: []login.Provider{
		{Name: "git", Title: "Git & Co", Issuer: l.provider.URL, ClientID: oauthtest.ClientID, ClientSecret: oauthtest.ClientSecret},
		{Name: "mail", Issuer: "https://mail.example", ClientID: "x"}}})
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(t, l.store, &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{})}, Logins: svc, Logger: log})
	if auth == nil {
		auth = newTokens(t, []identity.Token{
			{Token: annsToken, Tenant: "acme", User: "ann", Namespace: "team"},
			{Token: bobsToken, Tenant: "acme", User: "bob", Namespace: "team"},
		})
	}
	l.walk = &walk{testServer: newTestServer(t, running(r), &Options{Auth: auth, Logins: svc, InputBurst: 1000, RequestBurst: 10_000, Logger: log})}
	return l
}

// asks lets ann's agent ask for an account, and returns the interrupt.
func (l *loginLab) asks(thread string) string {
	l.t.Helper()
	said := l.says(thread)
	found := regexp.MustCompile(`"interrupts":\[\{"id":"([^"]+)","reason":"aguiws:auth_required"`).FindStringSubmatch(said)
	if found == nil {
		l.t.Fatalf("nothing is asked: %s", said)
	}
	return found[1]
}

func (l *loginLab) says(thread string) string {
	l.t.Helper()
	return l.request(l.t, http.MethodPost, "/agui", annsToken, fmt.Sprintf(
		`{"threadId":%q,"runId":"r-%d","messages":[{"id":"m-%d","role":"user","content":"/login git repo"}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`,
		thread, time.Now().UnixNano(), time.Now().UnixNano()))
}

// told waits until ann's thread tells something, and returns all that it told.
func (l *loginLab) told(thread, text string) string {
	l.t.Helper()
	c := l.as(annsToken)
	defer c.ws.CloseNow()
	c.send(fmt.Sprintf(`{"type":"ws.attach","id":"x","threadId":%q}`, thread))
	var all strings.Builder
	for !strings.Contains(all.String(), text) {
		all.WriteString(string(c.read()) + "\n")
	}
	return all.String()
}

// browser keeps cookies and follows nothing by itself.
func (l *loginLab) browser() *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		l.t.Fatal(err)
	}
	return &http.Client{Jar: jar, Transport: l.http.Client().Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func (l *loginLab) do(b *http.Client, method, address, token string) (*http.Response, string) {
	l.t.Helper()
	r, err := http.NewRequestWithContext(l.t.Context(), method, address, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Origin", l.http.URL)
	}
	resp, err := b.Do(r)
	if err != nil {
		l.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	return resp, string(body)
}

func (l *loginLab) path(thread, interrupt string) string {
	return l.http.URL + "/v1/threads/" + thread + "/interrupts/" + interrupt + "/login"
}

// begins begins a login, and returns where the browser is sent, or the status and answer.
func (l *loginLab) begins(b *http.Client, token, thread, interrupt string) (to string, status int, said string) {
	l.t.Helper()
	resp, said := l.do(b, http.MethodPost, l.path(thread, interrupt), token)
	var begun struct{ URL string }
	_ = json.Unmarshal([]byte(said), &begun)
	return begun.URL, resp.StatusCode, said
}

// agrees is what the provider sends the browser back to, at where the server is.
func (l *loginLab) agrees(b *http.Client, to string) string {
	l.t.Helper()
	resp, said := l.do(b, http.MethodGet, to, "")
	if resp.StatusCode != http.StatusFound {
		l.t.Fatalf("the provider answers %d %s", resp.StatusCode, said)
	}
	return strings.Replace(resp.Header.Get("Location"), publicURL, l.http.URL, 1)
}

// logsIn goes all the way.
func (l *loginLab) logsIn(thread, interrupt string) {
	l.t.Helper()
	b := l.browser()
	to, status, said := l.begins(b, annsToken, thread, interrupt)
	if to == "" {
		l.t.Fatalf("%d %s", status, said)
	}
	if resp, page := l.do(b, http.MethodGet, l.agrees(b, to), ""); resp.StatusCode != http.StatusOK || !strings.Contains(page, "Git &amp; Co") {
		l.t.Fatalf("%d %s", resp.StatusCode, page)
	}
}

func TestLogin(t *testing.T) {
	l := newLoginLab(t, nil, nil)
	interrupt := l.asks("one")
	if open := l.request(t, http.MethodGet, "/v1/threads/one/interrupts", annsToken, ""); !strings.Contains(open, publicURL+"/login/one/"+interrupt) || !strings.Contains(open, `"providerTitle":"Git \u0026 Co"`) {
		t.Errorf("no authorizeUrl, or no title, in %s", open)
	}
	l.logsIn("one", interrupt)
	l.told("one", "I can use your account at git.")
	if record := l.request(t, http.MethodGet, "/v1/threads/one/decisions", annsToken, ""); !strings.Contains(record, `"through":"login"`) || !strings.Contains(record, `acme/ann`) && !strings.Contains(record, `"ann"`) || strings.Count(record, interrupt) == 0 {
		t.Errorf("the record has %s", record)
	}
	// What is there is used at once, in any thread of hers.
	if said := l.says("two"); !strings.Contains(said, "RUN_FINISHED") || strings.Contains(said, "auth_required") {
		t.Errorf("the next run has %s", said)
	}
	if said := l.request(t, http.MethodGet, "/v1/logins", annsToken, ""); !strings.Contains(said, `"provider":"git"`) || !strings.Contains(said, `"repo"`) {
		t.Errorf("ann's logins are %s", said)
	}
	if said := l.request(t, http.MethodGet, "/v1/logins", bobsToken, ""); !strings.Contains(said, `{"items":[]}`) {
		t.Errorf("bob's logins are %s", said)
	}
	if said := l.request(t, http.MethodDelete, "/v1/logins/git", bobsToken, ""); !strings.HasPrefix(said, "404 ") {
		t.Errorf("bob deletes %s", said)
	}
	if said := l.request(t, http.MethodDelete, "/v1/logins/git", annsToken, ""); !strings.HasPrefix(said, "204 ") {
		t.Errorf("ann deletes %s", said)
	}
	l.asks("three")
}

// Nobody resolves it by an answer, and anybody who may cancels it.
func TestLoginIsNoAnswer(t *testing.T) {
	l := newLoginLab(t, nil, nil)
	interrupt := l.asks("one")
	resolve := func(status string) string {
		return l.request(t, http.MethodPost, "/v1/threads/one/interrupts/resolve", annsToken,
			fmt.Sprintf(`{"entries":[{"interruptId":%q,"status":%q,"payload":{"approved":true}}]}`, interrupt, status))
	}
	if said := resolve("resolved"); !strings.HasPrefix(said, "403 ") || !strings.Contains(said, `"login_required"`) {
		t.Errorf("the control API answers %s", said)
	}
	said := l.request(t, http.MethodPost, "/agui", annsToken, fmt.Sprintf(
		`{"threadId":"one","runId":"r9","messages":[],"tools":[],"context":[],"state":{},"forwardedProps":{},"resume":[{"interruptId":%q,"status":"resolved","payload":{"login":%q}}]}`, interrupt, interrupt))
	if !strings.Contains(said, `"login_required"`) {
		t.Errorf("a POST is answered with %s", said)
	}
	c := l.connect("/agui/ws", bearer(annsToken, ws.Subprotocol))
	c.expect("ws.hello")
	c.send(answerTo(ids{thread: "one", interrupt: interrupt}))
	c.expect("ws.run")
	c.expect("ws.stream")
	if f := c.expect("RUN_ERROR"); f["code"] != "login_required" {
		t.Errorf("a socket is answered with %v", f)
	}
	b := l.browser()
	to, _, _ := l.begins(b, annsToken, "one", interrupt)
	if said := resolve("cancelled"); !strings.HasPrefix(said, "200 ") {
		t.Fatalf("cancelling is answered with %s", said)
	}
	l.told("one", "You have not signed in at git, so I go on without.")
	// Who comes back after that gives nothing away.
	if resp, page := l.do(b, http.MethodGet, l.agrees(b, to), ""); resp.StatusCode != http.StatusNotFound || !strings.Contains(page, "Nothing asks for this sign-in any more") {
		t.Errorf("%d %s", resp.StatusCode, page)
	}
	if n := l.provider.Issued.Load(); n != 0 {
		t.Errorf("%d tokens were got for nobody", n)
	}
}

// Each row is a way to fail: what the browser shows, what the page is told, and whether the
// question is still open, so that signing in again goes on.
func TestLoginFailures(t *testing.T) {
	for name, row := range map[string]struct {
		says   oauthtest.Says
		come   func(l *loginLab, b *http.Client, back string) (*http.Response, string)
		status int
		code   string // of the problem that the page is told; "": none
		shows  string
		ends   string // what the agent says; "": the question stays open
	}{
		"denied":            {says: oauthtest.Says{Error: "access_denied"}, status: 403, shows: "You have declined", ends: "You have not signed in at git, so I go on without."},
		"unavailable there": {says: oauthtest.Says{Error: "temporarily_unavailable"}, status: 503, code: "login_unavailable", shows: "cannot be reached now"},
		"refused there":     {says: oauthtest.Says{Error: "invalid_scope"}, status: 502, code: "login_failed", shows: "did not complete"},
		"another issuer":    {says: oauthtest.Says{Iss: "https://evil.example"}, status: 400, code: "login_issuer", shows: "not from the service that was asked"},
		"on another provider's address": {status: 400, code: "login_issuer", shows: "not from the service that was asked", come: func(l *loginLab, b *http.Client, back string) (*http.Response, string) {
			resp, page := l.do(b, http.MethodGet, strings.Replace(back, "/callback/git", "/callback/mail", 1), "")
			if n := l.provider.Asked.Load(); n != 0 {
				l.t.Errorf("its token endpoint was asked %d times", n)
			}
			return resp, page
		}},
		"no issuer":                {says: oauthtest.Says{Iss: "-"}, status: 400, code: "login_issuer", shows: "not from the service that was asked"},
		"the token endpoint fails": {says: oauthtest.Says{Token: 502}, status: 503, code: "login_unavailable", shows: "cannot be reached now"},
		"the exchange is refused":  {says: oauthtest.Says{Token: 400}, status: 502, code: "login_failed", shows: "did not complete"},
		"another browser": {status: 403, shows: "begun by somebody else", come: func(l *loginLab, b *http.Client, back string) (*http.Response, string) {
			return l.do(l.browser(), http.MethodGet, back, "")
		}},
		"another user, by the cookie": {status: 403, shows: "begun by somebody else", come: func(l *loginLab, b *http.Client, back string) (*http.Response, string) {
			return l.do(b, http.MethodGet, back, bobsToken)
		}},
		"a cookie of another flow": {status: 403, shows: "begun by somebody else", come: func(l *loginLab, b *http.Client, back string) (*http.Response, string) {
			other := l.browser()
			at, _ := url.Parse(back)
			for _, c := range b.Jar.Cookies(at) {
				c.Value = strings.Repeat("A", len(c.Value))
				other.Jar.SetCookies(at, []*http.Cookie{{Name: c.Name, Value: c.Value, Path: "/login/callback"}})
			}
			return l.do(other, http.MethodGet, back, "")
		}},
		"no state": {status: 400, shows: "incomplete", come: func(l *loginLab, b *http.Client, back string) (*http.Response, string) {
			return l.do(b, http.MethodGet, l.http.URL+"/login/callback/git?code=x", "")
		}},
		"no code": {status: 400, shows: "incomplete", come: func(l *loginLab, b *http.Client, back string) (*http.Response, string) {
			return l.do(b, http.MethodGet, regexp.MustCompile(`code=[^&]*`).ReplaceAllString(back, "x=y"), "")
		}},
		"a state of nobody": {status: 404, shows: "not known here", come: func(l *loginLab, b *http.Client, back string) (*http.Response, string) {
			return l.do(b, http.MethodGet, l.http.URL+"/login/callback/git?code=x&state=never", "")
		}},
		"a code of nobody": {status: 502, code: "login_failed", shows: "did not complete", come: func(l *loginLab, b *http.Client, back string) (*http.Response, string) {
			return l.do(b, http.MethodGet, regexp.MustCompile(`code=[^&]*`).ReplaceAllString(back, "code=made-up"), "")
		}},
		"a replay": {status: 409, code: "login_failed", shows: "used already", come: func(l *loginLab, b *http.Client, back string) (*http.Response, string) {
			l.do(b, http.MethodGet, regexp.MustCompile(`code=[^&]*`).ReplaceAllString(back, "code=made-up"), "")
			return l.do(b, http.MethodGet, back, "")
		}},
		"the provider is down": {status: 503, code: "login_unavailable", shows: "cannot be reached now", come: func(l *loginLab, b *http.Client, back string) (*http.Response, string) {
			l.provider.Stop()
			return l.do(b, http.MethodGet, back, "")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLoginLab(t, nil, nil)
			interrupt := l.asks("one")
			b := l.browser()
			to, status, said := l.begins(b, annsToken, "one", interrupt)
			if to == "" {
				t.Fatalf("%d %s", status, said)
			}
			l.provider.Say(row.says)
			back := l.agrees(b, to)
			come := row.come
			if come == nil {
				come = func(l *loginLab, b *http.Client, back string) (*http.Response, string) {
					return l.do(b, http.MethodGet, back, "")
				}
			}
			resp, page := come(l, b, back)
			if resp.StatusCode != row.status || !strings.Contains(page, row.shows) {
				t.Errorf("it shows %d %s", resp.StatusCode, page)
			}
			if row.ends != "" {
				l.told("one", row.ends)
				return
			}
			_, asked := l.do(b, http.MethodGet, l.path("one", interrupt), annsToken)
			if row.code == "" && strings.Contains(asked, "problem") || !strings.Contains(asked, `"code":"`+row.code) && row.code != "" {
				t.Errorf("the page is told %s", asked)
			}
			if name == "the provider is down" {
				return
			}
			l.provider.Say(oauthtest.Says{})
			l.logsIn("one", interrupt)
			l.told("one", "I can use your account at git.")
		})
	}
}

// Only whom an interrupt asks begins it, with a credential that a link does not have.
func TestLoginIsTheUsers(t *testing.T) {
	l := newLoginLab(t, nil, nil)
	interrupt := l.asks("one")
	for name, try := range map[string]struct {
		token, path string
		status      int
		says        string
	}{
		"another user of the namespace": {bobsToken, l.path("one", interrupt), 403, "login_not_yours"},
		"nobody":                        {"", l.path("one", interrupt), 401, ""},
		"another interrupt":             {annsToken, l.path("one", "never"), 404, "login_closed"},
		"another thread":                {annsToken, l.path("never", interrupt), 404, "login_closed"},
	} {
		resp, said := l.do(l.browser(), http.MethodPost, try.path, try.token)
		if resp.StatusCode != try.status && !(try.token == "" && resp.StatusCode == 403) || !strings.Contains(said, try.says) || len(resp.Cookies()) > 0 {
			t.Errorf("%s: %d %s, cookies %v", name, resp.StatusCode, said, resp.Cookies())
		}
	}
	// A thread may be called as providers' addresses are.
	if resp, page := l.do(l.browser(), http.MethodGet, l.http.URL+"/login/callback/"+l.asks("callback"), annsToken); resp.StatusCode != 303 {
		t.Errorf("a thread named callback: %d %s", resp.StatusCode, page)
	}
	// Nothing begins, or ends, by looking at an address.
	b := l.browser()
	to, _, _ := l.begins(b, annsToken, "one", interrupt)
	back := l.agrees(b, to)
	for _, address := range []string{back, l.http.URL + "/login/one/" + interrupt} {
		if resp, _ := l.do(b, http.MethodHead, address, annsToken); resp.StatusCode != 405 || resp.Header.Get("Allow") != "GET" || len(resp.Cookies()) > 0 {
			t.Errorf("HEAD %s: %d, %v", address, resp.StatusCode, resp.Header)
		}
	}
	if resp, page := l.do(b, http.MethodGet, back, ""); resp.StatusCode != 200 {
		t.Errorf("after a look: %d %s", resp.StatusCode, page)
	}
	interrupt = l.asks2("other")
	// A link alone says nothing of who follows it.
	link := l.http.URL + "/login/other/" + interrupt
	if resp, page := l.do(l.browser(), http.MethodGet, link, ""); resp.StatusCode != 401 || !strings.Contains(page, "Open the chat and sign in from there") {
		t.Errorf("nobody: %d %s", resp.StatusCode, page)
	}
	if resp, page := l.do(l.browser(), http.MethodGet, link, bobsToken); resp.StatusCode != 403 || !strings.Contains(page, "Another user is asked") {
		t.Errorf("bob: %d %s", resp.StatusCode, page)
	}
	if resp, _ := l.do(l.browser(), http.MethodGet, link, annsToken); resp.StatusCode != 303 || !strings.HasPrefix(resp.Header.Get("Location"), l.provider.URL+"/authorize?") {
		t.Errorf("ann: %d %s", resp.StatusCode, resp.Header.Get("Location"))
	}
}

// Where users are not told apart, the link that the interrupt shows is all that is needed.
func TestLoginByALink(t *testing.T) {
	l := newLoginLab(t, nil, identity.None{})
	interrupt := l.asks("one")
	b := l.browser()
	resp, page := l.do(b, http.MethodGet, l.http.URL+"/login/one/"+interrupt, "")
	if resp.StatusCode != 303 {
		t.Fatalf("%d %s", resp.StatusCode, page)
	}
	cookies := resp.Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteLaxMode || cookies[0].Path != "/login/callback" {
		t.Errorf("cookies %v", cookies)
	}
	if resp, page := l.do(b, http.MethodGet, l.agrees(b, resp.Header.Get("Location")), ""); resp.StatusCode != 200 {
		t.Errorf("%d %s", resp.StatusCode, page)
	}
	l.told("one", "I can use your account at git.")
}

// A page of another site leads its reader here, and no further without them.
func TestLoginByALinkOfAnotherSite(t *testing.T) {
	l := newLoginLab(t, nil, identity.None{})
	link := l.http.URL + "/login/one/" + l.asks("one")
	for site, status := range map[string]int{"cross-site": 200, "same-site": 200, "same-origin": 303, "none": 303, "": 303} {
		r := newRequest(t, t.Context(), http.MethodGet, link, nil)
		r.Header.Set("Sec-Fetch-Mode", "navigate")
		r.Header.Set("Sec-Fetch-Dest", "document")
		if site != "" {
			r.Header.Set("Sec-Fetch-Site", site)
		}
		resp, err := l.browser().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		page, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != status || (status == 200) != strings.Contains(string(page), "<form><button>Sign in</button></form>") || (status == 200) == (len(resp.Cookies()) > 0) {
			t.Errorf("%q: %d %s, cookies %v", site, resp.StatusCode, page, resp.Cookies())
		}
	}
}

// namesNobody is an authenticator that tells tenants apart, and no users.
type namesNobody struct{}

func (namesNobody) Authenticate(_ context.Context, c identity.Credential) (identity.Identity, error) {
	return identity.Identity{Namespace: "n", Tenant: c.Bearer, Scopes: []string{identity.ScopeRun, identity.ScopeRead}}, nil
}

// Users without names would have each other's accounts, of whatever tenant: they have none.
func TestLoginOfNobody(t *testing.T) {
	l := newLoginLab(t, nil, namesNobody{})
	sealed := store.StoredToken{Provider: "git", Version: "v", Sealed: []byte("x")}
	if _, err := l.store.PutToken(t.Context(), "", sealed, "", time.Hour); err != nil {
		t.Fatal(err)
	}
	if said := l.says("one"); strings.Contains(said, "auth_required") || !strings.Contains(said, "login_no_user") {
		t.Errorf("a run has %s", said)
	}
	if said := l.request(t, http.MethodGet, "/v1/logins", annsToken, ""); !strings.HasPrefix(said, "403 ") || !strings.Contains(said, "login_no_user") {
		t.Errorf("listing is answered with %s", said)
	}
	if said := l.request(t, http.MethodDelete, "/v1/logins/git", annsToken, ""); !strings.HasPrefix(said, "403 ") {
		t.Errorf("deleting is answered with %s", said)
	}
}

// A server starts only where both know alike whether users are told apart.
func TestLoginOfOneUser(t *testing.T) {
	sealer, err := login.ParseKeys(loginKey)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []bool{false, true} {
		st := embedded(t)
		svc, err := login.New(st, login.Options{Sealer: sealer, PublicURL: publicURL, OneUser: one})
		if err != nil {
			t.Fatal(err)
		}
		r := newRunner(t, st, &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{})}, Logins: svc})
		for auth, fits := range map[identity.Authenticator]bool{namesNobody{}: !one, identity.None{}: one} {
			if s, err := New(r, &Options{Auth: auth, Logins: svc}); (err == nil) != fits {
				t.Errorf("%T, one user %t: %v, %v", auth, one, s, err)
			}
		}
		if err := r.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// changing is an authenticator whose credentials can be taken back.
type changing struct {
	identity.Authenticator
	mu  sync.Mutex
	now func(identity.Identity) (identity.Identity, error)
}

func (c *changing) say(now func(identity.Identity) (identity.Identity, error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

func (c *changing) Authenticate(ctx context.Context, with identity.Credential) (identity.Identity, error) {
	id, err := c.Authenticator.Authenticate(ctx, with)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil || c.now == nil {
		return id, err
	}
	return c.now(id)
}

// Whoever has lost what they came with, or the right to answer, logs in nowhere by a flow
// that they have begun before.
func TestLoginOfALostCredential(t *testing.T) {
	for name, row := range map[string]struct {
		now    func(identity.Identity) (identity.Identity, error)
		status int
		shows  string
	}{
		"revoked, or expired": {func(identity.Identity) (identity.Identity, error) {
			return identity.Identity{}, identity.ErrUnauthenticated
		}, 403, "expired or was revoked"},
		"shut out": {func(identity.Identity) (identity.Identity, error) { return identity.Identity{}, identity.ErrForbidden }, 403, "expired or was revoked"},
		"may not answer": {func(id identity.Identity) (identity.Identity, error) {
			id.Scopes = []string{identity.ScopeRead}
			return id, nil
		}, 403, "expired or was revoked"},
		"of another namespace": {func(id identity.Identity) (identity.Identity, error) { id.Namespace = "other"; return id, nil }, 403, "expired or was revoked"},
		"of another user":      {func(id identity.Identity) (identity.Identity, error) { id.User = "eve"; return id, nil }, 403, "expired or was revoked"},
		"nobody can tell":      {func(identity.Identity) (identity.Identity, error) { return identity.Identity{}, errors.New("down") }, 503, "cannot tell"},
	} {
		t.Run(name, func(t *testing.T) {
			tokens := newTokens(t, []identity.Token{{Token: annsToken, Tenant: "acme", User: "ann", Namespace: "team"}})
			auth := &changing{Authenticator: tokens}
			l := newLoginLab(t, nil, auth)
			interrupt := l.asks("one")
			b := l.browser()
			to, _, _ := l.begins(b, annsToken, "one", interrupt)
			back := l.agrees(b, to)
			auth.say(row.now)
			if resp, page := l.do(b, http.MethodGet, back, ""); resp.StatusCode != row.status || !strings.Contains(page, row.shows) {
				t.Errorf("%d %s", resp.StatusCode, page)
			}
			if n := l.provider.Issued.Load(); n != 0 {
				t.Errorf("%d tokens were got", n)
			}
			// Nothing is used up, as where it was a mistake.
			auth.say(nil)
			if resp, page := l.do(b, http.MethodGet, back, ""); resp.StatusCode != http.StatusOK {
				t.Errorf("then %d %s", resp.StatusCode, page)
			}
		})
	}
}

// A server that dies in the midst of it loses no login, and nothing is answered twice.
func TestLoginCrashPoints(t *testing.T) {
	for point, again := range map[string]bool{"login_exchanged": true, "login_stored": false} {
		t.Run(point, func(t *testing.T) {
			var dies sync.Once
			l := newLoginLab(t, func(at string) {
				if at == point {
					dies.Do(runtime.Goexit) // as far as the store knows
				}
			}, nil)
			interrupt := l.asks("one")
			b := l.browser()
			to, _, _ := l.begins(b, annsToken, "one", interrupt)
			back := l.agrees(b, to)
			r := newRequest(t, t.Context(), http.MethodGet, back, nil)
			if resp, err := b.Do(r); err == nil {
				body, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				if strings.Contains(string(body), "connected") {
					t.Fatalf("it answers %d %s", resp.StatusCode, body)
				}
			}
			if resp, page := l.do(b, http.MethodGet, back, ""); resp.StatusCode != http.StatusConflict {
				t.Errorf("reloaded it answers %d %s", resp.StatusCode, page)
			}
			to, status, said := l.begins(b, annsToken, "one", interrupt)
			if again != (to != "") || !again && !strings.Contains(said, `"signedIn":true`) {
				t.Fatalf("the next try is answered with %d %s", status, said)
			}
			if again {
				if resp, page := l.do(b, http.MethodGet, l.agrees(b, to), ""); resp.StatusCode != 200 {
					t.Fatalf("%d %s", resp.StatusCode, page)
				}
			}
			all := l.told("one", "I can use your account at git.")
			if n := strings.Count(all, `"type":"RUN_STARTED"`); n > 2 {
				t.Errorf("%d runs began: %s", n, all)
			}
			record := l.request(t, http.MethodGet, "/v1/threads/one/decisions", annsToken, "")
			if n := strings.Count(record, `"through":"login"`); n != 1 {
				t.Errorf("%d decisions are on record: %s", n, record)
			}
		})
	}
}

// overheard is a store, and what runs have it journal and log, before it makes it small.
type overheard struct {
	*redisstore.Store
	batches lockedText
}

func (o *overheard) hear(b store.Batch) {
	fmt.Fprintf(&o.batches, "%s %s %s\n", b.Events, b.Entries, b.Closing)
	if b.End != nil {
		fmt.Fprintf(&o.batches, "%s\n", b.End.Suspension)
	}
}

func (o *overheard) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	o.hear(b)
	return o.Store.Commit(ctx, b)
}

func (o *overheard) Send(ctx context.Context, b store.Batch, answered func(store.CommitResult, error)) bool {
	o.hear(b)
	return o.Store.Send(ctx, b, answered)
}

// allKept is whatever lies in a Redis, as it lies there.
func allKept(t *testing.T, address string) string {
	t.Helper()
	o, err := redis.ParseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	c := redis.NewClient(o)
	defer c.Close()
	ctx := t.Context()
	keys, err := c.Keys(ctx, "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, key := range keys {
		var value any
		switch kind := c.Type(ctx, key).Val(); kind {
		case "string":
			value, err = c.Get(ctx, key).Result()
		case "hash":
			value, err = c.HGetAll(ctx, key).Result()
		case "list":
			value, err = c.LRange(ctx, key, 0, -1).Result()
		case "set":
			value, err = c.SMembers(ctx, key).Result()
		case "zset":
			value, err = c.ZRange(ctx, key, 0, -1).Result()
		case "stream":
			value, err = c.XRange(ctx, key, "-", "+").Result()
		case "none": // its time was over
			continue
		default:
			t.Fatalf("%s is a %s", key, kind)
		}
		if err != nil {
			t.Fatal(key, err)
		}
		fmt.Fprintln(&all, key, value)
	}
	return all.String()
}

// Neither the log of the process, nor what is stored or told of threads has a secret, and
// in the store tokens and flows are not in clear.
func TestLoginKeepsSecrets(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	st, err := redisstore.Open(t.Context(), server.URL(), &redisstore.Options{Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	closes(t, st)
	heard := &overheard{Store: st}
	l := newLoginLabOn(t, heard, nil, nil)
	first, status, _ := l.Page("", annsToken)
	if status != http.StatusOK {
		t.Fatal(status)
	}
	secrets := map[string]string{"the client's": oauthtest.ClientSecret, "the key": loginKey, "ann's credential": annsToken}
	began := func(b *http.Client, thread, interrupt string) (back string) {
		t.Helper()
		to, status, said := l.begins(b, annsToken, thread, interrupt)
		if to == "" {
			t.Fatalf("%d %s", status, said)
		}
		at, _ := url.Parse(to)
		secrets["the state of "+thread] = at.Query().Get("state")
		back = l.agrees(b, to)
		returned, _ := url.Parse(back)
		secrets["the code of "+thread] = returned.Query().Get("code")
		for _, c := range b.Jar.Cookies(returned) {
			secrets["the cookie of "+thread] = c.Value
		}
		return back
	}
	interrupt := l.asks("one")
	b := l.browser()
	back := began(b, "one", interrupt)
	underWay := allKept(t, server.URL())
	_, page := l.do(b, http.MethodGet, back, "")
	told := l.told("one", "I can use your account at git.")
	// And of what fails.
	failing := l.asks2("two")
	l.provider.Say(oauthtest.Says{Token: 400})
	other := l.browser()
	_, failed := l.do(other, http.MethodGet, began(other, "two", failing), "")
	for i, each := range l.provider.Given() {
		secrets[fmt.Sprint("given ", i)] = each
	}
	// Two codes, two verifiers, an access and a refresh token; of each flow state, code and cookie.
	if len(secrets) != 3+6+2*3 {
		t.Fatalf("secrets are %v", secrets)
	}
	for what, secret := range secrets {
		if len(secret) < 16 {
			t.Errorf("%s is %q", what, secret)
		}
	}
	// Each is searched, and has what shows that it is what it seems to be.
	for where, text := range map[string][2]string{
		"the log": {l.log.String(), "a login came to nothing"}, "the thread": {told, interrupt}, "the store with a flow": {underWay, ":flow"}, "the store": {allKept(t, server.URL()), "I can use your account at git."},
		"what runs log and journal": {heard.batches.String(), `"kind":"step"`}, "the suspensions": {heard.batches.String(), `"login":{`},
		"the page": {page, "Git &amp; Co"}, "the page that fails": {failed, "did not complete"},
		"the inbox": {l.request(t, http.MethodGet, "/v1/inbox", annsToken, ""), failing}, "the notices": {l.request(t, http.MethodGet, "/v1/notices?after="+first.Next, annsToken, ""), interrupt},
		"the decisions": {l.request(t, http.MethodGet, "/v1/decisions", annsToken, ""), interrupt}, "the logins": {l.request(t, http.MethodGet, "/v1/logins", annsToken, ""), `"repo"`},
		"the failure": {l.request(t, http.MethodGet, "/v1/threads/two/interrupts/"+failing+"/login", annsToken, ""), "login_failed"},
	} {
		if !strings.Contains(text[0], text[1]) {
			t.Errorf("%s has no %q: %s", where, text[1], text[0])
		}
		for what, secret := range secrets {
			for how, as := range map[string]string{"": secret, "in base64 ": base64.RawStdEncoding.EncodeToString([]byte(secret)), "in hexadecimal ": hex.EncodeToString([]byte(secret))} {
				if strings.Contains(text[0], as) {
					t.Errorf("%s has %s%s", where, how, what)
				}
			}
		}
	}
}

// asks2 asks for an account with a scope that the stored token lacks.
func (l *loginLab) asks2(thread string) string {
	l.t.Helper()
	said := l.request(l.t, http.MethodPost, "/agui", annsToken, fmt.Sprintf(
		`{"threadId":%q,"runId":"r2","messages":[{"id":"m2","role":"user","content":"/login git gists"}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`, thread))
	found := regexp.MustCompile(`"interrupts":\[\{"id":"([^"]+)"`).FindStringSubmatch(said)
	if found == nil {
		l.t.Fatalf("a scope more is not asked for: %s", said)
	}
	return found[1]
}
