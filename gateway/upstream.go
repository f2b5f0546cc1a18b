// Package gateway puts an agent that somebody else wrote, and that AG-UI over HTTP
// reaches, behind a Runner: an Upstream is an adapter.Agent whose work is one POST a
// turn. Its events are logged before anybody sees them, its interrupts become
// suspensions, and an answer goes to it once: where nobody can know whether it has one, a
// human is asked.
package gateway

import "github.com/aguiws/aguiws/gateway/internal/wire"

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Upstream is an agent behind a URL that takes AG-UI's input by POST and answers with a
// stream of its events. It is an adapter.Agent, for any number of runs at once. Close it
// when no run uses it any more.
type Upstream struct {
	options Options
	manners manners
	target  string // the URL as it is asked
	shown   string // as it may be read by anybody
	origin  string // whom credentials are for
	client  *http.Client
	places  chan struct{} // one for each request under way
	large   chan struct{} // one for each that holds a large event
	ownIDs  atomic.Bool   // see runs
	// versionless says that the agent forbids protocolVersion.
	versionless atomic.Bool
	stats       stats
	unclear     sync.Once // that its dialect is has been said
	asked       capabilityCache

	mu     sync.Mutex
	closed bool
	behind sync.WaitGroup // what goes on when a run is over
}

// New makes an agent of what answers at the URL, which is http or https. It connects to
// nothing yet.
func New(rawURL string, options *Options) (*Upstream, error) {
	target, err := url.Parse(rawURL)
	if err != nil || target.Scheme != "http" && target.Scheme != "https" || target.Host == "" {
		return nil, fmt.Errorf("gateway: %q is no URL of an agent: must begin with http:// or https:// and name a host", hidden(rawURL))
	}
	u := &Upstream{target: target.String(), shown: shown(target), origin: originOf(target)}
	if options != nil {
		u.options = *options
	}
	if err := u.options.complete(target); err != nil {
		return nil, err
	}
	u.manners = mannersOf[u.options.Dialect]
	u.manners.ownMetadata, u.manners.separateDuties = u.options.OwnMetadata, u.options.SeparateDuties
	u.places = make(chan struct{}, u.options.Concurrency)
	u.large = make(chan struct{}, wire.LargeAtOnce)
	u.client = u.options.client()
	u.asked.u = u
	return u, nil
}

// Name is how logs and metrics call it.
func (u *Upstream) Name() string { return u.options.Name }

// Unpausable is true: a run is one request, and what an upstream has begun goes on.
func (u *Upstream) Unpausable() bool { return true }

// Restartable reports whether a run may be begun again whose worker was lost: where a human
// is asked first, or where the agent can be asked twice.
func (u *Upstream) Restartable() bool { return u.options.Idempotent || u.options.AskLost }

// Close waits for what runs have left to be done, such as stop requests, and lets go of
// the connections. It returns ctx's error when that takes too long.
func (u *Upstream) Close(ctx context.Context) error {
	u.mu.Lock()
	u.closed = true
	u.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		u.behind.Wait()
		u.client.CloseIdleConnections()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// later does something that no run waits for; false: it is closed.
func (u *Upstream) later(do func()) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return false
	}
	u.behind.Go(do)
	return true
}

