package server

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	agui "github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/internal/bindingschema"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/ws"
	"github.com/aguiws/aguiws/server/login"
)

// ids are what a request may name. Those of one walk are as long as those of
// another, so that answers are too.
type ids struct{ thread, run, message, interrupt, dispatch string }

// never are ids that nobody has used.
var never = ids{"thread-9999-never", "run-9999-never", "message-9999-never", "9999999999999999", "8888888888888888"}

// bodies are what is sent to routes that take something, by method and path. A
// route for another method than GET that is not here fails the walk.
var bodies = map[string]func(ids) string{
	"POST /agui":         inputTo,
	"POST /agui/{agent}": inputTo,
	"POST /agui/threads/{thread}/runs/{run}/stop": func(ids) string { return "" },
}

// onlyRead are the routes without a method that take nothing.
var onlyRead = []string{"/agui/ws", "/agui/{agent}/ws", "/agui/threads/{thread}/events"}

// openRoutes are told to everybody, and may name nothing.
var openRoutes = []string{"GET /healthz", "GET /readyz", "GET /login/callback/git", "GET /signin", "GET /signin/callback", "POST /signout"}

// tokenRoutes are for whoever has what their paths name: without it everybody is told the
// same.
var tokenRoutes = []string{"POST /v1/events/{token}"}

// controls are the control frames of a client, as docs/binding/frames.schema.json lists them.
var controls = map[string]func(ids) string{
	"ws.attach": func(i ids) string { return fmt.Sprintf(`{"type":"ws.attach","id":"x","threadId":%q}`, i.thread) },
	"ws.cancel": func(i ids) string {
		return fmt.Sprintf(`{"type":"ws.cancel","id":"x","threadId":%q,"runId":%q}`, i.thread, i.run)
	},
	"ws.detach":   func(i ids) string { return fmt.Sprintf(`{"type":"ws.detach","id":"x","threadId":%q}`, i.thread) },
	"ws.messages": func(i ids) string { return fmt.Sprintf(`{"type":"ws.messages","id":"x","threadId":%q}`, i.thread) },
	"ws.ping":     func(ids) string { return `{"type":"ws.ping","id":"x"}` },
}

func inputTo(i ids) string {
	return fmt.Sprintf(`{"threadId":%q,"runId":%q,"messages":[{"id":%q,"role":"user","content":"/say hello"}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`,
		i.thread, i.run, i.message)
}

func answerTo(i ids) string {
	return fmt.Sprintf(`{"threadId":%q,"runId":"r-answer","messages":[],"tools":[],"context":[],"state":{},"forwardedProps":{},"resume":[{"interruptId":%q,"status":"resolved","payload":{"approved":true}}]}`,
		i.thread, i.interrupt)
}

// canary is in what ann's thread holds, and in nothing else.
const canary = "canary-4711"

// reported is the digest of a payload in ann's thread, the table that /report 2 makes.
var reported = fmt.Sprintf("%x", sha256.Sum256([]byte("row,square\n1,1\n2,4\n")))

// walk is a server on which ann of acme has a thread with a question open.
type walk struct {
	*testServer
	theirs ids
}

var strangers = map[string]string{
	"another user":          "0123456789abcdef-bob",
	"a user elsewhere":      "0123456789abcdef-eve",
	"an approver elsewhere": "0123456789abcdef-sam",
}

