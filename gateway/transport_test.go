package gateway

import (
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/protocol"
)

func TestNewRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		url     string
		options Options
		says    string
	}{
		"no URL":               {url: "", says: "http://"},
		"a path":               {url: "/agent", says: "http://"},
		"another scheme":       {url: "file:///etc/passwd", says: "http://"},
		"a secret in no URL":   {url: "ftp://me:secret@host/?key=secret", says: "ftp://host/"},
		"a secret, unreadable": {url: "http://me:secret@host:port/?secret", says: "host:port/"},
		"a dialect":            {url: "http://x", options: Options{Dialect: "latin"}, says: "latin"},
		"a history":            {url: "http://x", options: Options{History: "old"}, says: "old"},
		"a stop URL":           {url: "http://x", options: Options{StopURL: "x"}, says: "stop URL"},
		"a capabilities URL":   {url: "http://x", options: Options{CapabilitiesURL: "gopher://x"}, says: "capabilities URL"},
		"a header":             {url: "http://x", options: Options{Header: http.Header{"Transfer-Encoding": {"x"}}}, says: "Transfer-Encoding"},
		"a header's name":      {url: "http://x", options: Options{Header: http.Header{"X Y": {"x"}}}, says: "X Y"},
		"a header passed on":   {url: "http://x", options: Options{PassHeaders: []string{"connection"}}, says: "connection"},
		"a key for repeats":    {url: "http://x", options: Options{Header: http.Header{"Idempotency-Key": {"x"}}}, says: "is idempotent can have it"},
		"the user's":           {url: "http://x", options: Options{UserHeader: "Host"}, says: "cannot have the user"},
		"one that is set":      {url: "http://x", options: Options{UserHeader: "x-user", Header: http.Header{"X-User": {"a"}}}, says: "cannot have the user"},
		"one of a caller":      {url: "http://x", options: Options{UserHeader: "x-user", PassHeaders: []string{"X-User"}}, says: "a caller could then set it"},
		"one passed on":        {url: "http://x", options: Options{PassHeaders: []string{"x-idempotency-key"}}, says: "is idempotent can have it"},
		"asking and repeating": {url: "http://x", options: Options{Idempotent: true, AskLost: true}, says: "one of both"},
	} {
		_, err := New(test.url, &test.options)
		if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A request is sent once, whatever becomes of its connection: the agent may have it. With a
// key for repeats the transport would send it again by itself.
func TestRequestsAreSentOnce(t *testing.T) {
	for name, test := range map[string]struct {
		options Options
		sent    int
	}{
		"as it is":      {sent: 2},
		"another's key": {options: Options{Header: http.Header{"Key": {"x"}}}, sent: 2},
		"idempotent":    {options: Options{Idempotent: true, Header: http.Header{"Idempotency-Key": {"x"}}}, sent: 3},
	} {
		t.Run(name, func(t *testing.T) {
			// The second request goes over the connection of the first.
			l := newLab(t, &test.options, sends(began, asks(confirm)), func(http.ResponseWriter, *http.Request, *protocol.RunAgentInput) { panic(http.ErrAbortHandler) })
			open := interrupted(t, l.say("go"))
			l.up.behind.Wait()
			l.answer(resolved(open[0].ID, "true"))
			if n := len(l.peer.runs()); n != test.sent {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// A secret in the URL or in a header is told to the agent, and to nobody else.
func TestSecretsStayHere(t *testing.T) {
	repeats := func(code int) turn {
		return func(w http.ResponseWriter, r *http.Request, _ *protocol.RunAgentInput) {
			w.WriteHeader(code)
			io.WriteString(w, "not with "+r.Header.Get("X-Key")+r.Header.Get("Authorization"))
		}
	}
	for name, turn := range map[string]turn{"well": sends(began, done), "refused": repeats(401), "another type": repeats(200), "failed": repeats(500), "broken": func(http.ResponseWriter, *http.Request, *protocol.RunAgentInput) { panic(http.ErrAbortHandler) }} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(t, turn)
			at := strings.Replace(p.URL, "http://", "http://me:hidden@", 1) + "/?key=hidden"
			l := newLabAt(t, p, at, &Options{Header: http.Header{"X-Key": {"hidden"}}})
			l.say("go")
			if name == "broken" {
				l.peer.Close()
				l.say("again")
			}
			if _, err := l.up.Capabilities(t.Context()); err != nil && strings.Contains(err.Error(), "hidden") {
				t.Error(err)
			}
			sent := l.peer.runs()[0].header
			if sent.Get("X-Key") != "hidden" || sent.Get("Authorization") == "" {
				t.Errorf("sent %v", sent)
			}
			for _, text := range append(l.texts, []byte(l.log.String()), []byte(asJSON(t, l.up.Status()))) {
				if strings.Contains(string(text), "hidden") {
					t.Errorf("told %s", text)
				}
			}
		})
	}
}

// Redirects are not followed, and nothing is kept of one answer for the next request.
func TestNothingIsFollowedOrKept(t *testing.T) {
	var elsewhere atomic.Int64
	other := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	for _, code := range []int{301, 302, 303, 307, 308} {
		l := newLab(t, &Options{Header: http.Header{"Authorization": {"x"}}}, status(code, "Location", other+"/?a", "Set-Cookie", "a=b"), sends(began, done))
		failedWith(t, l.say("go"), CodeRefused)
		succeeded(t, l.say("again"))
		if sent := l.peer.runs()[1].header; sent.Get("Cookie") != "" {
			t.Errorf("sent %v", sent)
		}
	}
	if elsewhere.Load() > 0 {
		t.Error("a redirect was followed")
	}
}

// The caller's headers go along as they are named.
func TestCallersHeaders(t *testing.T) {
	l := newLab(t, &Options{PassHeaders: []string{"X-User", "X-Set", "X-None", "X-Bad"}, Header: http.Header{"X-Set": {"ours"}}}, sends(began, asks(confirm)), sends(began, done))
	say := func(in *protocol.RunAgentInput, label string, headers map[string]string) []protocol.Event {
		t.Helper()
		in.ThreadID, in.RunID = "thread", label
		if a, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: "test", Run: in, Headers: headers}); err != nil || a.Disposition != admission.Started {
			t.Fatalf("%v %+v", err, a)
		}
		return l.untilEnd()
	}
	open := interrupted(t, say(user("go"), "1", map[string]string{"x-user": "ann", "x-set": "theirs", "x-other": "no", "x-bad": "a\nb"}))
	succeeded(t, say(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, "true")}}, "2", map[string]string{"x-user": "bob"}))
	for n, want := range []string{"ann", "bob"} {
		h := l.peer.runs()[n].header
		if h.Get("X-User") != want || h.Get("X-Set") != "ours" || h.Get("X-Other") != "" || h.Get("X-None") != "" || h.Get("X-Bad") != "" {
			t.Errorf("sent %v", h)
		}
	}
}

