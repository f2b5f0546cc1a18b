package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/adapter/store"
	agui "github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/ws"
)

// noticeList is a runner whose notices are the test's. A cursor is how many lie before it.
type noticeList struct {
	backed
	mu      sync.Mutex
	list    []store.Notice
	more    chan struct{}
	trimmed int // notices that are not kept any more
	reads   int
	failing error
}

func (l *noticeList) add(notices ...store.Notice) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range notices {
		n.ID = strconv.Itoa(len(l.list))
		n.At = time.Date(2030, 1, 31, 14, 2, len(l.list)%60, 0, time.UTC)
		l.list = append(l.list, n)
	}
	close(l.more)
	l.more = make(chan struct{})
}

func (l *noticeList) asked() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reads
}

func (l *noticeList) Notices(ctx context.Context, q store.NoticeQuery) (store.NoticePage, error) {
	over := time.After(q.Wait)
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.reads++; ; {
		n, err := strconv.Atoi(strings.TrimPrefix(q.After, "at-"))
		if q.After == "" {
			n, err = len(l.list), nil
			if !q.From.IsZero() {
				n = min(n, len(slices.DeleteFunc(slices.Clone(l.list), func(n store.Notice) bool { return !n.At.Before(q.From) })))
			}
		}
		if l.failing != nil {
			return store.NoticePage{}, l.failing
		}
		if err != nil || n > len(l.list) {
			return store.NoticePage{}, store.ErrBadCursor
		}
		p := store.NoticePage{Missed: n < l.trimmed}
		from := max(n, l.trimmed)
		p.Notices = slices.Clone(l.list[from:min(from+q.Limit, len(l.list))])
		p.Next = fmt.Sprintf("at-%d", from+len(p.Notices))
		if len(p.Notices) > 0 || p.Missed || q.Wait == 0 {
			return p, nil
		}
		more := l.more
		l.mu.Unlock()
		select {
		case <-more:
		case <-over:
			q.Wait = 0
		case <-ctx.Done():
		}
		l.mu.Lock()
		if ctx.Err() != nil {
			return store.NoticePage{}, ctx.Err()
		}
	}
}

const (
	bobsToken     = "0123456789abcdef-bob"
	approverToken = "0123456789abcdef-approver"
	rootToken     = "0123456789abcdef-root"
	tenantsAdmin  = "0123456789abcdef-admin"
)

func noticesServer(t *testing.T, opts *Options) (*testServer, *noticeList) {
	t.Helper()
	r := newRunner(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{})}})
	l := &noticeList{backed: running(r), more: make(chan struct{})}
	if opts.Auth == nil {
		opts.Auth = tokensOf(t)
	}
	return newTestServer(t, l, opts), l
}

func tokensOf(t *testing.T) *identity.Tokens {
	t.Helper()
	tokens := newTokens(t, []identity.Token{
		{Token: annsToken, Tenant: "acme", User: "ann", Namespace: "team"},
		{Token: bobsToken, Tenant: "acme", User: "bob", Namespace: "team"},
		{Token: "0123456789abcdef-alone", Tenant: "acme", User: "ann"},
		{Token: approverToken, Tenant: "acme", User: "boss", Scopes: []string{identity.ScopeApprover}},
		{Token: tenantsAdmin, Tenant: "acme", User: "chief", Scopes: []string{identity.ScopeAdmin}},
		{Token: rootToken, Tenant: "acme", User: "root", Scopes: []string{identity.ScopeAdmin, identity.ScopeTenants}},
		{Token: "0123456789abcdef-runner", Tenant: "acme", User: "runner", Scopes: []string{identity.ScopeRun}},
	})
	return tokens
}

// opened is a notice of a thread of a user of a tenant, in its shared namespace.
func opened(tenant, user, thread string) store.Notice {
	return store.Notice{Kind: store.NoticeOpened, Tenant: tenant, Owner: tenant + "/" + user, Thread: store.ThreadKey{Namespace: tenant + "/shared/team", Thread: thread}, Interrupts: []string{"i"}}
}

// noticesPage is a page of notices as a client reads it.
type noticesPage struct {
	Items []struct {
		ID, Kind, ThreadID, User, Tenant string
	}
	Next   string
	Missed bool
	More   bool
}

func (p *noticesPage) threads() (list []string) {
	for _, n := range p.Items {
		list = append(list, n.ThreadID)
	}
	return list
}

