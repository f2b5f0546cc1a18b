package gateway

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
)

// stillStore takes nothing more of runs from when it stands still until it goes on.
type stillStore struct {
	store.Store
	still atomic.Bool
	goOn  chan struct{}
}

func (s *stillStore) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	if s.still.Load() {
		select {
		case <-s.goOn:
		case <-ctx.Done():
			return store.CommitResult{}, ctx.Err()
		}
	}
	return s.Store.Commit(ctx, b)
}

func (s *stillStore) Send(ctx context.Context, b store.Batch, answered func(store.CommitResult, error)) bool {
	return sent(ctx, s, b, answered)
}

// pipes listens on connections in memory, so that a server fits into a bubble.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (*pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// An agent says as much as it can while the store stands still: it is read as far as there
// is room for, whichever HTTP it speaks, its time does not run, and the run goes on when the
// store does.
func TestStoreStandsStill(t *testing.T) {
	const (
		room  = 1 << 20          // that a run may have on its way to the store
		slack = 512 << 10        // what is read ahead, and on its way through connections
		still = 12 * time.Minute // longer than the agent may be silent
	)
	piece := fmt.Sprintf("data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"a\",\"delta\":%q}\n\n", strings.Repeat("x", 8<<10))
	for _, version := range []int{1, 2} {
		t.Run(fmt.Sprint("HTTP/", version), func(t *testing.T) {
			alone(t)
			synctest.Test(t, func(t *testing.T) {
				var taken atomic.Int64
				var proto atomic.Value
				enough, reached := make(chan struct{}), make(chan struct{})
				at := newPipes()
				s := &httptest.Server{Listener: at, EnableHTTP2: version == 2, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					proto.Store(r.Proto)
					io.Copy(io.Discard, r.Body)
					w.Header().Set("Content-Type", "text/event-stream")
					io.WriteString(w, data(began, open))
					w.(http.Flusher).Flush()
					<-reached
					for {
						select {
						case <-enough:
							io.WriteString(w, data(shut, done))
							return
						default:
						}
						n, err := io.WriteString(w, piece)
						if err != nil {
							return
						}
						w.(http.Flusher).Flush()
						taken.Add(int64(n))
					}
				})}}
				o := Options{dial: at.dial}
				scheme := "http"
				if version == 2 {
					scheme = "https"
					s.StartTLS()
					o.TLS = &tls.Config{RootCAs: x509.NewCertPool(), ServerName: "example.com"}
					o.TLS.RootCAs.AddCert(s.Certificate())
				} else {
					s.Start()
				}
				defer s.Close()
				up, err := New(scheme+"://agent/", &o)
				if err != nil {
					t.Fatal(err)
				}
				kept := &stillStore{goOn: make(chan struct{})}
				c := newCrowd(t, func(st store.Store) store.Store { kept.Store = st; return kept }, map[string]adapter.Agent{"": up})
				defer c.leave()
				c.begin("", "thread")
				synctest.Wait()
				kept.still.Store(true)
				close(reached)
				synctest.Wait()
				if n := taken.Load(); n < room || n > room+slack {
					t.Errorf("%d bytes are taken while the store stands still, by %v", n, proto.Load())
				}
				before := taken.Load()
				time.Sleep(still)
				synctest.Wait()
				if n := taken.Load(); n != before {
					t.Errorf("%d more bytes are taken", n-before)
				}
				if s := up.Status(); s.InFlight != 1 || s.Requests != 0 {
					t.Fatalf("%+v", s)
				}
				kept.still.Store(false)
				close(enough)
				close(kept.goOn)
				synctest.Wait()
				if s := up.Status(); s.Requests != 1 || s.Failed != 0 {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}
