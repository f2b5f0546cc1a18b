package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/internal/origin"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/metrics"
)

// check tests the settings, which have been read, and what they name. It writes
// a line a finding, and returns an error if serving would fail.
func check(ctx context.Context, s *settings, w io.Writer) error {
	whole := ctx
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	redis.SetLogger(redisLog{slog.New(slog.DiscardHandler)}) // findings say it
	r := &report{w: w}
	r.say("ok", "settings", "%d set, the others have their defaults", len(s.from))
	for _, each := range s.strays {
		r.say("warn", "environment", "%s", each)
	}
	agents, err := newAgents(s, metrics.New(), slog.New(slog.DiscardHandler))
	if err != nil {
		r.fail("agent", err)
	}
	if agents != nil {
		r.demo(s, agents)
	}
	r.address(s)
	r.origins(s)
	r.identity(ctx, s)
	r.effects(s)
	r.model(ctx, s)
	r.webhooks(ctx, s)
	r.logins(ctx, s)
	r.signIn(ctx, s)
	r.store(ctx, s)
	r.traces(ctx, s.traces)
	if agents != nil {
		r.upstreams(whole, s, agents.upstreams)
	}
	if r.failures > 0 {
		return fmt.Errorf("check: %d of %d findings would keep it from working", r.failures, r.findings)
	}
	return nil
}

func (r *report) address(s *settings) {
	for _, each := range []struct{ name, addr string }{{"addr", s.addr}, {"metrics-addr", s.metricsAddr}, {"pprof-addr", s.pprofAddr}} {
		if each.addr == "" {
			continue
		}
		l, err := net.Listen("tcp", each.addr)
		if err != nil {
			// A server that runs already holds it: that is no fault of the settings.
			r.say("warn", each.name, "%v", err)
			continue
		}
		l.Close()
		r.say("ok", each.name, "%s can be listened on", each.addr)
	}
	if s.tlsCert == "" && len(s.proxies) == 0 && !s.onLoopback() {
		r.say("warn", "addr", "credentials come to %s in clear: set tls-cert, or a proxy that ends TLS, and that in trusted-proxies", s.addr)
	}
	if s.proxyUnlisted() {
		r.say("warn", "trusted-proxies", "hosts are served on a loopback address, so a proxy is in front of it: add 127.0.0.1, or its clients have no limits by address")
	}
}

// demo says when people get the demo agent, because no other one is named.
func (r *report) demo(s *settings, agents *agentSet) {
	if s.auth != "none" && len(agents.upstreams) == 0 && s.from["agent"] == "" && !s.hasAssistant() {
		r.say("warn", "agent", "no agent is named, so the demo agent answers: set upstream")
	}
}

// origins says of which pages the server would be used, and which of them a browser
// would not let, or should not be let.
func (r *report) origins(s *settings) {
	set, err := origin.ParseSet(s.origins)
	refused := s.refusedPage(set)
	switch {
	case err != nil:
		r.fail("origins", err)
	case refused != "":
		r.say("warn", "origins", "%s is refused, because the server behind a proxy sees http: add it to origins", refused)
	case len(set) == 0 && s.auth == "none":
		r.say("ok", "origins", "its own pages, and any that this machine serves on a loopback address")
	case len(set) == 0:
		r.say("ok", "origins", "its own pages alone")
	}
	// If a proxy is in front, pages see what it serves.
	proxied := len(s.hosts) > 0 && s.tlsCert == ""
	for _, each := range set {
		switch {
		case each.Scheme() == "https" && !each.Local() && s.tlsCert == "" && !proxied:
			r.say("warn", "origins", "%s: a page over https may not use http and ws, except of its own machine and not in each browser: use tls-cert, or a proxy that ends TLS, and that in hosts", each)
		case !each.Secure():
			r.say("warn", "origins", "%s: whoever is between this page and its reader can change it, and use the server as the reader", each)
		case each.AnyPort && !each.Local():
			r.say("warn", "origins", "%s: whoever can serve a page on some port of that host may use the server as its reader", each)
		default:
			r.say("ok", "origins", "%s", each)
		}
	}
}

// refusedPage is the server's own page as a proxy in front serves it, if no origin names
// one of the server's names; "": none is refused, or no proxy ends TLS.
func (s *settings) refusedPage(set origin.Set) (first string) {
	if s.tlsCert != "" || len(s.proxies) == 0 && !s.onLoopback() {
		return ""
	}
	_, own := s.ownAddress()
	for _, host := range s.hosts {
		page, ok := origin.Of("https", host)
		if !ok || page.Local() {
			continue
		}
		// A Host of the settings has no port, and the proxy may listen on another than 443.
		named := slices.ContainsFunc(set, func(o origin.Allowed) bool { return o.Scheme() == "https" && o.Host() == page.Host() })
		if named || slices.Contains(own, page.String()) {
			return ""
		}
		first = cmp.Or(first, page.String())
	}
	return first
}

