package frontends

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
)

// network stands between the pages and the server. It serves the pages itself,
// and passes sockets to /agui/ on over TCP, as long as it is up. Requests pass a proxy.
type network struct {
	t      *testing.T
	server string // host and port
	files  string

	mu    sync.Mutex
	down  bool
	open  map[net.Conn]struct{}
	pipes sync.WaitGroup
}

func newNetwork(t *testing.T, server, files string) *network {
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	n := &network{t: t, server: u.Host, files: files, open: map[net.Conn]struct{}{}}
	t.Cleanup(func() {
		n.drop()
		n.pipes.Wait()
	})
	return n
}

const document = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>%[1]s</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/build/%[1]s.css"></head>
<body><div id="root"></div><script type="module" src="/build/%[1]s.js"></script></body></html>`

func (n *network) pages() http.Handler {
	mux := http.NewServeMux()
	for _, name := range []string{"copilotkit", "assistant", "assistant-0.0.56", "questions", "quickstart", "decision", "hooks"} {
		mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, document, name)
		})
	}
	mux.Handle("GET /build/", http.StripPrefix("/build/", http.FileServer(http.Dir(n.files))))
	mux.HandleFunc("POST /agui", n.request)
	mux.HandleFunc("/copilotkit/", n.request)
	mux.HandleFunc("/v1/", n.request)
	mux.HandleFunc("/agui/", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" {
			n.request(w, r)
			return
		}
		n.pass(w, r)
	})
	return mux
}

// control lets the tests cut the network and mend it.
func (n *network) control() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /down", func(http.ResponseWriter, *http.Request) { n.drop() })
	mux.HandleFunc("POST /up", func(http.ResponseWriter, *http.Request) {
		n.mu.Lock()
		n.down = false
		n.mu.Unlock()
	})
	return mux
}

// drop cuts every connection, and every new one as it comes.
func (n *network) drop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down = true
	for conn := range n.open {
		conn.Close()
	}
}

// keep remembers the two ends of a connection so that it can be cut. When the
// network is down it closes them and answers false.
func (n *network) keep(client, server net.Conn) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.down {
		client.Close()
		server.Close()
		return false
	}
	n.open[client], n.open[server] = struct{}{}, struct{}{}
	n.pipes.Add(2)
	return true
}

// pipe passes on what comes from one end until either is closed.
func (n *network) pipe(to, from net.Conn, first io.Reader) {
	defer n.pipes.Done()
	_, _ = io.Copy(to, io.MultiReader(first, from)) // how it ends says nothing here
	to.Close()
	from.Close()
	n.mu.Lock()
	delete(n.open, to)
	delete(n.open, from)
	n.mu.Unlock()
}

// request passes on a request. Its body is read first: the proxy of net/http/httputil cuts an
// answer that begins before it has noticed the end of the body.
func (n *network) request(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		n.t.Errorf("network: %v", err)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: n.server}).ServeHTTP(w, r)
}

func (n *network) pass(w http.ResponseWriter, r *http.Request) {
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		n.t.Errorf("network: %v", err)
		return
	}
	server, err := net.Dial("tcp", n.server)
	if err != nil {
		client.Close()
		return
	}
	if !n.keep(client, server) {
		return
	}
	var head bytes.Buffer
	_ = r.Write(&head) // a buffer takes everything
	early := io.LimitReader(buffered, int64(buffered.Reader.Buffered()))
	go n.pipe(client, server, http.NoBody)
	go n.pipe(server, client, io.MultiReader(&head, early))
}