// complete fills in the defaults and refuses what cannot work.
func (o *Options) complete(target *url.URL) error {
	o.Name, o.Dialect = cmp.Or(o.Name, target.Host), cmp.Or(o.Dialect, DialectAuto)
	if o.CapabilitiesURL == "" {
		at := *target
		at.Path, at.RawPath = strings.TrimSuffix(at.Path, "/")+"/capabilities", ""
		o.CapabilitiesURL = at.String()
	}
	for field, otherwise := range map[*time.Duration]time.Duration{
		&o.ConnectTimeout: 5 * time.Second, &o.FirstByteTimeout: time.Minute,
		&o.SilenceTimeout: 5 * time.Minute, &o.RunTimeout: time.Hour, &o.afterEnd: defaultAfterEnd,
	} {
		if *field <= 0 {
			*field = otherwise
		}
	}
	for field, otherwise := range map[*int64]int64{&o.MaxEventBytes: 16 << 20, &o.MaxRunBytes: 256 << 20} {
		if *field <= 0 {
			*field = otherwise
		}
	}
	if o.Concurrency <= 0 {
		o.Concurrency = 1000
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Idempotent && o.AskLost {
		return errors.New("gateway: an agent that can be asked twice needs nobody to be asked what became of a run: set one of both")
	}
	if err := o.checkWords(); err != nil {
		return err
	}
	return o.checkHeaders()
}

// checkWords refuses words, answers and URLs that nobody knows.
func (o *Options) checkWords() error {
	if !slices.Contains(Dialects, o.Dialect) {
		return fmt.Errorf("gateway: %q is no dialect: there are %v", o.Dialect, Dialects)
	}
	for name, answer := range map[string]json.RawMessage{"yes": o.Yes, "no": o.No} {
		if answer != nil && (len(answer) > maxOffer || !json.Valid(answer)) {
			return fmt.Errorf("gateway: the %s is no JSON of at most %d bytes", name, maxOffer)
		}
	}
	if o.History != HistoryWhole && o.History != HistoryNew {
		return fmt.Errorf("gateway: %q is no history: must be %q or nothing", o.History, HistoryNew)
	}
	for name, text := range map[string]string{"stop URL": o.StopURL, "capabilities URL": o.CapabilitiesURL} {
		if at, err := url.Parse(text); text != "" && (err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "") {
			return fmt.Errorf("gateway: %q is no %s: must begin with http:// or https:// and name a host", hidden(text), name)
		}
	}
	return nil
}

// checkHeaders refuses headers that are not the agent's, and takes its own copies.
func (o *Options) checkHeaders() error {
	o.Header = o.Header.Clone()
	repeats := func(name string) error {
		if !o.Idempotent && slices.Contains(repeated, http.CanonicalHeaderKey(name)) {
			return fmt.Errorf("gateway: the header %q makes HTTP send a request again when its connection breaks: only an agent that is idempotent can have it", name)
		}
		return nil
	}
	for name := range o.Header {
		if err := repeats(name); err != nil {
			return err
		}
		if !sendable(name) {
			return fmt.Errorf("gateway: the header %q is not to be set: it belongs to the connection or to the request", name)
		}
	}
	for i, name := range o.PassHeaders {
		if err := repeats(name); err != nil {
			return err
		}
		if !sendable(name) {
			return fmt.Errorf("gateway: the header %q is not to be passed on: it belongs to the connection or to the request", name)
		}
		if strings.EqualFold(name, o.UserHeader) {
			return fmt.Errorf("gateway: the header %q cannot be both passed on and the user's: a caller could then set it", name)
		}
		o.PassHeaders = slices.Clone(o.PassHeaders)
		o.PassHeaders[i] = strings.ToLower(name)
	}
	if o.UserHeader == "" {
		return nil
	}
	if !sendable(o.UserHeader) || o.Header.Get(o.UserHeader) != "" {
		return fmt.Errorf("gateway: the header %q cannot have the user: it belongs to the connection or to the request, or has a value already", o.UserHeader)
	}
	return repeats(o.UserHeader)
}

// notSent are headers that are not the agent's: of the connection, and those that say
// what this end sends and takes.
var notSent = []string{
	"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade", "Host", "Content-Length", "Content-Type", "Content-Encoding", "Accept", "Accept-Encoding", "Expect",
}

// repeated are headers by which net/http takes a POST for one that it may send again.
var repeated = []string{"Idempotency-Key", "X-Idempotency-Key"}

func sendable(name string) bool {
	for _, c := range []byte(name) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("()<>@,;:\\\"/[]?={}", c) >= 0 {
			return false
		}
	}
	return name != "" && !slices.Contains(notSent, http.CanonicalHeaderKey(name))
}

// client is of this upstream alone: nothing of the environment tells it where to go.
func (o *Options) client() *http.Client {
	dialer := net.Dialer{Timeout: o.ConnectTimeout}
	// Servers close what is idle for 5 s; a request must not meet that.
	const idle = 3 * time.Second
	// If a run takes nothing, because the store stands still, HTTP/2 reads ahead into
	// memory of this process; with HTTP/1 the kernel holds it.
	const ahead = 128 << 10
	t := &http.Transport{
		Proxy: nil, DialContext: dialer.DialContext, TLSHandshakeTimeout: o.ConnectTimeout, TLSClientConfig: o.TLS.Clone(),
		ForceAttemptHTTP2: true, MaxIdleConns: 64, MaxIdleConnsPerHost: 64, IdleConnTimeout: idle, MaxResponseHeaderBytes: 64 << 10,
		HTTP2: &http.HTTP2Config{MaxReceiveBufferPerStream: ahead},
		// Many small events come in one read; it is most of what they cost beyond their own.
		ReadBufferSize: 16 << 10,
	}
	if o.dial != nil {
		t.DialContext = o.dial
	}
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// shown is a URL without what may be secret.
func shown(at *url.URL) string {
	return (&url.URL{Scheme: at.Scheme, Host: at.Host, Path: at.Path}).String()
}

func hidden(text string) string {
	if at, err := url.Parse(text); err == nil && at.Host != "" {
		return shown(at)
	}
	before, _, _ := strings.Cut(text, "?")
	if i := strings.LastIndexByte(before, '@'); i >= 0 {
		before = before[i+1:]
	}
	return before
}

func originOf(at *url.URL) string { return at.Scheme + "://" + at.Host }
