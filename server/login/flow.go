package login

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
)

// Runner is what a Desk asks of an runner.Runner.
type Runner interface {
	Open(ctx context.Context, keys []store.ThreadKey) ([]operate.Suspended, error)
	AnswerLogin(ctx context.Context, a operate.LoginAnswer) (admission.Admitted, error)
}

// Desk is where people log in: it begins flows, takes browsers back, and answers the
// interrupts that asked.
type Desk struct {
	*Service
	runner Runner
}

// NewDesk makes a desk of a service and the runner whose Options.Logins it is.
func NewDesk(s *Service, r Runner) *Desk { return &Desk{s, r} }

// Visitor is who wants to log in, at what asks them to.
type Visitor struct {
	Thread       store.ThreadKey
	Interrupt    string
	Tenant, User string // as an input's
	From         store.Origin
	Headers      map[string]string // as an input's
	// Credential is the bearer that they came with; "": what says who they are comes along
	// with each request by itself, or nobody has to say it.
	Credential string
}

// Recheck says whether a visitor who comes back may still do what they have begun, by their
// Credential: ErrCredential, if not.
type Recheck func(ctx context.Context, v Visitor) error

// ErrCredential says that a visitor's credential is good no more.
var ErrCredential error = problemCredential

// Begun is a flow that has begun. The browser keeps Cookie, and goes to URL.
type Begun struct {
	URL    string
	Cookie *http.Cookie
	// SignedIn: a token was there already and the interrupt is resolved; there is no flow.
	SignedIn bool
}

// flow is what is sealed of one that is under way.
type flow struct {
	Provider  string          `json:"provider"`
	Verifier  string          `json:"verifier"`
	Browser   string          `json:"browser"` // the digest of the cookie
	Until     time.Time       `json:"until"`
	Scopes    []string        `json:"scopes"` // that are asked for
	Thread    store.ThreadKey `json:"thread"`
	Interrupt string          `json:"interrupt"`
	Tenant    string          `json:"tenant,omitempty"`
	User      string          `json:"user,omitempty"`
	From      store.Origin    `json:"from"`
	// Credential is sealed as all of it, and for as long as the flow is kept.
	Credential string `json:"credential,omitempty"`
}

func (f *flow) visitor() Visitor {
	return Visitor{Thread: f.Thread, Interrupt: f.Interrupt, Tenant: f.Tenant, User: f.User, From: f.From, Credential: f.Credential}
}

const sealedFlow = "flow\x00"

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

const (
	cookiePrefix = "aguiws-login-"
	// hostOnly begins the names of cookies that no other host of the site can set.
	hostOnly = "__Host-"
)

// IsCookie reports whether a cookie of that name is a flow's, and means nothing elsewhere.
func IsCookie(name string) bool {
	return strings.HasPrefix(strings.TrimPrefix(name, hostOnly), cookiePrefix)
}

// https reports whether browsers reach the server over TLS.
func (s *Service) https() bool { return strings.HasPrefix(s.opts.PublicURL, "https:") }

// cookieName is that of one flow, so that two tabs can be at it.
func (s *Service) cookieName(id string) string {
	if s.https() {
		return hostOnly + cookiePrefix + id[:12]
	}
	return cookiePrefix + id[:12]
}

// open finds the login that an open interrupt asks for.
func (d *Desk) open(ctx context.Context, key store.ThreadKey, interrupt string) (*operate.OpenInterrupt, error) {
	list, err := d.runner.Open(ctx, []store.ThreadKey{key})
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		for i := range s.Interrupts {
			if o := &s.Interrupts[i]; o.ID == interrupt && o.Login != nil {
				return o, nil
			}
		}
	}
	return nil, problemClosed
}

