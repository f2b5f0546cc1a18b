package conformance

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// A server that is really replaced passes, over every transport; one that is left
// as it was fails, whatever it answers; and so does one that does not come back.
func TestReplacingMustHappen(t *testing.T) {
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" {
			says(begun, ended)(w, r)
			return
		}
		over := Plain
		if strings.Contains(r.Header.Get("Sec-Websocket-Protocol"), subprotocol) {
			over = Binding
		}
		accept(w, r, over, chants(begun, ended))
	})
	for _, over := range Transports {
		for how, want := range map[string]string{
			"replaced": "", "nothing": "was not replaced", "gone": "is not back", "command": "exit status 3",
		} {
			t.Run(over+"/"+how, func(t *testing.T) {
				t.Parallel()
				p := begin(t, "127.0.0.1:0", answer)
				defer func() { p.kill() }()
				address := p.listener.Addr().String()
				target := Target{URL: "http://" + address, Over: over, Timeout: 500 * time.Millisecond}
				if over == Binding || over == Plain {
					target.URL = "ws://" + address
				}
				target.Restart = func(context.Context) error {
					switch how {
					case "nothing":
						return nil
					case "command":
						return errors.New("exit status 3")
					}
					p.kill()
					if how == "replaced" {
						p = begin(t, address, answer)
					}
					return nil
				}
				cases := one(t, "A> run r1 say x\nA< ... RUN_FINISHED\nrestart\nA> run r2 say x\nA< ... RUN_FINISHED\n")
				results := Run(t.Context(), target, cases, nil)
				var found string
				for _, v := range results[0].Violations {
					found += v.Message + "\n"
				}
				if (results[0].Status == Passed) != (want == "") || !strings.Contains(found, want) {
					t.Errorf("%s: %s", results[0].Status, found)
				}
			})
		}
	}
}

// process is a server whose connections all end with it.
type process struct {
	listener net.Listener
	server   http.Server
	mu       sync.Mutex
	open     []net.Conn
	serving  sync.WaitGroup
}

func begin(t *testing.T, address string, handler http.Handler) *process {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{listener: listener}
	p.server.Handler = handler
	p.server.ConnState = func(c net.Conn, s http.ConnState) {
		if s == http.StateNew {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.open = append(p.open, c)
		}
	}
	p.serving.Go(func() { _ = p.server.Serve(listener) })
	return p
}

func (p *process) kill() {
	_ = p.server.Close()
	p.serving.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.open {
		_ = c.Close()
	}
}

// A server that says that it is not durable is not held to durability, unless its
// profile says otherwise.
func TestVolatileIsBelieved(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		accept(w, r, Binding, func(ctx context.Context, ws *websocket.Conn, _ string) {
			_ = ws.Write(ctx, websocket.MessageText, []byte(`{"type":"ws.hello","binding":"agui.v1","durable":false,"capabilities":{}}`))
			_, _, _ = ws.Read(ctx)
		})
	}))
	defer server.Close()
	cases := one(t, "needs: durable\nA> run r1 say x\nA< RUN_STARTED\nrestart\n")
	target := Target{
		URL: "ws" + strings.TrimPrefix(server.URL, "http"), Over: Binding, Timeout: time.Second,
		Restart: func(context.Context) error { return nil },
	}
	for _, test := range []struct {
		profile *Profile
		want    Status
	}{{nil, Skipped}, {&Profile{Offers: []string{"say", "durable", "restart"}}, Failed}} {
		target.Profile = test.profile
		if got := Run(t.Context(), target, cases, nil)[0]; got.Status != test.want {
			t.Errorf("%+v: %s (%s), expected %s", test.profile, got.Status, got.Reason, test.want)
		}
	}
}