func newWalk(t *testing.T) *walk {
	agent := script.New(script.Options{})
	st := embedded(t)
	sealer, err := login.ParseKeys(loginKey)
	if err != nil {
		t.Fatal(err)
	}
	logins, err := login.New(st, login.Options{Sealer: sealer, PublicURL: publicURL, Providers: []login.Provider{{Name: "git", Issuer: publicURL, ClientID: "x"}}})
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(t, st, &runner.Options{Agents: map[string]adapter.Agent{"": agent, "script": agent}, Logins: logins})
	tokens := newTokens(t, []identity.Token{
		{Token: annsToken, Tenant: "acme", User: "ann"},
		{Token: strangers["another user"], Tenant: "acme", User: "bob"},
		{Token: strangers["a user elsewhere"], Tenant: "other", User: "ann"},
		{Token: strangers["an approver elsewhere"], Tenant: "other", User: "sam", Scopes: []string{identity.ScopeRead, identity.ScopeRun, "approver", "admin"}},
	})
	w := &walk{testServer: newTestServer(t, running(r), &Options{
		Auth: tokens, Agents: []string{"script"}, Logins: logins, SignIn: signInAt(t, publicURL), FrameBurst: 1000, InputBurst: 1000, RequestBurst: 10_000,
	})}
	w.theirs = ids{thread: "thread-0001-known", run: "run-0001-known", message: "message-0001-known"}
	c := w.as(annsToken)
	defer c.ws.CloseNow()
	first := ids{thread: w.theirs.thread, run: "run-0000-report", message: "message-0000-report"}
	w.run(c, strings.Replace(inputTo(first), "/say hello", "/report 2", 1))
	if answer := w.request(t, http.MethodGet, fill(t, "/v1/payloads/{ref}", w.theirs, ""), annsToken, ""); !strings.HasSuffix(answer, "row,square\n1,1\n2,4\n") {
		t.Fatalf("ann's payload: %s", answer)
	}
	c.send(strings.Replace(inputTo(w.theirs), "/say hello", "/confirm "+canary, 1))
	for w.theirs.interrupt == "" {
		data := string(c.read())
		if found := regexp.MustCompile(`"interrupts":\[\{"id":"([^"]+)"`).FindStringSubmatch(data); found != nil {
			w.theirs.interrupt = found[1]
		} else if strings.Contains(data, "RUN_ERROR") {
			t.Fatal(data)
		}
	}
	runs := w.request(t, http.MethodGet, "/v1/threads/"+w.theirs.thread+"/runs", annsToken, "")
	found := regexp.MustCompile(`"id":"([^"]+)"`).FindStringSubmatch(runs)
	if found == nil {
		t.Fatalf("ann's runs have no ids: %s", runs)
	}
	w.theirs.dispatch = found[1]
	never.dispatch, never.interrupt = strings.Repeat("9", len(found[1])), strings.Repeat("8", len(w.theirs.interrupt))
	return w
}

func (w *walk) as(token string) *client {
	w.t.Helper()
	c := w.connect("/agui/ws", bearer(token, ws.Subprotocol))
	c.expect("ws.hello")
	return c
}

// state is all that ann is told of her thread.
func (w *walk) state() string {
	w.t.Helper()
	c := w.as(annsToken)
	defer c.ws.CloseNow()
	return w.exchange(c, controls["ws.attach"](w.theirs))
}

// exchange sends a frame and returns everything that comes for it.
func (w *walk) exchange(c *client, frame string) string {
	w.t.Helper()
	var got strings.Builder
	if strings.Contains(frame, `"type":"ws.`) {
		c.send(frame)
	} else {
		got.WriteString(w.run(c, frame))
	}
	c.send(`{"type":"ws.ping","id":"over"}`)
	for over := false; !over; {
		data := string(c.read())
		got.WriteString(data + "\n")
		over = strings.Contains(data, `"id":"over"`)
	}
	return got.String()
}

// run sends an input and returns everything until its run ends.
func (w *walk) run(c *client, input string) string {
	w.t.Helper()
	var got strings.Builder
	c.send(input)
	for over := false; !over; {
		data := string(c.read())
		got.WriteString(data + "\n")
		over = strings.Contains(data, `"type":"RUN_FINISHED"`) || strings.Contains(data, `"type":"RUN_ERROR"`)
	}
	return got.String()
}

// made is what a server makes up: ids, epochs and times.
var made = regexp.MustCompile(`"(epoch|messageId|id|toolCallId|createdAt|changedAt|updatedAt|at)":"?[^",}]*"?|"timestamp":\d+|(?m:^id: [^:]+)`)

// plain takes out of an answer what names the request, and what is made up.
func (w *walk) plain(answer string, of ids) string {
	for _, id := range []string{of.thread, of.run, of.message, of.interrupt, of.dispatch} {
		answer = strings.ReplaceAll(answer, id, "ID")
	}
	return made.ReplaceAllString(answer, "MADE")
}

func (w *walk) compare(t *testing.T, what, known, unknown string) {
	t.Helper()
	if strings.Contains(known, canary) {
		t.Errorf("%s: is told what is ann's: %s", what, known)
	}
	if a, b := w.plain(known, w.theirs), w.plain(unknown, never); a != b {
		t.Errorf("%s: what is ann's answers\n%s\nand what does not exist\n%s", what, a, b)
	}
}