func (r *report) identity(ctx context.Context, s *settings) {
	id, err := newAccess(s)
	if err != nil {
		r.fail("identity", err)
		return
	}
	if s.tlsCert != "" {
		r.say("ok", "tls-cert", "the certificate and its key belong together")
	}
	switch auth := id.auth.(type) {
	case *identity.Tokens:
		list, _ := id.listed()
		r.say("ok", "auth", "%d tokens", len(list))
		if of, err := os.Stat(s.tokenFile); err == nil && readableByAll(of) && slices.ContainsFunc(list, func(t identity.Token) bool { return t.Token != "" }) {
			r.say("warn", "token-file", "every user of this machine can read the tokens in %s: take that right away (chmod o-r), or list sha256 in place of token", s.tokenFile)
		}
	case *identity.JWT:
		if err := auth.Check(ctx); err != nil {
			r.fail("jwt-keys", err)
			return
		}
		r.say("ok", "jwt-keys", "%s has keys that sign", s.jwt.keySet)
	default:
		r.say("ok", "auth", "none: whoever reaches the loopback address may do everything")
	}
	r.credential(ctx, s, id.auth)
}

// readableByAll reports whether each user of the machine may read a file. Windows keeps
// that elsewhere.
func readableByAll(file os.FileInfo) bool {
	return runtime.GOOS != "windows" && file.Mode().Perm()&0o004 != 0
}

// allowing are the scopes that allow something by themselves.
var allowing = []string{identity.ScopeRead, identity.ScopeRun, identity.ScopeApprover, identity.ScopeAdmin, identity.ScopeMetrics}

// credential says whom the credential of a file stands for, or why it is refused.
func (r *report) credential(ctx context.Context, s *settings, auth identity.Authenticator) {
	if s.checking.credential == "" {
		return
	}
	text, err := os.ReadFile(s.checking.credential)
	if err != nil {
		r.fail("jwt", err)
		return
	}
	who, err := auth.Authenticate(ctx, identity.Credential{Bearer: strings.TrimSpace(string(text))})
	if err != nil {
		r.fail("jwt", fmt.Errorf("%s: %w", s.checking.credential, err))
		return
	}
	scopes := "read and run, because it names no scopes"
	if who.Scopes != nil {
		scopes = strings.Join(who.Scopes, " ")
	}
	level, then := "ok", ""
	if !slices.ContainsFunc(allowing, who.May) {
		level = "warn"
		then = fmt.Sprintf(". It may do nothing, because %s is none of them: name a claim of your own in jwt-scopes, or have the issuer add %q",
			strings.Join(allowing, ", "), identity.ScopeRead+" "+identity.ScopeRun)
		if s.auth == "tokens" {
			then = ". It may do nothing, because " + strings.Join(allowing, ", ") + " is none of them: correct scopes in its entry, or leave them out"
		}
	}
	r.say(level, "jwt", "%s is the user %q of the tenant %q, with the namespace %q and the scopes: %s%s", s.checking.credential, who.User, who.Tenant, who.Namespace, scopes, then)
}

// effects opens the file as the script agent would.
func (r *report) effects(s *settings) {
	if s.effects == "" {
		return
	}
	_, before := os.Stat(s.effects)
	f, err := os.OpenFile(s.effects, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		r.fail("effects", err)
		return
	}
	f.Close()
	if errors.Is(before, os.ErrNotExist) {
		os.Remove(s.effects)
	}
	r.say("ok", "effects", "%s can be appended to", s.effects)
}

// webhooks says where targets are, and which agents of theirs are not served. A target that
// is not found may be found later.
func (r *report) webhooks(ctx context.Context, s *settings) {
	targets, err := s.targets()
	if err != nil {
		r.fail("webhooks", err)
		return
	}
	list, err := s.upstreamList()
	if err != nil {
		return // agents fail by it
	}
	agents, _ := s.agentNames(list)
	for _, t := range targets {
		for _, agent := range t.Agents {
			if !slices.Contains(agents, agent) {
				r.say("warn", "webhooks", "%s: no agent here is called %s, so nothing is sent of it: there are %s", t.Name, agent, strings.Join(agents, ", "))
			}
		}
		if err := t.CheckHost(ctx, s.privateHosts()); err != nil {
			r.say("warn", "webhooks", "%s: nothing could be sent now: %v", t.Name, err)
			continue
		}
		r.say("ok", "webhooks", "%s may be sent to %s, and nothing was sent", t.Name, t.Host())
	}
}

func (r *report) store(ctx context.Context, s *settings) {
	_, why := s.runMode().Chosen(s.redis != "")
	r.say("ok", "mode", "%s: %s", s.mode, why)
	if s.redis == "" {
		r.say("warn", "redis", "the store is embedded: suspensions will not survive the process")
		return
	}
	for _, f := range redisstore.Diagnose(ctx, s.redis, s.storeOptions(nil)) {
		switch {
		case f.Failed:
			r.fail("redis "+f.Subject, errors.New(f.Detail))
		case f.Warning:
			r.say("warn", "redis "+f.Subject, "%s", f.Detail)
		default:
			r.say("ok", "redis "+f.Subject, "%s", f.Detail)
		}
	}
}