// The agent is told whose message it answers, whoever answers its question and whatever
// header a caller sends.
func TestUserHeader(t *testing.T) {
	l := newLab(t, &Options{UserHeader: "x-user"}, sends(began, asks(confirm)), sends(began, done))
	say := func(in *protocol.RunAgentInput, label, by string) []protocol.Event {
		t.Helper()
		in.ThreadID, in.RunID = "thread", label
		a, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: "test", User: by, Run: in, Headers: map[string]string{"x-user": "mallory"}})
		if err != nil || a.Disposition != admission.Started {
			t.Fatalf("%v %+v", err, a)
		}
		return l.untilEnd()
	}
	open := interrupted(t, say(user("go"), "1", "Zoë 100%\n"))
	succeeded(t, say(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, "true")}}, "2", "bob"))
	for _, sent := range l.peer.runs() {
		if got := sent.header.Get("X-User"); got != "Zo%C3%AB%20100%25%0A" {
			t.Errorf("sent %q", got)
		}
	}
}

// What is compressed is read as it comes, and bounded by what it becomes.
func TestGzip(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes large inputs; -short leaves it out")
	}
	zipped := func(events ...string) turn {
		return func(w http.ResponseWriter, r *http.Request, in *protocol.RunAgentInput) {
			if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
				w.WriteHeader(400)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for _, e := range events {
				write(flushed{w, z}, in, e)
			}
			z.Close()
		}
	}
	l := newLab(t, nil, zipped(began, open, word, shut, done))
	succeeded(t, l.say("go"))
	if l.said() != "hi" {
		t.Errorf("said %q", l.said())
	}
	bomb := newLab(t, &Options{MaxEventBytes: 1 << 20, MaxRunBytes: 2 << 20}, zipped(began, open, word, `{"type":"RAW","event":"`+strings.Repeat("x", 64<<20)+`"}`))
	failedWith(t, bomb.say("go"), CodeTooLarge)
	if o := bomb.requests(); o[0].Bytes > 2<<20 {
		t.Errorf("read %d bytes", o[0].Bytes)
	}
	many := newLab(t, &Options{MaxRunBytes: 1 << 20}, zipped(append([]string{began, open, word}, strings.Split(strings.Repeat(`{"type":"RAW","event":"`+strings.Repeat("x", 1<<19)+`"} `, 8), " ")...)...))
	failedWith(t, many.say("go"), CodeTooLarge)
}