func TestWalkFrames(t *testing.T) {
	frames := map[string]func(ids) string{"input": inputTo, "answer": answerTo}
	for name := range bindingFrames().Members(bindingschema.Client) {
		if controls[name] == nil {
			t.Fatalf("%s is not in the walk: add it to controls", name)
		}
		frames[name] = controls[name]
	}
	frames["ws.attach after"] = func(i ids) string {
		return fmt.Sprintf(`{"type":"ws.attach","id":"x","threadId":%q,"after":{"epoch":"e","seq":1}}`, i.thread)
	}
	w := newWalk(t)
	before := w.state()
	if !strings.Contains(before, canary) {
		t.Fatalf("ann is told %s", before)
	}
	for who, token := range strangers {
		for name, frame := range frames {
			t.Run(who+"/"+name, func(t *testing.T) {
				one, two := w.as(token), w.as(token)
				defer one.ws.CloseNow()
				defer two.ws.CloseNow()
				w.compare(t, name, w.exchange(one, frame(w.theirs)), w.exchange(two, frame(never)))
			})
		}
	}
	for who, token := range strangers {
		t.Run(who+"/plain", func(t *testing.T) {
			one, two := w.connect("/agui/ws", bearer(token)), w.connect("/agui/ws", bearer(token))
			defer one.ws.CloseNow()
			defer two.ws.CloseNow()
			for _, frame := range []func(ids) string{inputTo, answerTo} {
				w.compare(t, who, w.run(one, frame(w.theirs)), w.run(two, frame(never)))
			}
		})
	}
	if after := w.state(); after != before {
		t.Errorf("ann was told\n%s\nand is now\n%s", before, after)
	}
	for name, c := range map[string]struct{ token, subprotocol string }{
		"nobody": {"", ws.Subprotocol}, "nobody, plain": {"", ""}, "a wrong token": {"0123456789abcdef-xyz", ws.Subprotocol}, "a wrong token, plain": {"0123456789abcdef-xyz", ""},
	} {
		opts := &agui.DialOptions{Subprotocols: []string{}, Header: http.Header{"Origin": {w.http.URL}}}
		if c.token != "" {
			opts.Header.Set("Authorization", "Bearer "+c.token)
		}
		if c.subprotocol != "" {
			opts.Subprotocols = []string{c.subprotocol}
		}
		var refused *agui.RefusedError
		if _, err := agui.Open(t.Context(), w.http.URL+"/agui/ws", opts); !errors.As(err, &refused) || refused.Status != http.StatusUnauthorized {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever is registered is walked: a route that is new here must answer a
// stranger as if what it names did not exist, and nobody not at all.
func TestWalkRoutes(t *testing.T) {
	if testing.Short() {
		t.Skip("one request after another: the race detector has nothing to find, and takes its time")
	}
	w := newWalk(t)
	before := w.state()
	registered := map[string]bool{}
	for _, r := range slices.Concat(w.probes(), w.routes()) {
		method, path, found := strings.Cut(r.pattern, " ")
		methods := []string{method}
		if !found {
			path, methods = r.pattern, []string{http.MethodGet}
			if bodyOf(http.MethodPost, path) != nil {
				methods = append(methods, http.MethodPost)
			} else if !slices.Contains(onlyRead, strings.TrimSuffix(path, slash)) {
				t.Errorf("the walk does not know what %s takes: add it to bodies or to onlyRead", path)
			}
		}
		for _, method := range methods {
			pattern := method + " " + path
			registered[pattern] = true
			if !slices.Contains(openRoutes, pattern) {
				t.Run(pattern, func(t *testing.T) {
					if !strings.HasPrefix(path, "/v1/") {
						w.walkRoute(t, method, path)
						return
					}
					// Strangers have threads of their own after inputs: this is
					// about one who has none.
					own := newWalk(t)
					before := own.state()
					own.walkRoute(t, method, path)
					if after := own.state(); after != before {
						t.Errorf("ann was told\n%s\nand is now\n%s", before, after)
					}
				})
			} else if strings.Contains(path, "{") {
				t.Errorf("%s is open and names something", pattern)
			}
		}
	}
	for pattern := range bodies {
		if !registered[pattern] {
			t.Logf("%s is not served", pattern)
		}
	}
	if after := w.state(); after != before {
		t.Errorf("ann was told\n%s\nand is now\n%s", before, after)
	}
}

func (w *walk) walkRoute(t *testing.T, method, path string) {
	body := func(ids) string { return "" }
	if method != http.MethodGet && method != http.MethodHead {
		if body = bodyOf(method, path); body == nil {
			t.Fatalf("the walk does not know what %s %s takes: add it to bodies", method, path)
		}
	}
	request := func(token string, of ids, agent string) string {
		return w.request(t, method, fill(t, path, of, agent), token, body(of))
	}
	session, err := w.opts.SignIn.Session(identity.Identity{Tenant: "acme", User: "cid", Namespace: "acme/user/cid"})
	if err != nil {
		t.Fatal(err)
	}
	all := maps.Clone(strangers)
	all["a user by a session"] = bySession + session.Name + "=" + session.Value
	for who, token := range all {
		known := request(token, w.theirs, "script")
		if strings.Contains(path, "{") || body(never) != "" {
			w.compare(t, who, known, request(token, never, "script"))
		}
		if strings.Contains(known, canary) || strings.Contains(known, "-0001-known") && !strings.Contains(path+body(w.theirs), "-0001-known") && !strings.Contains(path, "{") {
			t.Errorf("%s is told what is ann's: %s", who, known)
		}
	}
	for _, token := range []string{"", "0123456789abcdef-xyz"} {
		known, unknown, agentless := request(token, w.theirs, "script"), request(token, never, "script"), request(token, never, "nobody")
		w.compare(t, "nobody", known, unknown)
		w.compare(t, "nobody, of agents", known, agentless)
		if slices.Contains(tokenRoutes, method+" "+path) {
			if !strings.HasPrefix(known, "404 ") {
				t.Errorf("with token %q it answers %s", token, known)
			}
			continue
		}
		if !strings.HasPrefix(known, "401 ") && (token != "" || !strings.HasPrefix(known, "403 ")) && !strings.Contains(known, "upgrade_required") {
			t.Errorf("with token %q it answers %s", token, known)
		}
	}
}

// bodyOf is what is sent to a route. With a slash behind it it is the same.
func bodyOf(method, path string) func(ids) string {
	return bodies[method+" "+strings.TrimSuffix(path, slash)]
}

// fill puts ids into a pattern.
func fill(t *testing.T, path string, of ids, agent string) string {
	t.Helper()
	return regexp.MustCompile(`\{([^}]*)\}`).ReplaceAllStringFunc(path, func(wildcard string) string {
		name := strings.ToLower(strings.Trim(wildcard, "{.$}"))
		if name == "run" && strings.HasPrefix(path, "/v1/") {
			return of.dispatch // the control API calls runs by the server's ids
		}
		if name == "token" {
			return base64.RawURLEncoding.EncodeToString([]byte(of.thread + of.interrupt))
		}
		if name == "ref" {
			return base64.RawURLEncoding.EncodeToString([]byte(of.thread)) + "." + reported
		}
		for part, id := range map[string]string{"thread": of.thread, "run": of.run, "interrupt": of.interrupt, "dispatch": of.dispatch, "agent": agent, "target": "crm", "provider": "git", "webhook": "1-1-0", "branch": "no-branch"} {
			if strings.HasPrefix(name, part) {
				return id
			}
		}
		if name != "" {
			t.Fatalf("the walk does not know what %s is: add it to fill", wildcard)
		}
		return ""
	})
}

// bySession begins what stands for the cookie of a session in place of a token.
const bySession = "session "

// request returns all that is answered but the date.
func (w *walk) request(t *testing.T, method, path, token, body string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r := newRequest(t, ctx, method, w.http.URL+path, strings.NewReader(body))
	r.Header.Set("Origin", w.http.URL)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if cookie, session := strings.CutPrefix(token, bySession); session {
		// As the page asks that the public URL serves.
		r.Host = strings.TrimPrefix(publicURL, "http://")
		r.Header.Set("Origin", publicURL)
		r.Header.Set("Cookie", cookie)
	} else if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := w.http.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s does not end within %v: %v", method, path, patience, err)
	}
	resp.Header.Del("Date")
	var headers []string
	for name, values := range resp.Header {
		headers = append(headers, fmt.Sprint(name, values))
	}
	slices.Sort(headers)
	return fmt.Sprintf("%d %s\n%s", resp.StatusCode, strings.Join(headers, "\n"), all)
}