func (s *sseStream) notices() (p noticesPage) {
	s.t.Helper()
	for {
		e, ok := s.next()
		if !ok {
			s.t.Fatal("the stream has ended")
		}
		if e.data == "" {
			continue
		}
		if err := json.Unmarshal([]byte(e.data), &p); err != nil {
			s.t.Fatal(err)
		}
		p.Next = e.id
		return p
	}
}

func (c *client) notices() (p noticesPage) {
	c.t.Helper()
	for {
		if err := json.Unmarshal(c.read(), &p); err != nil {
			c.t.Fatal(err)
		}
		if len(p.Items) > 0 || p.Missed {
			return p
		}
	}
}

func (ts *testServer) watch(query, token string) *sseStream {
	ts.t.Helper()
	s := ts.ask(http.MethodGet, "/v1/notices"+query, "", "Authorization", "Bearer "+token, "Accept", "text/event-stream").opened()
	if query == "" || !strings.Contains(query, "after=") {
		if e, ok := s.next(); !ok || e.id == "" {
			s.t.Fatalf("it is not told where it is: %+v", e)
		}
	}
	return s
}

func noticesBearer(token string) *agui.DialOptions { return bearer(token, ws.NoticesSubprotocol) }

func (ts *testServer) Page(query, token string) (p noticesPage, status int, text string) {
	ts.t.Helper()
	s := ts.ask(http.MethodGet, "/v1/notices"+query, "", "Authorization", "Bearer "+token)
	body, err := io.ReadAll(s.resp.Body)
	if err != nil {
		ts.t.Fatal(err)
	}
	_ = json.Unmarshal(body, &p)
	return p, s.resp.StatusCode, string(body)
}

// Whoever watches is told what they may know, by whatever way.
func TestNoticesByScope(t *testing.T) {
	ts, l := noticesServer(t, &Options{})
	all := []store.Notice{opened("acme", "ann", "anns"), opened("acme", "bob", "bobs"), opened("other", "ann", "theirs")}
	nobodys := opened("acme", "", "nobodys")
	nobodys.Owner = ""
	elsewhere := opened("acme", "ann", "elsewhere")
	elsewhere.Thread.Namespace, elsewhere.Agent, elsewhere.Kind = "acme/user/ann", "clerk", store.NoticeDecided
	all = append(all, nobodys, elsewhere)
	l.add(all...)
	for name, c := range map[string]struct {
		token, query string
		wants        []string
	}{
		"a user":            {annsToken, "", []string{"anns", "bobs", "nobodys"}},
		"who shares with":   {bobsToken, "", []string{"anns", "bobs", "nobodys"}},
		"elsewhere":         {"0123456789abcdef-alone", "", []string{"elsewhere"}},
		"an approver":       {approverToken, "", []string{"anns", "bobs", "nobodys", "elsewhere"}},
		"an admin":          {tenantsAdmin, "", []string{"anns", "bobs", "nobodys", "elsewhere"}},
		"of all tenants":    {rootToken, "&tenants=all", []string{"anns", "bobs", "theirs", "nobodys", "elsewhere"}},
		"of a kind":         {approverToken, "&kind=interrupt.decided,run.ended", []string{"elsewhere"}},
		"of a thread":       {approverToken, "&thread=bobs", []string{"bobs"}},
		"of a namespace":    {approverToken, "&namespace=acme/user/ann", []string{"elsewhere"}},
		"of an agent":       {approverToken, "&agent=clerk", []string{"elsewhere"}},
		"of the default":    {annsToken, "&agent=", []string{"anns", "bobs", "nobodys"}},
		"of others' thread": {annsToken, "&thread=elsewhere", nil},
	} {
		t.Run(name, func(t *testing.T) {
			p, status, text := ts.Page("?after=at-0"+c.query, c.token)
			if !slices.Equal(p.threads(), c.wants) || status != 200 {
				t.Errorf("a page: %v, not %v: %d %s", p.threads(), c.wants, status, text)
			}
			if c.wants == nil {
				return
			}
			if p := ts.watch("?after=at-0"+c.query, c.token).notices(); !slices.Equal(p.threads(), c.wants) {
				t.Errorf("a stream: %v, not %v", p.threads(), c.wants)
			}
			socket := ts.connect("/v1/notices?after=at-0"+c.query, noticesBearer(c.token))
			if p := socket.notices(); !slices.Equal(p.threads(), c.wants) {
				t.Errorf("a socket: %v, not %v", p.threads(), c.wants)
			}
		})
	}
	for name, c := range map[string]struct {
		token, query, code string
		status             int
	}{
		"without the scope":          {"0123456789abcdef-runner", "", refusal.CodeForbidden, 403},
		"all tenants, of an admin":   {tenantsAdmin, "?tenants=all", refusal.CodeForbidden, 403},
		"all tenants, of a user":     {annsToken, "?tenants=all", refusal.CodeForbidden, 403},
		"a colleague's namespace":    {annsToken, "?namespace=acme/user/ann", refusal.CodeForbidden, 403},
		"a namespace of a stranger":  {approverToken, "?namespace=other/user/ann", refusal.CodeForbidden, 403},
		"nobody":                     {"0123456789abcdef-nobody", "", "unauthenticated", 401},
		"a kind that there is not":   {annsToken, "?kind=interrupt", refusal.CodeInvalidInput, 400},
		"tenants that are no tenant": {annsToken, "?tenants=acme", refusal.CodeInvalidInput, 400},
		"a parameter that is none":   {annsToken, "?reason=x", refusal.CodeInvalidInput, 400},
		"a cursor that is none":      {annsToken, "?after=x", refusal.CodeInvalidInput, 400},
	} {
		for way, accept := range map[string]string{"page": "", "stream": "text/event-stream;q=0.9", "socket": ""} {
			t.Run(name+"/"+way, func(t *testing.T) {
				if way == "socket" {
					var refused *agui.RefusedError
					if _, err := agui.Open(t.Context(), ts.http.URL+"/v1/notices"+c.query, noticesBearer(c.token)); !errors.As(err, &refused) || refused.Status != c.status || refused.Code != c.code {
						t.Errorf("refused with %v", err)
					}
					return
				}
				ts.ask(http.MethodGet, "/v1/notices"+c.query, "", "Authorization", "Bearer "+c.token, "Accept", accept).problem(c.status, c.code)
			})
		}
	}
}