type flushed struct {
	http.ResponseWriter
	z *gzip.Writer
}

func (f flushed) Write(p []byte) (int, error) { return f.z.Write(p) }

func (f flushed) Flush() {
	f.z.Flush()
	f.ResponseWriter.(http.Flusher).Flush()
}

// A connection that cannot be made is tried a few times: nothing was sent.
func TestConnecting(t *testing.T) {
	p := newPeer(t, sends(began, done))
	var dials atomic.Int64
	dialAfter := func(fails int64) func(context.Context, string, string) (net.Conn, error) {
		return func(ctx context.Context, network, address string) (net.Conn, error) {
			if dials.Add(1) <= fails {
				return nil, errors.New("not yet at 10.1.2.3")
			}
			return new(net.Dialer).DialContext(ctx, network, address)
		}
	}
	l := newLabOf(t, p, &Options{dial: dialAfter(2)})
	l.up.client.Transport.(*http.Transport).IdleConnTimeout = patience
	succeeded(t, l.say("go"))
	l.up.behind.Wait() // until then the connection is in use
	succeeded(t, l.say("again"))
	if n := dials.Load(); n != 3 || len(p.runs()) != 2 {
		t.Errorf("%d connections, %d requests", n, len(p.runs()))
	}
	l = newLabOf(t, p, &Options{dial: dialAfter(1000)})
	if end := failedWith(t, l.say("go"), CodeUnavailable); strings.Contains(end.Message, "10.1.2.3") {
		t.Errorf("said %q", end.Message)
	}
	if !strings.Contains(l.log.String(), "10.1.2.3") {
		t.Error("the log does not say why")
	}
	never := func(ctx context.Context, network, address string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	l = newLabOf(t, p, &Options{dial: never, ConnectTimeout: 50 * time.Millisecond})
	if end := failedWith(t, l.say("go"), CodeTimeout); !strings.Contains(end.Message, "connected to within 50ms") {
		t.Errorf("said %q", end.Message)
	}
}

func TestTLS(t *testing.T) {
	p := &peer{turns: []turn{sends(began, done)}}
	p.Server = httptest.NewUnstartedServer(p)
	p.Server.Config.ErrorLog = log.New(io.Discard, "", 0)
	p.Server.StartTLS()
	t.Cleanup(p.Server.Close)
	l := newLabOf(t, p, nil)
	failedWith(t, l.say("go"), CodeUnavailable)
	l = newLabOf(t, p, &Options{TLS: &tls.Config{RootCAs: p.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}})
	succeeded(t, l.say("go"))
}

// More than may be under way wait for a place, as long as their runs go on.
func TestConcurrency(t *testing.T) {
	reached := make(chan struct{}, 3)
	let := make(chan struct{})
	l := newLab(t, &Options{Concurrency: 2}, func(w http.ResponseWriter, r *http.Request, in *protocol.RunAgentInput) {
		reached <- struct{}{}
		<-let
		sends(began, done)(w, r, in)
	})
	begin := func(thread string) {
		t.Helper()
		in := user("go")
		in.ThreadID, in.RunID = thread, "run"
		if a, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: "test", Run: in}); err != nil || a.Disposition != admission.Started {
			t.Fatalf("%v %+v", err, a)
		}
	}
	for _, thread := range []string{"1", "2"} {
		begin(thread)
		<-reached
	}
	begin("waits")
	waits(t, func() bool { return l.up.Status().Waiting == 1 })
	if s := l.up.Status(); s.InFlight != 2 || len(l.peer.runs()) != 2 {
		t.Errorf("%+v, %d requests", s, len(l.peer.runs()))
	}
	l.on("waits")
	if c, err := l.runner.Cancel(l.ctx(), l.key, "run", admission.Actor{}); err != nil || !c.Stopped {
		t.Fatalf("%+v %v", c, err)
	}
	l.untilEnd()
	waits(t, func() bool { return l.up.Status().Waiting == 0 })
	begin("3")
	waits(t, func() bool { return l.up.Status().Waiting == 1 })
	l.on("3")
	let <- struct{}{}
	<-reached
	let <- struct{}{}
	let <- struct{}{}
	succeeded(t, l.untilEnd())
	if n := len(l.peer.runs()); n != 3 {
		t.Errorf("%d requests", n)
	}
}

// waits polls until something is so.
func waits(t *testing.T, so func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("it does not come about")
		}
	}
}
