package login

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
)

const (
	renewTime = 3 * providerTimeout // bounds a renewal
	// holdRenewal is for how long a server may renew a token before another may. It is
	// longer than a renewal, which has to be over by then.
	holdRenewal = 2 * renewTime
	// keepUnstored is for how long a renewed token is tried to be stored.
	keepUnstored = time.Hour
)

// unstored are tokens that came in the place of others and are not known to be stored. The
// refresh token that they came for may be used up: it must not be sent again.
type unstored struct {
	mu sync.Mutex
	of map[string]renewed
}

type renewed struct {
	token
	version string
	since   time.Time
}

func (u *unstored) get(key string) (renewed, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	r, there := u.of[key]
	return r, there
}

func (u *unstored) keep(key string, r renewed) {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.DeleteFunc(u.of, func(_ string, r renewed) bool { return time.Since(r.since) > keepUnstored })
	u.of[key] = r
}

func (u *unstored) drop(key string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.of, key)
}

func unstoredKey(of store.Login, version string) string {
	return of.User + "\x00" + of.Provider + "\x00" + version
}

// token is what is sealed of one.
type token struct {
	Access  string    `json:"access"`
	Refresh string    `json:"refresh,omitempty"`
	Type    string    `json:"type"`
	Expires time.Time `json:"expires,omitzero"`
	Asked   []string  `json:"asked,omitempty"` // the scopes that were asked for; which were granted its provider knows
	Since   time.Time `json:"since"`           // when the user logged in
}

// held is a token as it is stored.
type held struct {
	token
	version string
	old     bool // sealed with another key than the first
}

func (t *token) good(now time.Time) bool {
	return t.Expires.IsZero() || now.Before(t.Expires.Add(-earlier))
}

// has reports whether the token was asked for with all of the scopes.
func (t *token) has(scopes []string) bool {
	return !slices.ContainsFunc(scopes, func(s string) bool { return !slices.Contains(t.Asked, s) })
}

// sealedAs is what a token is of: one of a provider that is another now, or knows this
// server as another client, opens no more. It was given to whom it was for.
func (s *Service) sealedAs(user, provider string) string {
	of := []string{"token", user, provider}
	if p := s.providers[provider]; p != nil {
		of = append(of, cmp.Or(p.Issuer, p.TokenURL), p.ClientID)
	}
	return strings.Join(of, "\x00")
}

func ofOauth(t *oauth2.Token, asked []string, since time.Time) token {
	return token{Access: t.AccessToken, Refresh: t.RefreshToken, Type: t.Type(), Expires: t.Expiry, Asked: asked, Since: since}
}

// find reads a user's token; nil: there is none, or none that can be opened.
func (s *Service) find(ctx context.Context, user, provider string) (*held, error) {
	h, _, err := s.stored(ctx, user, provider)
	return h, err
}

// stored is find with the version that is there though it cannot be opened; "": none is.
func (s *Service) stored(ctx context.Context, user, provider string) (h *held, version string, err error) {
	list, err := s.store.Tokens(ctx, user)
	if err != nil {
		return nil, "", err
	}
	for _, each := range list {
		if each.Provider == provider {
			return s.read(user, each), each.Version, nil
		}
	}
	return nil, "", nil
}

// read opens a stored token; nil: it cannot be opened, and its user is asked for another.
func (s *Service) read(user string, stored store.StoredToken) *held {
	text, old, err := s.opts.Sealer.Open(stored.Sealed, s.sealedAs(user, stored.Provider))
	h := &held{version: stored.Version, old: old}
	if err == nil && json.Unmarshal(text, &h.token) != nil {
		err = errUnreadable
	}
	if err != nil {
		if _, told := s.unreadable.LoadOrStore(stored.Provider, true); !told {
			s.opts.Logger.Warn("stored tokens of a provider cannot be used and count as none; the log says so once for a provider", "provider", stored.Provider, "error", err)
		}
		return nil
	}
	return h
}

// put stores a token in the place of a version, or of whichever there is.
func (s *Service) put(ctx context.Context, user, provider string, t token, was string) (version string, stored bool, err error) {
	version = rand.Text()
	stored, err = s.putAs(ctx, user, provider, version, t, was)
	return version, stored, err
}

// putAs is put by a version that the caller chose.
func (s *Service) putAs(ctx context.Context, user, provider, version string, t token, was string) (stored bool, err error) {
	text, err := json.Marshal(t)
	if err != nil {
		return false, err
	}
	sealed := s.opts.Sealer.Seal(text, s.sealedAs(user, provider))
	return patiently(ctx, func() (bool, error) {
		return s.store.PutToken(ctx, user, store.StoredToken{Provider: provider, Version: version, Sealed: sealed}, was, keepTokens)
	})
}

// Has implements adapter.Logins.
func (s *Service) Has(ctx context.Context, of store.Login) (bool, error) {
	p, err := s.provider(of.Provider)
	if err == nil {
		err = s.known(of.User)
	}
	if err != nil {
		return false, err
	}
	h, err := s.find(ctx, of.User, of.Provider)
	return err == nil && s.usable(p, h, of), err
}

func (s *Service) usable(p *client, h *held, of store.Login) bool {
	return h != nil && h.has(p.wanted(of)) && (h.good(time.Now()) || h.Refresh != "")
}

// wanted are the scopes of a login with those of the configuration.
func (c *client) wanted(of store.Login) []string {
	all := slices.Concat(c.Scopes, of.Scopes)
	slices.Sort(all)
	return slices.Compact(all)
}

