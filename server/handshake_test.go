package server

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"

	agui "github.com/aguiws/aguiws/client"

	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/ws"
)

func upgrade(extra ...string) http.Header {
	h := http.Header{
		"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"},
		"Sec-Websocket-Key": {base64.StdEncoding.EncodeToString(make([]byte, 16))},
	}
	for i := 0; i < len(extra); i += 2 {
		if extra[i+1] == "" {
			h.Del(extra[i])
		} else {
			h.Add(extra[i], extra[i+1])
		}
	}
	return h
}

func bearerOffer(token string) string {
	return "agui.bearer." + base64.RawURLEncoding.EncodeToString([]byte(token))
}

func TestHandshakeRefusals(t *testing.T) {
	auth := byToken{"good": {User: "u"}}
	const protocols, authorization = "Sec-WebSocket-Protocol", "Authorization"
	for name, c := range map[string]struct {
		opts   Options
		path   string
		host   string
		header http.Header
		status int
		code   string
	}{
		"foreign host":          {host: "rebind.example", header: upgrade("Origin", "http://rebind.example"), status: 403, code: "host_not_allowed"},
		"foreign origin":        {header: upgrade("Origin", "https://evil.example"), status: 403, code: "origin_not_allowed"},
		"origin of other port":  {opts: Options{Auth: auth}, header: upgrade("Origin", "http://127.0.0.1:1"), status: 403, code: "origin_not_allowed"},
		"origin null":           {header: upgrade("Origin", "null"), status: 403, code: "origin_not_allowed"},
		"origin with path":      {opts: Options{Origins: []string{"https://app.example"}}, header: upgrade("Origin", "https://app.example/x"), status: 403, code: "origin_not_allowed"},
		"origin of http":        {opts: Options{Origins: []string{"https://app.example"}}, header: upgrade("Origin", "http://app.example"), status: 403, code: "origin_not_allowed"},
		"host comes first":      {host: "a.example", header: upgrade("Origin", "https://evil.example"), status: 403, code: "host_not_allowed"},
		"host of other port":    {opts: Options{Hosts: []string{"a.example:1"}}, host: "a.example:2", header: upgrade(), status: 403, code: "host_not_allowed"},
		"no upgrade":            {header: http.Header{}, status: 400, code: "upgrade_required"},
		"old version":           {header: upgrade("Sec-Websocket-Version", "", "Sec-Websocket-Version", "8"), status: 400, code: "upgrade_required"},
		"bad key":               {header: upgrade("Sec-Websocket-Key", "", "Sec-Websocket-Key", "short"), status: 400, code: "upgrade_required"},
		"unknown agent":         {path: "/agui/nobody/ws", header: upgrade(), status: 404, code: "unknown_agent"},
		"unknown subprotocol":   {header: upgrade(protocols, "graphql-ws, agui.v2.json"), status: 400, code: "unsupported_subprotocol"},
		"bearer offer alone":    {opts: Options{Auth: auth}, header: upgrade(protocols, bearerOffer("good")), status: 400, code: "unsupported_subprotocol"},
		"two bearer offers":     {opts: Options{Auth: auth}, header: upgrade(protocols, ws.Subprotocol+","+bearerOffer("good")+","+bearerOffer("good")), status: 400, code: "ambiguous_credential"},
		"no origin, no bearer":  {opts: Options{Auth: auth}, header: upgrade("Cookie", "session=good"), status: 403, code: "origin_required"},
		"bad bearer":            {opts: Options{Auth: auth}, header: upgrade(authorization, "Bearer bad"), status: 401, code: "unauthenticated"},
		"empty bearer":          {opts: Options{Auth: auth}, header: upgrade(authorization, "Bearer "), status: 401, code: "unauthenticated"},
		"bad offer":             {opts: Options{Auth: auth}, header: upgrade(protocols, ws.Subprotocol+", "+bearerOffer("bad")), status: 401, code: "unauthenticated"},
		"offer not base64":      {opts: Options{Auth: auth}, header: upgrade(protocols, ws.Subprotocol+", agui.bearer.!!"), status: 401, code: "unauthenticated"},
		"bad one not skipped":   {opts: Options{Auth: auth}, header: upgrade(authorization, "Bearer bad", protocols, ws.Subprotocol+", "+bearerOffer("good"), "Cookie", "session=good"), status: 401, code: "unauthenticated"},
		"query is no place":     {opts: Options{Auth: auth}, path: "/agui/ws?token=good&access_token=good", header: upgrade(authorization, "Bearer bad"), status: 401, code: "unauthenticated"},
		"not for this server":   {opts: Options{Auth: auth}, header: upgrade(authorization, "Bearer foreign"), status: 403, code: "forbidden"},
		"authenticator is down": {opts: Options{Auth: auth}, header: upgrade(authorization, "Bearer down"), status: 503, code: "authenticator_unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			ts := newTestServer(t, newFake(), &c.opts)
			path := c.path
			if path == "" {
				path = "/agui/ws"
			}
			host := c.host
			status, header, body := ts.get(path, c.header, host)
			if status != c.status || body["code"] != c.code || body["message"] == "" {
				t.Errorf("got %d %v, want %d %s", status, body, c.status, c.code)
			}
			if (status == 401) != (header.Get("WWW-Authenticate") != "") {
				t.Errorf("WWW-Authenticate is %q", header.Get("WWW-Authenticate"))
			}
			if c.code == "unsupported_subprotocol" && !strings.Contains(body["message"].(string), ws.Subprotocol) {
				t.Errorf("the message does not name what is supported: %v", body)
			}
		})
	}
}

