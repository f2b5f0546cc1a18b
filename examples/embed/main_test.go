package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// started serves the site until the test ends.
func started(t *testing.T) (site string, ctx context.Context) { return startedWith(t, false) }

func startedWith(t *testing.T, separate bool) (site string, ctx context.Context) {
	ctx, stop := context.WithCancel(context.Background())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- serve(ctx, listener, "", separate) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return "http://" + listener.Addr().String(), ctx
}

func TestEmbed(t *testing.T) {
	site, ctx := started(t)

	stranger := visitor(t)
	if body := get(t, stranger, site+"/"); !strings.Contains(body, "your name") {
		t.Errorf("a stranger sees %s", body)
	}
	if _, err := client.Dial(ctx, site+"/ai/agui/ws", &client.Options{HTTPClient: stranger, Header: http.Header{"Origin": {site}}}); err == nil {
		t.Error("a stranger is let in")
	}

	for _, user := range []string{"ann", "bob"} {
		t.Run(user, func(t *testing.T) {
			browser := loggedIn(t, site, user)
			if body := get(t, browser, site+"/"); !strings.Contains(body, "/ai/agui/ws") {
				t.Errorf("%s sees %s", user, body)
			}
			if body := get(t, browser, site+"/ai/agui/capabilities"); !strings.Contains(body, `"humanInTheLoop"`) {
				t.Errorf("the capabilities are %s", body)
			}
			if body := get(t, browser, site+"/ai/copilotkit/info"); !strings.Contains(body, `"agents"`) {
				t.Errorf("CopilotKit is told %s", body)
			}
			thread := home(ctx, t, site, browser)
			if n := len(thread.View().Messages); n != 0 {
				t.Fatalf("%s sees %d messages of somebody else", user, n)
			}
			end, err := thread.Say("hello").Wait(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := thread.Answer(client.Resolve(client.Asked(end)[0], `{"approved":true}`)).Wait(ctx); err != nil {
				t.Fatal(err)
			}
			messages := thread.View().Messages
			if last := messages[len(messages)-1].Content.String(); last != "The refund was executed." {
				t.Errorf("it says %q", last)
			}
		})
	}
}

// A bearer that the site has not given out is refused, whatever cookie comes with it: with
// one, no Origin is asked for.
func TestStrangeBearer(t *testing.T) {
	site, ctx := started(t)
	options := &client.Options{HTTPClient: loggedIn(t, site, "ann"), Token: "junk"}
	var refused *client.RefusedError
	if _, err := client.Dial(ctx, site+"/ai/agui/ws", options); !errors.As(err, &refused) || refused.Status != http.StatusUnauthorized {
		t.Errorf("%v, want 401", err)
	}
}

// A logout closes the sockets of the session, and no other's.
func TestLogout(t *testing.T) {
	site, ctx := started(t)
	closed := make(chan error, 4)
	socketOf := func(browser *http.Client) *client.Client {
		c, err := client.Dial(ctx, site+"/ai/agui/ws", &client.Options{HTTPClient: browser, Header: http.Header{"Origin": {site}}, Changed: func(s client.Status) {
			if s.Stopped {
				closed <- s.Err
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	leaves, stays := loggedIn(t, site, "ann"), loggedIn(t, site, "ann")
	socketOf(leaves)
	other := socketOf(stays)
	answer, err := leaves.Post(site+"/logout", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	var stopped *client.StoppedError
	if err := <-closed; !errors.As(err, &stopped) || stopped.Code != 4401 {
		t.Errorf("%v, want 4401", err)
	}
	if _, err := other.Follow(ctx, "home", nil); err != nil {
		t.Error(err)
	}
	if body := get(t, leaves, site+"/"); !strings.Contains(body, "your name") {
		t.Errorf("who has logged out sees %s", body)
	}
}

// An approver answers what another user's agent asks, and other users do not see it.
func TestApprover(t *testing.T) {
	site, ctx := started(t)
	as := func(user string) *client.Options {
		return &client.Options{HTTPClient: loggedIn(t, site, user), Header: http.Header{"Origin": {site}}}
	}
	if _, err := home(ctx, t, site, loggedIn(t, site, "ann")).Say("hello").Wait(ctx); err != nil {
		t.Fatal(err)
	}
	for range client.NewInbox(site+"/ai", as("bob")).Waiting(ctx, client.InboxQuery{}) {
		t.Error("bob sees what ann is asked")
	}
	boss, answered := client.NewInbox(site+"/ai", as("boss")), 0
	for waiting, err := range boss.Waiting(ctx, client.InboxQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := boss.Answer(ctx, waiting, client.Resolve(waiting.Interrupts[0].Interrupt, `{"approved":true}`)); err != nil {
			t.Fatal(err)
		}
		answered++
	}
	if answered != 1 {
		t.Errorf("the boss has answered %d questions", answered)
	}
}

// With separate duties a user can cancel what their own message led to, and not approve it.
func TestSeparateDuties(t *testing.T) {
	site, ctx := startedWith(t, true)
	thread := home(ctx, t, site, loggedIn(t, site, "ann"))
	end, err := thread.Say("hello").Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	question := client.Asked(end)[0]
	_, err = thread.Answer(client.Resolve(question, `{"approved":true}`)).Wait(ctx)
	if err == nil || !strings.Contains(err.Error(), "own_approval") {
		t.Errorf("ann approves: %v, want own_approval", err)
	}
	if _, err := thread.Answer(protocol.ResumeEntry{InterruptID: question.ID, Status: protocol.ResumeCancelled}).Wait(ctx); err != nil {
		t.Errorf("ann cancels: %v", err)
	}
}

// home is the user's thread of that name, in the browser of theirs.
func home(ctx context.Context, t *testing.T, site string, browser *http.Client) *client.Thread {
	t.Helper()
	c, err := client.Dial(ctx, site+"/ai/agui/ws", &client.Options{HTTPClient: browser, Header: http.Header{"Origin": {site}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	thread, err := c.Follow(ctx, "home", nil)
	if err != nil {
		t.Fatal(err)
	}
	return thread
}

// loggedIn is a browser of a user's.
func loggedIn(t *testing.T, site, user string) *http.Client {
	t.Helper()
	browser := visitor(t)
	logIn, err := browser.PostForm(site+"/login", url.Values{"user": {user}})
	if err != nil {
		t.Fatal(err)
	}
	logIn.Body.Close()
	return browser
}

// visitor is a browser of somebody's own.
func visitor(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Jar: jar, Transport: transport}
}

func get(t *testing.T, browser *http.Client, url string) string {
	t.Helper()
	answer, err := browser.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