// Token implements adapter.Logins. One of any number of callers on any servers renews.
func (s *Service) Token(ctx context.Context, of store.Login) (adapter.Token, error) {
	p, err := s.provider(of.Provider)
	if err == nil {
		err = s.known(of.User)
	}
	if err != nil {
		return adapter.Token{}, err
	}
	by := rand.Text()
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		h, err := s.find(ctx, of.User, of.Provider)
		if err != nil {
			return adapter.Token{}, err
		}
		if !s.usable(p, h, of) {
			return adapter.Token{}, fmt.Errorf("%s: %w", s.Title(of.Provider), adapter.ErrNoLogin)
		}
		if h.good(time.Now()) {
			if h.old { // what is lost of this is made up for the next time
				_, _ = s.putAs(ctx, of.User, of.Provider, h.version, h.token, h.version)
			}
			return adapter.Token{Type: h.Type, Access: h.Access, Expires: h.Expires, Version: h.version}, nil
		}
		release, err := s.locks.take(ctx, of.User+"\x00"+of.Provider)
		if err != nil {
			return adapter.Token{}, err
		}
		turn := true
		if late, there := s.unstored.get(unstoredKey(of, h.version)); there {
			err = s.settle(ctx, of, h.version, late)
		} else if turn, err = s.store.HoldToken(ctx, of.User, of.Provider, h.version, by, holdRenewal); err == nil && turn {
			err = s.renew(ctx, p, of, h, by)
		}
		release()
		if err != nil {
			return adapter.Token{}, err
		}
		if turn {
			continue
		}
		if err := rest(ctx, wait); err != nil {
			return adapter.Token{}, err
		}
	}
}

// renew asks for another token and stores it. Once it has asked it goes on whatever
// becomes of ctx: what a provider gave in the place of a refresh token must not be lost.
func (s *Service) renew(ctx context.Context, p *client, of store.Login, h *held, by string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTime)
	defer cancel()
	at, err := p.endpoint(ctx)
	var fresh *oauth2.Token
	if err == nil {
		config := p.config(at, s.RedirectURI(p.Name), nil)
		fresh, err = config.TokenSource(using(ctx, p), &oauth2.Token{RefreshToken: h.Refresh}).Token()
	}
	if code, said := refused(err); said && !aboutClient(code) {
		s.opts.Logger.Info("a provider takes a login back: its user is asked again", "provider", of.Provider, "code", ErrorCode(code))
		s.opts.Observe(of.Provider, EventTakenBack)
		if _, err := s.store.DropToken(ctx, of.User, of.Provider, h.version); err != nil {
			return err
		}
		return fmt.Errorf("%s: %w", s.Title(of.Provider), adapter.ErrNoLogin)
	}
	if err != nil {
		s.opts.Observe(of.Provider, EventRenewalFailed)
		_, _ = s.store.HoldToken(ctx, of.User, of.Provider, h.version, by, 0)
		return fmt.Errorf("a token could not be renewed: %w", s.saidOf(p, err))
	}
	s.opts.Observe(of.Provider, EventRenewed)
	t := ofOauth(fresh, h.Asked, h.Since)
	if t.Refresh == "" {
		t.Refresh = h.Refresh
	}
	late := renewed{t, rand.Text(), time.Now()}
	s.unstored.keep(unstoredKey(of, h.version), late)
	return s.settle(ctx, of, h.version, late)
}

// settle stores what came in the place of a version. The next caller tries again if it is
// not known whether it is stored.
func (s *Service) settle(ctx context.Context, of store.Login, was string, late renewed) error {
	// Not stored: the user has deleted it meanwhile, or has logged in anew.
	_, err := s.putAs(ctx, of.User, of.Provider, late.version, late.token, was)
	if err == nil {
		s.unstored.drop(unstoredKey(of, was))
	}
	return err
}

// Discard implements adapter.Logins.
func (s *Service) Discard(ctx context.Context, of store.Login, t adapter.Token) error {
	_, err := s.store.DropToken(ctx, of.User, of.Provider, t.Version)
	return err
}

// Account is a user's login at a provider, without its token.
type Account struct {
	Provider, Title string
	Scopes          []string
	Since           time.Time
	Expires         time.Time // zero: it does not, or is renewed
	Unreadable      bool      // it cannot be opened, and counts as none
}

// Accounts are those of a user, by their names.
func (s *Service) Accounts(ctx context.Context, user string) ([]Account, error) {
	if err := s.known(user); err != nil {
		return nil, err
	}
	list, err := s.store.Tokens(ctx, user)
	if err != nil {
		return nil, err
	}
	accounts := make([]Account, 0, len(list))
	for _, each := range list {
		a := Account{Provider: each.Provider, Title: s.Title(each.Provider), Unreadable: true}
		if h := s.read(user, each); h != nil {
			if !h.good(time.Now()) && h.Refresh == "" {
				continue
			}
			a.Scopes, a.Since, a.Unreadable = h.Asked, h.Since, false
			if h.Refresh == "" {
				a.Expires = h.Expires
			}
		}
		accounts = append(accounts, a)
	}
	slices.SortFunc(accounts, func(a, b Account) int { return strings.Compare(a.Provider, b.Provider) })
	return accounts, nil
}

// locks are turns in this process, so that those who wait for one do not ask the store.
type locks struct {
	mu   sync.Mutex
	busy map[string]chan struct{} // closed when the turn is over
}

func (l *locks) take(ctx context.Context, key string) (release func(), err error) {
	for {
		l.mu.Lock()
		over, busy := l.busy[key]
		if !busy {
			over = make(chan struct{})
			l.busy[key] = over
			l.mu.Unlock()
			return func() {
				l.mu.Lock()
				delete(l.busy, key)
				l.mu.Unlock()
				close(over)
			}, nil
		}
		l.mu.Unlock()
		select {
		case <-over:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