// An admin finds what failed in the tenant since a time, whatever else happened, and a user
// what failed in the own namespace.
func TestNoticesOfFailures(t *testing.T) {
	ts, l := noticesServer(t, &Options{})
	ended := func(tenant, user, thread, how string) store.Notice {
		n := opened(tenant, user, thread)
		n.Thread.Namespace, n.Kind, n.How = tenant+"/user/"+user, store.NoticeRunEnded, how
		return n
	}
	l.add(ended("acme", "ann", "too old", "fail"))
	for range 5 { // a second apart, and more than one reading
		l.add(ended("acme", "bob", "well", "finish"), ended("acme", "bob", "bobs", "fail"), ended("other", "eve", "theirs", "fail"), ended("acme", "ann", "anns", "fail"))
	}
	for name, c := range map[string]struct {
		token string
		wants []string
	}{
		"an admin":  {tenantsAdmin, []string{"bobs", "anns", "bobs", "anns", "bobs", "anns", "bobs", "anns", "bobs", "anns"}},
		"a user":    {"0123456789abcdef-alone", []string{"anns", "anns", "anns", "anns", "anns"}},
		"a sharer":  {annsToken, nil},
		"of others": {"0123456789abcdef-runner", nil},
	} {
		var got []string
		for query := "from=2030-01-31T14:02:01Z"; ; {
			p, status, text := ts.Page("?kind=run.ended&severity=error&limit=4&"+query, c.token)
			if name == "of others" {
				if status != 403 {
					t.Errorf("%s: %d %s", name, status, text)
				}
				break
			}
			if status != 200 {
				t.Fatalf("%s: %d %s", name, status, text)
			}
			if got, query = append(got, p.threads()...), "after="+p.Next; !p.More {
				break
			}
		}
		if !slices.Equal(got, c.wants) {
			t.Errorf("%s: %v", name, got)
		}
	}
	asked := l.asked()
	if p, _, _ := ts.Page("?severity=error&limit=7&from=2030-01-31T14:02:01Z", "0123456789abcdef-alone"); len(p.Items) != 5 {
		t.Errorf("a page of what is rare: %v after %d readings", p.threads(), l.asked()-asked)
	}
	for _, query := range []string{"?from=today", "?from=2030-01-31T14:02:01Z&after=at-0", "?severity=bad"} {
		if _, status, text := ts.Page(query, tenantsAdmin); status != 400 {
			t.Errorf("%s: %d %s", query, status, text)
		}
	}
	ts.ask(http.MethodGet, "/v1/notices?from=2030-01-31T14:02:01Z", "", "Authorization", "Bearer "+annsToken, "Accept", "text/event-stream").problem(400, refusal.CodeInvalidInput)
	l.add(ended("acme", "bob", "well", "finish"), ended("acme", "bob", "bobs", "fail"))
	if p := ts.watch("?after=at-21&severity=error", tenantsAdmin).notices(); !slices.Equal(p.threads(), []string{"bobs"}) {
		t.Errorf("a stream: %v", p.threads())
	}
}

