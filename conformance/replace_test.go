package conformance

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/aguiws/aguiws/redisstore/redistest"
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
	cases := one(t, "A> run r1 say x\nA< ... RUN_FINISHED\nrestart\nA> run r2 say x\nA< ... RUN_FINISHED\n")
	var working sync.WaitGroup
	defer working.Wait()
	for _, over := range Transports {
		for how, test := range map[string]struct {
			want    string
			byClock bool // after two times the timeout, or six times
		}{
			"replaced": {"", false},
			"command":  {"exit status 3", false},
			"nothing":  {"was not replaced", true},
			"gone":     {"is not back", true},
		} {
			try := func(timeout time.Duration) (well bool, told string) {
				address := net.JoinHostPort("127.0.0.1", strconv.Itoa(redistest.FreePort(t)))
				p, err := begin(address, answer)
				if err != nil {
					return false, err.Error()
				}
				defer func() { p.kill() }()
				target := Target{URL: "http://" + address, Over: over, Timeout: timeout}
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
					if how == "gone" {
						return nil
					}
					next, err := begin(address, answer)
					if err == nil {
						p = next
					}
					return err
				}
				results := Run(t.Context(), target, cases, nil)
				var found string
				for _, v := range results[0].Violations {
					found += v.Message + "\n"
				}
				well = (results[0].Status == Passed) == (test.want == "") && strings.Contains(found, test.want)
				return well, fmt.Sprintf("%s: %s", results[0].Status, found)
			}
			working.Go(func() {
				var well bool
				var told string
				if test.byClock {
					patiently(func(timeout time.Duration) bool { well, told = try(timeout); return well })
				} else {
					well, told = try(patience)
				}
				if !well {
					t.Errorf("%s over %s: %s", how, over, told)
				}
			})
		}
	}
}

// process is a server whose connections all end with it.
type process struct {
	server  http.Server
	mu      sync.Mutex
	open    []net.Conn
	serving sync.WaitGroup
}

func begin(address string, handler http.Handler) (*process, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	p := &process{}
	p.server.Handler = handler
	p.server.ConnState = func(c net.Conn, s http.ConnState) {
		if s == http.StateNew {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.open = append(p.open, c)
		}
	}
	p.serving.Go(func() { _ = p.server.Serve(listener) })
	return p, nil
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
		URL: "ws" + strings.TrimPrefix(server.URL, "http"), Over: Binding,
		Restart: func(context.Context) error { return nil },
	}
	for _, test := range []struct {
		profile *Profile
		timeout time.Duration
		want    Status
	}{{nil, patience, Skipped}, {&Profile{Offers: []string{"say", "durable", "restart"}}, time.Second, Failed}} {
		target.Profile, target.Timeout = test.profile, test.timeout
		if got := Run(t.Context(), target, cases, nil)[0]; got.Status != test.want {
			t.Errorf("%+v: %s (%s), expected %s", test.profile, got.Status, got.Reason, test.want)
		}
	}
}