func TestHandshakeAccepts(t *testing.T) {
	auth := byToken{"good": {User: "u"}}
	ts := newTestServer(t, newFake(), &Options{Auth: auth, Hosts: []string{"agui.example"}, Origins: []string{"https://app.example", "http://[::1]:81"}})
	for name, c := range map[string]struct {
		header []string
		offers []string
	}{
		"authorization":           {[]string{"Authorization", "bearer good"}, []string{ws.Subprotocol}},
		"authorization decides":   {[]string{"Authorization", "Bearer good"}, []string{ws.Subprotocol, bearerOffer("bad")}},
		"other scheme is skipped": {[]string{"Authorization", "Basic x"}, []string{ws.Subprotocol, bearerOffer("good")}},
		"offer":                   {nil, []string{bearerOffer("good"), ws.Subprotocol}},
		"cookie and origin":       {[]string{"Cookie", "session=good", "Origin", "https://app.example"}, []string{ws.Subprotocol}},
		"default port":            {[]string{"Cookie", "session=good", "Origin", "https://app.example:443"}, []string{ws.Subprotocol}},
		"IPv6 origin":             {[]string{"Authorization", "Bearer good", "Origin", "http://[::1]:81"}, []string{ws.Subprotocol}},
		"own origin":              {[]string{"Cookie", "session=good", "Origin", ts.http.URL}, []string{ws.Subprotocol}},
		"plain":                   {[]string{"Authorization", "Bearer good"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			h := http.Header{}
			for i := 0; i < len(c.header); i += 2 {
				h.Add(c.header[i], c.header[i+1])
			}
			sock, err := agui.Open(context.Background(), ts.http.URL+"/agui/ws", &agui.DialOptions{Header: h, Subprotocols: append([]string{}, c.offers...)})
			if err != nil {
				t.Fatal(err)
			}
			defer sock.CloseNow()
			want := ""
			if c.offers != nil {
				want = ws.Subprotocol
			}
			if got := sock.Subprotocol(); got != want {
				t.Errorf("selected %q, want %q", got, want)
			}
		})
	}
	t.Run("listed host", func(t *testing.T) {
		if status, _, body := ts.get("/agui/capabilities", http.Header{"Authorization": {"Bearer good"}}, "AGUI.example:8080"); status != 200 {
			t.Errorf("got %d %v", status, body)
		}
	})
}

func TestSocketLimits(t *testing.T) {
	auth := byToken{"a": {User: "a"}, "b": {User: "b"}, "c": {User: "c"}}
	ts := newTestServer(t, newFake(), &Options{Auth: auth, Sockets: 3, SocketsPerUser: 2})
	dial := func(token string) *client {
		return ts.connect("/agui/ws", bearer(token))
	}
	first := dial("a")
	dial("a")
	status, header, body := ts.get("/agui/ws", upgrade("Authorization", "Bearer a"), "")
	if status != 429 || body["code"] != "too_many_sockets" || header.Get("Retry-After") == "" {
		t.Errorf("got %d %v", status, body)
	}
	dial("b")
	status, header, body = ts.get("/agui/ws", upgrade("Authorization", "Bearer c"), "")
	if status != 503 || body["code"] != "overloaded" || header.Get("Retry-After") == "" {
		t.Errorf("got %d %v", status, body)
	}
	first.ws.CloseNow()
	eventually(t, "the socket is given back", func() bool {
		all, ofUser := ts.gate.Open("\x00a")
		return all == 2 && ofUser == 1
	})
	dial("a")
}

func TestDrainingRefusesSockets(t *testing.T) {
	ts := newTestServer(t, newFake(), nil)
	if status, _, _ := ts.get("/readyz", nil, ""); status != 200 {
		t.Errorf("not ready: %d", status)
	}
	ts.stop()
	if status, _, body := ts.get("/agui/ws", upgrade(), ""); status != 503 || body["code"] != "server_draining" {
		t.Errorf("got %d %v", status, body)
	}
	if status, _, _ := ts.get("/readyz", nil, ""); status != 503 {
		t.Errorf("still ready: %d", status)
	}
	if status, _, _ := ts.get("/healthz", nil, "probe.example"); status != 200 {
		t.Errorf("not healthy: %d", status)
	}
}