// A page whose readings have found nothing, or are nearly full, says that more may be behind it.
func TestNoticesPageSaysMore(t *testing.T) {
	ts, l := noticesServer(t, &Options{})
	many := make([]store.Notice, 2100)
	for i := range many {
		many[i] = opened("acme", "ann", "well")
		many[i].Kind, many[i].How = store.NoticeRunEnded, "finish"
	}
	failed := many[0]
	failed.Thread.Thread, failed.How = "bad", "fail"
	l.add(append(many, failed)...)
	first, _, _ := ts.Page("?after=at-0&limit=200&severity=error", annsToken)
	second, _, _ := ts.Page("?limit=200&severity=error&after="+first.Next, annsToken)
	if len(first.Items) > 0 || !first.More || !slices.Equal(second.threads(), []string{"bad"}) {
		t.Errorf("pages: %+v, %+v", first, second)
	}
	for range 7 {
		failed.Thread.Thread = "worse"
		l.add(failed)
	}
	l.add(many[:3]...)
	asked := l.asked()
	if p, _, _ := ts.Page("?after=at-2101&limit=8&severity=error", annsToken); len(p.Items) != 7 || !p.More || l.asked() != asked+1 {
		t.Errorf("a page that is nearly full has %d, more %t, after %d readings", len(p.Items), p.More, l.asked()-asked)
	}
}

// problem wants a problem of the control API.
func (s *sseStream) problem(status int, code string) {
	s.t.Helper()
	var m map[string]any
	body, _ := io.ReadAll(s.resp.Body)
	if err := json.Unmarshal(body, &m); err != nil || s.resp.StatusCode != status || m["code"] != code || m["detail"] == "" ||
		s.resp.Header.Get("Content-Type") != "application/problem+json" {
		s.t.Errorf("got %s %s, want %d %s", s.resp.Status, body, status, code)
	}
}

// A client that comes back is told what it missed, at whichever way it comes, and that
// something is gone.
func TestNoticesAreResumed(t *testing.T) {
	ts, l := noticesServer(t, &Options{})
	stream := ts.watch("", annsToken)
	l.add(opened("acme", "ann", "one"))
	first := stream.notices()
	stream.cancel()
	l.add(opened("other", "bob", "x"), opened("acme", "ann", "two"))
	again := ts.ask(http.MethodGet, "/v1/notices", "", "Authorization", "Bearer "+annsToken, "Accept", "text/event-stream", "Last-Event-ID", first.Next).opened()
	if p := again.notices(); !slices.Equal(p.threads(), []string{"two"}) {
		t.Errorf("told %v", p.threads())
	}
	socket := ts.connect("/v1/notices?after="+first.Next, noticesBearer(annsToken))
	p := socket.notices()
	if !slices.Equal(p.threads(), []string{"two"}) {
		t.Errorf("a socket is told %v", p.threads())
	}
	l.add(opened("acme", "ann", "three"))
	for _, told := range []noticesPage{again.notices(), socket.notices()} {
		if !slices.Equal(told.threads(), []string{"three"}) || told.Missed {
			t.Errorf("told %+v", told)
		}
	}
	ts, l = noticesServer(t, &Options{})
	l.add(opened("acme", "ann", "one"), opened("other", "bob", "x"), opened("acme", "ann", "two"), opened("acme", "ann", "three"))
	l.mu.Lock()
	l.trimmed = 3
	l.mu.Unlock()
	for _, told := range []noticesPage{
		ts.watch("?after=at-0", annsToken).notices(),
		ts.connect("/v1/notices?after=at-0", noticesBearer(annsToken)).notices(),
		first2(ts.Page("?after=at-0", annsToken)),
	} {
		if !told.Missed || !slices.Equal(told.threads(), []string{"three"}) {
			t.Errorf("it is told %+v, and that some are gone is not", told)
		}
	}
	if p, _, text := ts.Page("?after=at-0&severity=error", annsToken); len(p.Items) > 0 || !p.More {
		t.Errorf("behind what is gone there may be more, and it is told %s", text)
	}
}