// Begin begins a flow for an open interrupt of the visitor's, or resolves it if there is a
// token meanwhile. An error that the visitor has to be told is a *Problem.
func (d *Desk) Begin(ctx context.Context, v Visitor) (Begun, error) {
	if err := d.known(v.User); err != nil {
		return Begun{}, err
	}
	o, err := d.open(ctx, v.Thread, v.Interrupt)
	if err != nil {
		return Begun{}, err
	}
	if o.Login.User != v.User {
		return Begun{}, problemNotYours
	}
	if o.Stale {
		return Begun{}, problemStale
	}
	p, err := d.provider(o.Login.Provider)
	if err != nil {
		return Begun{}, problemNoProvider
	}
	h, err := d.find(ctx, v.User, p.Name)
	if err != nil {
		return Begun{}, err
	}
	if d.usable(p, h, *o.Login) {
		return Begun{SignedIn: true}, d.answer(ctx, v, false)
	}
	at, err := p.endpoint(ctx)
	if err != nil {
		d.opts.Logger.Warn("a provider cannot be reached", "provider", p.Name, "error", err)
		return Begun{}, problemDown
	}
	scopes := p.wanted(*o.Login)
	if h != nil { // or the token that comes would have less than the one it replaces
		scopes = p.wanted(store.Login{Scopes: append(scopes, h.Asked...)})
	}
	if scopes, err = d.underWay(ctx, p, v.User, scopes); err != nil {
		return Begun{}, err
	}
	state, browser, verifier := rand.Text()+rand.Text(), rand.Text()+rand.Text(), oauth2.GenerateVerifier()
	f := flow{Provider: p.Name, Verifier: verifier, Browser: digest(browser), Until: time.Now().Add(flowTime), Scopes: scopes,
		Thread: v.Thread, Interrupt: v.Interrupt, Tenant: v.Tenant, User: v.User, From: v.From, Credential: v.Credential}
	text, err := json.Marshal(f)
	if err != nil {
		return Begun{}, err
	}
	id := digest(state)
	if err := d.store.PutFlow(ctx, id, d.opts.Sealer.Seal(text, sealedFlow+id), flowKept); err != nil {
		return Begun{}, err
	}
	d.note(ctx, &f, nil)
	d.opts.Observe(p.Name, EventBegun)
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier)}
	for name, value := range p.Params {
		options = append(options, oauth2.SetAuthURLParam(name, value))
	}
	return Begun{URL: p.config(at, d.RedirectURI(p.Name), scopes).AuthCodeURL(state, options...), Cookie: d.cookie(id, browser)}, nil
}

