package webhook

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

const (
	secretA = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	secretB = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
)

// installation is a store that nodes share, with a clock that is moved by hand.
type installation struct {
	*testing.T
	url    string
	client *redis.Client // beside the nodes

	mu  sync.Mutex
	now time.Time
}

func install(t *testing.T) *installation {
	in := &installation{T: t, url: redistest.Start(t, redistest.Options{}).URL(), now: time.UnixMilli(time.Now().UnixMilli())}
	options, err := redis.ParseURL(in.url)
	if err != nil {
		t.Fatal(err)
	}
	in.client = redis.NewClient(options)
	t.Cleanup(func() { _ = in.client.Close() })
	return in
}

func (in *installation) clock() time.Time {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.now
}

func (in *installation) move(d time.Duration) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.now = in.now.Add(d)
}

// store is one node's.
func (in *installation) store() *redisstore.Store {
	in.Helper()
	s, err := redisstore.Open(in.Context(), in.url, &redisstore.Options{Partitions: 1, HistoryID: "h", Timeout: time.Minute, Clock: in.clock})
	if err != nil {
		in.Fatal(err)
	}
	in.Cleanup(func() { _ = s.Close() })
	return s
}

// node is a sender with its log.
type node struct {
	*Sender
	log   *buffer
	tries chan Try
}

func (in *installation) node(opts Options, targets ...Target) *node {
	in.Helper()
	n := &node{log: &buffer{}, tries: make(chan Try, 10_000)}
	opts.Logger = slog.New(slog.NewTextHandler(n.log, nil))
	opts.PrivateHosts = append(opts.PrivateHosts, "127.0.0.1")
	opts.Observe = func(t Try) { n.tries <- t }
	or(&opts.Poll, time.Millisecond)
	for i := range targets {
		targets[i].FromStart = true
		if targets[i].Secrets == nil {
			targets[i].Secrets = []string{secretA}
		}
	}
	var err error
	if n.Sender, err = New(in.store(), targets, &opts); err != nil {
		in.Fatal(err)
	}
	in.Cleanup(func() { _ = n.Shutdown(context.Background()) })
	return n
}

// tried waits for what came of a try.
func (in *installation) tried(n *node) Try {
	in.Helper()
	select {
	case t := <-n.tries:
		return t
	case <-time.After(time.Minute):
		in.Fatalf("nothing was tried; the log: %s", n.log)
	}
	return Try{}
}

// notice writes one as the store's scripts do.
func (in *installation) notice(thread string, fields ...string) {
	in.Helper()
	var stream string
	in.eventually("the stream of notices", func() bool {
		keys, err := in.client.Keys(in.Context(), "*:notices").Result()
		if err != nil {
			in.Fatal(err)
		}
		if len(keys) > 0 {
			stream = keys[0]
		}
		return stream != ""
	})
	values := append([]string{"namespace", "acme/user/ann", "thread", thread, "tenant", "acme", "kind", "interrupt.opened"}, fields...)
	if err := in.client.XAdd(in.Context(), &redis.XAddArgs{Stream: stream, Values: values}).Err(); err != nil {
		in.Fatal(err)
	}
}

func (in *installation) eventually(what string, ok func() bool) {
	in.Helper()
	deadline := time.After(time.Minute)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			in.Fatal("in vain: " + what)
		}
	}
}

func (in *installation) counts(n *node, target string) store.WebhookCounts {
	in.Helper()
	c, err := n.store.CountWebhooks(in.Context(), target)
	if err != nil {
		in.Fatal(err)
	}
	c.Most = 0
	return c
}

// receiver is a target that keeps what it gets.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []got
	answer func(w http.ResponseWriter, r *http.Request)
}

type got struct {
	header http.Header
	body   []byte
}

func receive(t *testing.T, answer func(w http.ResponseWriter, r *http.Request)) *receiver {
	rec := &receiver{answer: answer}
	rec.Server = httptest.NewServer(rec)
	t.Cleanup(rec.Close)
	return rec
}

func (rec *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	rec.mu.Lock()
	rec.got = append(rec.got, got{r.Header, body})
	answer := rec.answer
	rec.mu.Unlock()
	if answer != nil {
		answer(w, r)
	}
}

func (rec *receiver) become(answer func(w http.ResponseWriter, r *http.Request)) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.answer = answer
}

func (rec *receiver) all() []got {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return slices.Clone(rec.got)
}

func status(code int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// buffer is a log that may be read while it is written.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func has(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s is %s, without %s", what, text, part)
		}
	}
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("%s: %+v, not %+v", what, got, want)
	}
}