func first2(p noticesPage, _ int, _ string) noticesPage { return p }

// A page waits for the first notice that is for the caller, and no longer than it says.
func TestNoticesPageWaits(t *testing.T) {
	t.Parallel() // it ends by the clock
	ts, l := noticesServer(t, &Options{SocketsPerUser: 1})
	now, _, text := ts.Page("", annsToken)
	if len(now.Items) > 0 || now.Next == "" {
		t.Fatalf("nothing has happened: %s", text)
	}
	told := make(chan noticesPage)
	go func() {
		p, _, _ := ts.Page("?wait=25&after="+now.Next, annsToken)
		told <- p
	}()
	eventually(t, "it waits", func() bool { return value(t, ts.opts.Metrics, "aguiws_notice_reads_total", "all") > 0 })
	if _, status, text := ts.Page("?wait=1", annsToken); status != 429 {
		t.Errorf("a second one that waits: %d %s", status, text)
	}
	l.add(opened("other", "bob", "x"))
	l.add(opened("acme", "ann", "mine"))
	p := <-told
	if !slices.Equal(p.threads(), []string{"mine"}) {
		t.Errorf("told %+v", p)
	}
	if p, status, text := ts.Page("?wait=1&after="+p.Next, annsToken); status != 200 || len(p.Items) > 0 || p.Next == "" {
		t.Errorf("nothing came: %d %s", status, text)
	}
	if _, status, _ := ts.Page("?wait=26", annsToken); status != 400 {
		t.Errorf("a wait that is too long: %d", status)
	}
}

// However many watch, the store is read once, and who is not concerned costs nothing.
func TestNoticesAreReadOnce(t *testing.T) {
	ts, l := noticesServer(t, &Options{SocketsPerUser: 100, SocketsPerAddress: 100, RequestBurst: 1000})
	var streams []*sseStream
	var sockets []*client
	for range 10 {
		streams = append(streams, ts.watch("", annsToken))
		c := ts.connect("/v1/notices", noticesBearer(annsToken))
		c.read() // where it is
		sockets = append(sockets, c)
	}
	counts(t, ts.opts.Metrics, 20, "aguiws_notice_watchers")
	eventually(t, "the feed waits for what comes", func() bool { return l.asked() >= 2 })
	asked := l.asked()
	for i := range 10 {
		l.add(opened("acme", "ann", fmt.Sprint(i)))
		for _, s := range streams {
			if p := s.notices(); !slices.Equal(p.threads(), []string{fmt.Sprint(i)}) {
				t.Fatalf("told %v", p.threads())
			}
		}
		for _, c := range sockets {
			if p := c.notices(); !slices.Equal(p.threads(), []string{fmt.Sprint(i)}) {
				t.Fatalf("told %v", p.threads())
			}
		}
	}
	if more := l.asked() - asked; more > 10 {
		t.Errorf("%d readings for 10 notices that 20 watch", more)
	}
	counts(t, ts.opts.Metrics, 200, "aguiws_notices_told_total")
}

// A watcher that takes nothing holds up no other, is kept nothing for, and is given up.
func TestNoticesToWhoTakesNothing(t *testing.T) {
	t.Parallel() // it ends by the clock
	ts, l := noticesServer(t, &Options{WriteTimeout: 3 * time.Second})
	conn := stalled(ts, "GET /v1/notices HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nAuthorization: Bearer "+annsToken+"\r\n\r\n")
	defer conn.Close()
	reads := ts.watch("", annsToken)
	counts(t, ts.opts.Metrics, 2, "aguiws_notice_watchers")
	big := opened("acme", "ann", "t")
	big.Reasons = []string{strings.Repeat("x", 60<<10)}
	for range 120 { // 7 MB: more than any buffer on the way
		l.add(big)
		reads.notices()
	}
	counts(t, ts.opts.Metrics, 1, "aguiws_notice_watchers")
	if held := ts.gate.Budget.Held(); held > 1<<20 {
		t.Errorf("%d bytes are held", held)
	}
}