// cookie binds a flow to the browser in which its user has begun it.
func (d *Desk) cookie(id, value string) *http.Cookie {
	c := &http.Cookie{Name: d.cookieName(id), Value: value, Path: d.base + CallbackPath, MaxAge: int(flowKept.Seconds()), HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if d.https() { // browsers take the name with nothing else
		c.Path, c.Secure = "/", true
	}
	return c
}

// Return takes back a browser that a provider has sent to its redirect URI, and answers the interrupt. The
// user is whom the request itself is known to be from, as an input's; "": it does not say. The
// title is the provider's, where it is known; recheck is asked of who came with a
// credential. An error that the person has to be told is a *Problem. The browser keeps its
// cookie, so that who loads the page again is told why it does not go on.
func (d *Desk) Return(ctx context.Context, provider, user string, recheck Recheck, r *http.Request) (title string, err error) {
	said := r.URL.Query()
	state := said.Get("state")
	if state == "" || len(state) > 256 || !said.Has("code") && !said.Has("error") || len(said["code"]) > 1 || len(said["state"]) > 1 {
		return "", problemInvalid
	}
	id := digest(state)
	sealed, err := d.store.Flow(ctx, id)
	if err != nil {
		return "", err
	}
	if sealed == nil {
		return "", problemUnknown
	}
	var f flow
	text, _, err := d.opts.Sealer.Open(sealed, sealedFlow+id)
	if err != nil || json.Unmarshal(text, &f) != nil {
		return "", problemUnknown
	}
	title = d.Title(f.Provider)
	// Another browser learns nothing and uses nothing up: what it was sent here by is not
	// what its reader has begun.
	kept, err := r.Cookie(d.cookieName(id))
	if err != nil || subtle.ConstantTimeCompare([]byte(digest(kept.Value)), []byte(f.Browser)) != 1 || user != "" && user != f.User {
		return title, problemOtherBrowser
	}
	defer func() { d.returned(f.Provider, err) }()
	if f.Provider != provider {
		d.opts.Logger.Warn("an answer comes to the address of another provider than was asked", "provider", f.Provider)
		d.note(ctx, &f, problemIssuer)
		return title, problemIssuer
	}
	if f.Credential != "" {
		if err := recheck(ctx, f.visitor()); err != nil {
			if errors.Is(err, ErrCredential) {
				d.note(ctx, &f, problemCredential)
			}
			return title, err
		}
	}
	// From here on it goes on though the browser leaves: a flow that is used up and answers
	// nothing would have the agent wait.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
	defer cancel()
	if err := d.finish(ctx, id, &f, said); err != nil {
		var p *Problem
		if errors.As(err, &p) && p != problemReplayed && p != problemDenied {
			d.note(ctx, &f, p)
		}
		return title, err
	}
	return title, nil
}

// finish takes a flow of the browser that has begun it to its end.
func (d *Desk) finish(ctx context.Context, id string, f *flow, said url.Values) error {
	by := rand.Text()
	taken, err := patiently(ctx, func() (store.FlowTaken, error) { return d.store.TakeFlow(ctx, id, by) })
	switch {
	case err != nil:
		return err
	case taken.Data == nil:
		return problemReplayed
	case time.Now().After(f.Until):
		return problemExpired
	}
	p, err := d.provider(f.Provider)
	if err != nil {
		return problemNoProvider
	}
	o, err := d.open(ctx, f.Thread, f.Interrupt)
	if err != nil {
		return err
	}
	if o.Stale {
		return problemStale
	}
	at, err := p.endpoint(ctx)
	if err != nil {
		d.opts.Logger.Warn("a provider cannot be reached", "provider", p.Name, "error", err)
		return problemDown
	}
	if !p.checkIss(at, said) {
		d.opts.Logger.Warn("an answer is not from the provider that was asked: its iss is another than the configured issuer, or is missing", "provider", p.Name)
		return problemIssuer
	}
	visitor := f.visitor()
	if said.Has("error") {
		if said.Get("error") == "access_denied" {
			d.forgetUnderWay(ctx, p, f.User)
			if err := d.answer(ctx, visitor, true); err != nil {
				return err
			}
			return problemDenied
		}
		d.opts.Logger.Warn("a provider refuses to log a user in", "provider", p.Name, "code", ErrorCode(said.Get("error")))
		switch said.Get("error") {
		case "temporarily_unavailable", "server_error":
			return problemDown
		}
		return problemFailed
	}
	if err := d.exchange(ctx, p, at, f, said.Get("code")); err != nil {
		return err
	}
	err = d.answer(ctx, visitor, false)
	if errors.Is(err, problemClosed) || errors.Is(err, problemStale) {
		return problemLate // the token is stored, and its user has to know
	}
	return err
}

// exchange makes a token of a code, and stores it.
func (d *Desk) exchange(ctx context.Context, p *client, at Endpoints, f *flow, code string) error {
	got, err := p.config(at, d.RedirectURI(p.Name), f.Scopes).Exchange(using(ctx, p), code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		d.opts.Logger.Warn("a code could not be exchanged for a token", "provider", p.Name, "error", d.saidOf(p, err))
		if _, said := refused(err); said {
			return problemFailed
		}
		return problemDown
	}
	d.reached("login_exchanged")
	if err := d.grant(ctx, p, f, ofOauth(got, f.Scopes, time.Now())); err != nil {
		return err
	}
	d.reached("login_stored")
	return nil
}

// answer ends the interrupt as its user has decided.
func (d *Desk) answer(ctx context.Context, v Visitor, declined bool) error {
	v.From.Through = store.ThroughLogin
	admitted, err := patiently(ctx, func() (admission.Admitted, error) {
		return d.runner.AnswerLogin(ctx, operate.LoginAnswer{Thread: v.Thread, Interrupt: v.Interrupt, Tenant: v.Tenant, User: v.User, From: v.From, Declined: declined, Headers: v.Headers})
	})
	switch {
	case err != nil:
		return err
	case admitted.Disposition != admission.Refused:
		return nil
	}
	switch admitted.Refusal.Code {
	case adapter.CodeUnknownInterrupt, adapter.CodeConflict:
		return problemClosed
	case adapter.CodeExpired:
		return problemStale
	}
	d.opts.Logger.Warn("a login is not taken for an answer", "code", admitted.Refusal.Code)
	return problemBusy
}

// outcomeID is under what it is kept why the latest flow for an interrupt failed.
func outcomeID(key store.ThreadKey, interrupt string) string {
	return digest("outcome\x00" + key.Namespace + "\x00" + key.Thread + "\x00" + interrupt)
}

// note keeps what became of a flow, for the page where its user goes on.
func (d *Desk) note(ctx context.Context, f *flow, p *Problem) {
	code := " "
	if p != nil {
		code = p.Code
	}
	if err := d.store.PutFlow(ctx, outcomeID(f.Thread, f.Interrupt), []byte(code), noteKept); err != nil {
		d.opts.Logger.Debug("the outcome of a login could not be stored", "error", err)
	}
}

// Asked is a login that an open interrupt asks for.
type Asked struct {
	Provider, Title string
	Yours           bool     // whether it is the visitor who can log in
	Problem         *Problem // why the latest try failed; nil: none has
}

// Asked tells of what an interrupt asks for, and how the latest try went.
func (d *Desk) Asked(ctx context.Context, v Visitor) (Asked, error) {
	o, err := d.open(ctx, v.Thread, v.Interrupt)
	if err != nil {
		return Asked{}, err
	}
	code, err := d.store.Flow(ctx, outcomeID(v.Thread, v.Interrupt))
	return Asked{Provider: o.Login.Provider, Title: d.Title(o.Login.Provider), Yours: o.Login.User == v.User, Problem: problemOf(string(code))}, err
}

// saidOf is an error of a provider without what it repeats of a request.
func (s *Service) saidOf(p *client, err error) error {
	var said *oauth2.RetrieveError
	if errors.As(err, &said) && said.Response != nil {
		return fmt.Errorf("provider %s answers %d %s", p.Name, said.Response.StatusCode, ErrorCode(said.ErrorCode))
	}
	var failed *url.Error
	if errors.As(err, &failed) {
		return fmt.Errorf("provider %s: %w", p.Name, failed.Err)
	}
	return fmt.Errorf("provider %s answers what is no token", p.Name)
}

// ErrorCode is a code of OAuth as it may be logged.
func ErrorCode(code string) string {
	if len(code) > 64 || strings.ContainsFunc(code, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
		return "(unreadable)"
	}
	return code
}
