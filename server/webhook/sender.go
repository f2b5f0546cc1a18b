package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// Options of a Sender. The zero value of each field is the default it names.
type Options struct {
	// Workers is how many requests to one target are under way at once. Default 4.
	Workers int
	// Timeout is how long a target may take to answer. Default 15 s.
	Timeout time.Duration
	// Poll is how often the store is asked for what is new. Default 1 s.
	Poll time.Duration
	// Keep is for how long a target is kept that no node is configured with: what it is
	// owed and what died. Default 7 days.
	Keep time.Duration
	// PrivateHosts are the names and addresses, in lower case, of targets that may be
	// anywhere, and not on the internet alone, and need no TLS. Default: none.
	PrivateHosts []string
	// PublicURL is where browsers find the server: links to its page begin with it.
	// Default "": a link is a path.
	PublicURL string
	// Observe is told of each try. Default: nobody is.
	Observe func(Try)
	// Logger gets names of targets and ids, never a secret or a URL. Default:
	// slog.Default().
	Logger *slog.Logger
	// Resolver finds addresses, and TLS is for connections. Defaults: the system's.
	Resolver *net.Resolver
	TLS      *tls.Config
}

func (o *Options) withDefaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	or(&d.Workers, 4)
	or(&d.Timeout, 15*time.Second)
	or(&d.Poll, time.Second)
	or(&d.Keep, 7*24*time.Hour)
	or(&d.Logger, slog.Default())
	if d.Observe == nil {
		d.Observe = func(Try) {}
	}
	return d
}

func or[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Sender sends webhooks. Make it with New, and shut it down. Its methods may be called
// concurrently.
type Sender struct {
	store store.Webhooks
	opts  Options
	http  *http.Client
	lines map[string]*line
	order []*line // as configured

	closing context.Context // ends when nothing more is taken
	close   context.CancelFunc
	cutting context.Context // ends what is under way
	cut     context.CancelFunc
	running sync.WaitGroup
	quiet   outage
}

// New begins to send to the targets. It refuses those that cannot work: see CheckTargets.
func New(s store.Webhooks, targets []Target, opts *Options) (*Sender, error) {
	sender, err := assemble(s, targets, opts.withDefaults(), public)
	if err != nil {
		return nil, err
	}
	sender.start()
	return sender, nil
}

func assemble(s store.Webhooks, targets []Target, opts Options, public checkAddr) (*Sender, error) {
	if err := CheckTargets(targets, opts.PrivateHosts); err != nil {
		return nil, err
	}
	g := &guard{private: opts.PrivateHosts, resolver: opts.Resolver, public: public}
	sender := &Sender{store: s, opts: opts, lines: map[string]*line{}, quiet: outage{log: opts.Logger}}
	sender.closing, sender.close = context.WithCancel(context.Background())
	sender.cutting, sender.cut = context.WithCancel(context.Background())
	sender.http = &http.Client{
		// Proxies of the environment would connect to where the guard does not look.
		Transport: &http.Transport{DialContext: g.dial, TLSClientConfig: opts.TLS, TLSHandshakeTimeout: dialTimeout, DisableCompression: true,
			MaxIdleConnsPerHost: opts.Workers, IdleConnTimeout: 30 * time.Second, MaxResponseHeaderBytes: mostRead},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	for _, t := range targets {
		signers, err := t.signers()
		if err != nil {
			return nil, err
		}
		l := &line{Sender: sender, target: t, signers: signers, configuration: t.configuration(), wake: make(chan struct{}, 1)}
		sender.lines[t.Name] = l
		sender.order = append(sender.order, l)
	}
	return sender, nil
}

func (s *Sender) start() {
	s.running.Go(s.look)
}

// Shutdown takes nothing more, and waits for what is under way. When ctx ends first, that
// is cut off, to be sent again by who is next, and its error is returned.
func (s *Sender) Shutdown(ctx context.Context) error {
	s.close()
	ended := make(chan struct{})
	go func() {
		s.running.Wait()
		close(ended)
	}()
	var err error
	select {
	case <-ended:
	case <-ctx.Done():
		err = ctx.Err()
		s.cut()
		<-ended
	}
	s.cut()
	s.http.CloseIdleConnections()
	return err
}

const (
	lookEvery  = time.Minute
	storeCall  = 10 * time.Second
	storePause = time.Second
)

// look says which targets are in use, learns which of them want no more, and lets those
// go that nobody uses. The lines begin when it has learnt that.
func (s *Sender) look() {
	begun := false
	for pass := 0; s.closing.Err() == nil; pass++ {
		wait := lookEvery
		err := s.lookOnce(pass%60 == 0)
		s.quiet.note("what is known of targets of webhooks", err)
		switch {
		case err == nil && !begun:
			begun = true
			for _, l := range s.order {
				s.running.Go(l.run)
			}
		case err != nil && !begun:
			wait, pass = storePause, -1
		}
		s.pause(wait, nil)
	}
}

func (s *Sender) lookOnce(thorough bool) error {
	ctx, cancel := context.WithTimeout(s.closing, storeCall)
	defer cancel()
	var names []string
	for _, l := range s.order {
		names = append(names, l.target.Name)
	}
	states, err := s.store.UseTargets(ctx, names)
	if err != nil {
		return err
	}
	for _, l := range s.order {
		l.learn(states[l.target.Name].Gone == l.configuration)
	}
	if !thorough {
		return nil
	}
	for name, state := range states {
		if s.lines[name] == nil && state.Idle > s.opts.Keep {
			err = errors.Join(err, s.store.ForgetTarget(ctx, name, state))
			s.opts.Logger.Info("a target of webhooks is forgotten, which nobody has used", "target", name, "since", state.Used)
		}
	}
	for _, name := range names {
		_, counted := s.store.CountWebhooks(ctx, name) // and what died long ago goes
		err = errors.Join(err, counted)
	}
	if errors.Is(err, store.ErrPartial) {
		return nil // the next time
	}
	return err
}

// pause waits so long, or until it is woken, or the end.
func (s *Sender) pause(d time.Duration, wake <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-wake:
	case <-s.closing.Done():
	}
}

// outage has the log tell once that calls of the store fail, and once that they do not.
type outage struct {
	log *slog.Logger
	mu  sync.Mutex
	of  map[string]bool
}

func (o *outage) note(what string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of == nil {
		o.of = map[string]bool{}
	}
	failed := err != nil && !errors.Is(err, context.Canceled)
	if failed == o.of[what] {
		return
	}
	o.of[what] = failed
	if failed {
		o.log.Warn("the store does not tell "+what, "error", err)
	} else {
		o.log.Info("the store tells again " + what)
	}
}

// cutText bounds a text that is kept or logged.
func cutText(s string, n int) string {
	if len(s) > n {
		s = s[:n]
	}
	return strings.ToValidUTF8(s, "?")
}