// A client that is told nothing is told that the server is there, and where it is.
func TestNoticesKeepAlive(t *testing.T) {
	ts, l := noticesServer(t, &Options{KeepAlive: 20 * time.Millisecond})
	stream := ts.watch("", annsToken)
	stream.comment()
	socket := ts.connect("/v1/notices", noticesBearer(annsToken))
	socket.send("whatever", `{"type":"ws.ping"}`)
	for range 3 {
		socket.wants(`{"items":[],"next":"at-0"}`)
	}
	l.add(opened("other", "bob", "x"))
	for { // what passed by moves the cursor
		if e, ok := stream.next(); !ok || e.id == "at-1" && e.data == "" {
			break
		} else if e.data != "" {
			t.Fatalf("told %s", e.data)
		}
	}
	eventually(t, "the socket's moves", func() bool { return strings.Contains(string(socket.read()), `"at-1"`) })
}

// What watches ends with the credential, and with the server.
func TestNoticesEnd(t *testing.T) {
	tokens := tokensOf(t)
	ts, l := noticesServer(t, &Options{Auth: tokens})
	open := func(token string) (*sseStream, *client, chan int) {
		stream, socket, waits := ts.watch("", token), ts.connect("/v1/notices", noticesBearer(token)), make(chan int)
		go func() {
			_, status, _ := ts.Page("?wait=25&after=at-0", token)
			waits <- status
		}()
		return stream, socket, waits
	}
	stream, socket, waits := open(annsToken)
	kept, keptSocket, keptWaits := open(bobsToken)
	eventually(t, "all are there", func() bool { return ts.openSockets() == 6 })
	if err := tokens.Replace([]identity.Token{{Token: bobsToken, Tenant: "acme", User: "bob", Namespace: "team"}}); err != nil {
		t.Fatal(err)
	}
	stream.ends()
	socket.closed(peer.StatusExpired)
	if status := <-waits; status != 401 {
		t.Errorf("a page that waited for nobody: %d", status)
	}
	l.add(opened("acme", "bob", "x"))
	if p := kept.notices(); len(p.Items) != 1 {
		t.Errorf("told %+v", p)
	}
	if p := keptSocket.notices(); len(p.Items) != 1 {
		t.Errorf("told %+v", p)
	}
	if status := <-keptWaits; status != 200 {
		t.Errorf("a page that waited: %d", status)
	}
	var stopped sync.WaitGroup
	stopped.Go(ts.stop)
	kept.ends()
	keptSocket.closed(websocket.StatusServiceRestart)
	stopped.Wait()
}

// While the store fails a watcher waits, and then is told all of it.
func TestNoticesWhileTheStoreFails(t *testing.T) {
	ts, l := noticesServer(t, &Options{})
	l.add(opened("acme", "ann", "before"))
	stream := ts.watch("", annsToken)
	fails := func(err error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.failing = err
	}
	fails(store.ErrOutcomeUnknown)
	l.add(opened("acme", "ann", "one"))
	for _, accept := range []string{"", "text/event-stream"} {
		ts.ask(http.MethodGet, "/v1/notices?after=at-0", "", "Authorization", "Bearer "+annsToken, "Accept", accept).problem(503, refusal.CodeStore)
	}
	fails(nil)
	if p := stream.notices(); !slices.Equal(p.threads(), []string{"one"}) {
		t.Errorf("told %v", p.threads())
	}
}

// lateList answers a reading from a cursor only when the reading for all watchers has told
// them of two pages.
type lateList struct {
	*noticeList
	waits chan struct{} // the reading for all waits for what is to come
}

func (l *lateList) Notices(ctx context.Context, q store.NoticeQuery) (store.NoticePage, error) {
	if q.Wait > 0 {
		select {
		case l.waits <- struct{}{}:
		case <-ctx.Done():
		}
	} else if q.After == "at-0" {
		<-l.waits
		l.add(opened("acme", "ann", "two"))
		<-l.waits
		for range 10_000 { // whoever has a turn to take takes it now
			runtime.Gosched()
		}
	}
	return l.noticeList.Notices(ctx, q)
}

// A socket that is told of notices before its connection is there takes no turn until then.
func TestNoticesDuringTheHandshake(t *testing.T) {
	_, list := noticesServer(t, &Options{})
	list.add(opened("acme", "ann", "one"))
	ts := newTestServer(t, &lateList{list, make(chan struct{})}, &Options{Auth: tokensOf(t)})
	socket := ts.connect("/v1/notices?after=at-0", noticesBearer(annsToken))
	var told []string
	for len(told) < 2 {
		p := socket.notices()
		told = append(told, p.threads()...)
	}
	if !slices.Equal(told, []string{"one", "two"}) {
		t.Errorf("told %v", told)
	}
}