func TestReadiness(t *testing.T) {
	ts := newTestServer(t, newFake(), &Options{Ready: func(context.Context) error { return errors.New("no store") }})
	if status, _, body := ts.get("/readyz", nil, ""); status != 503 || body["code"] != "store_unavailable" {
		t.Errorf("got %d %v", status, body)
	}
}

func TestCapabilities(t *testing.T) {
	ts := newTestServer(t, newFake(), &Options{Auth: byToken{"good": {}}, Agents: []string{"helper"}})
	good := http.Header{"Authorization": {"Bearer good"}}
	for _, path := range []string{"/agui/capabilities", "/agui/helper/capabilities"} {
		status, _, body := ts.get(path, good, "")
		transport, _ := body["transport"].(map[string]any)
		if status != 200 || transport["websocket"] != true || transport["resumable"] != true || transport["streaming"] != true {
			t.Errorf("%s: got %d %v", path, status, body)
		}
		custom, _ := body["custom"].(map[string]any)
		own, _ := custom["aguiws"].(map[string]any)
		if want := map[bool]string{true: "cancel", false: "refuse"}[strings.Contains(path, "helper")]; own["unanswered"] != want || own["durable"] != false {
			t.Errorf("%s: got %v", path, body)
		}
	}
	for have, want := range map[string]string{
		`{}`: `{"custom":{"aguiws":{"unanswered":"cancel"}}}`,
		`{"custom":{"x":1,"aguiws":{"y":2,"unanswered":"refuse"}}}`: `{"custom":{"aguiws":{"unanswered":"cancel","y":2},"x":1}}`,
		`[]`:                      "",
		`{"custom":[]}`:           "",
		`{"custom":{"aguiws":7}}`: "",
	} {
		if got, err := withValue([]byte(have), runner.UnansweredCancel, "custom", "aguiws", "unanswered"); string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s became %s, %v", have, got, err)
		}
	}
	if _, err := withValue([]byte(`{"custom":{"aguiws":7}}`), true, "custom", "aguiws", "durable"); err == nil || !strings.Contains(err.Error(), "custom.aguiws is not an object") {
		t.Errorf("got %v", err)
	}
	lasting := newFake()
	lasting.durable = true
	if _, _, body := newTestServer(t, lasting, nil).get("/agui/capabilities", nil, ""); body["custom"].(map[string]any)["aguiws"].(map[string]any)["durable"] != true {
		t.Errorf("where suspended runs outlive the process: %v", body)
	}
	yes := true
	described := newTestServer(t, newFake(), &Options{Agents: []string{"helper", "mute"},
		Identities: map[string]protocol.IdentityCapabilities{"helper": {Name: "Helper", Type: "t"}},
		Multimodal: map[string]protocol.MultimodalCapabilities{"helper": {Input: &protocol.MultimodalInputCapabilities{Image: &yes}}}})
	for path, want := range map[string]string{
		"/agui/helper/capabilities": `map[name:Helper type:t] map[input:map[image:true]] true`,
		"/agui/mute/capabilities":   `<nil> <nil> true`,
	} {
		_, _, body := described.get(path, nil, "")
		if got := fmt.Sprint(body["identity"], body["multimodal"], body["tools"] != nil); got != want {
			t.Errorf("%s: got %s", path, got)
		}
	}
	if status, _, _ := ts.get("/agui/capabilities", nil, ""); status != 401 {
		t.Errorf("without a credential: %d", status)
	}
	if status, _, _ := ts.get("/agui/other/capabilities", good, ""); status != 404 {
		t.Errorf("unknown agent: %d", status)
	}
}

func TestFallback(t *testing.T) {
	ts := newTestServer(t, newFake(), &Options{Fallback: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
	})})
	if status, _, _ := ts.get("/inbox", nil, ""); status != http.StatusTeapot {
		t.Errorf("got %d", status)
	}
	if status, _, _ := ts.get("/", nil, "rebind.example"); status != 403 {
		t.Errorf("a foreign host got %d", status)
	}
}

// Nobody is authenticated, so other machines must not get in.
func TestNoneIsForLoopback(t *testing.T) {
	s, err := newServer(newFake(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(l); err == nil || !strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("Serve on a public address: %v", err)
	}
	if _, err := s.Listen("0.0.0.0:0"); err == nil || !strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("Listen on a public address: %v", err)
	}
	r := httptest.NewRequest(http.MethodGet, "/agui/ws", nil)
	r.Host = "localhost"
	r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80}))
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	if w.Code != 403 || !strings.Contains(w.Body.String(), "loopback_only") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if _, err := newServer(newFake(), nil, &Options{Hosts: []string{"*"}}); err == nil {
		t.Error("a wildcard host passes")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Error(err)
	}
}

func TestServeUntilShutdown(t *testing.T) {
	s, err := newServer(newFake(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	ws, _, err := websocket.Dial(context.Background(), "ws://"+l.Addr().String()+"/agui/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	go ws.Read(context.Background())
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	if err := s.Serve(l); err != nil {
		t.Errorf("serving after Shutdown: %v", err)
	}
}
