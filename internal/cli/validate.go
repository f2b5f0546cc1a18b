package cli

import (
	"errors"
	"fmt"
	"net"
)

// validate judges settings that depend on one another.
func (s *settings) validate() error {
	belong := map[string][]string{
		"tokens": {"tokens", "token-file"},
		"jwt": {"jwt-keys", "jwt-issuer", "jwt-audience", "jwt-algorithms", "jwt-leeway", "jwt-user", "jwt-tenant",
			"jwt-namespace", "jwt-scopes", "jwt-scope-prefix"},
	}
	for auth, list := range belong {
		for _, name := range list {
			if s.from[name] != "" && s.auth != auth {
				return fmt.Errorf("%s: it needs auth to be %s, which is %s", s.named(name), auth, s.auth)
			}
		}
	}
	switch {
	case s.auth == "tokens" && (len(s.tokens) == 0) == (s.tokenFile == ""):
		return fmt.Errorf("%s tokens: it needs either --tokens or --token-file", s.named("auth"))
	case s.auth == "jwt" && s.jwt.keySet == "":
		return fmt.Errorf("%s jwt: it needs --jwt-keys", s.named("auth"))
	case s.auth == "jwt" && s.jwt.issuer == "":
		return fmt.Errorf("%s jwt: it needs --jwt-issuer", s.named("auth"))
	case s.auth == "jwt" && s.jwt.audience == "":
		return fmt.Errorf("%s jwt: it needs --jwt-audience", s.named("auth"))
	case s.separateDuties && s.auth == "none":
		return fmt.Errorf("%s: without authentication all users are one, and none could approve: it needs --auth tokens or jwt", s.named("separate-duties"))
	case (s.tlsCert == "") != (s.tlsKey == ""):
		return errors.New("--tls-cert and --tls-key: one needs the other")
	case s.mode == "durable" && s.redis == "":
		return fmt.Errorf("%s durable: the embedded store dies with the process: it needs --redis", s.named("mode"))
	case s.waitReplicas > 0 && s.redis == "":
		return fmt.Errorf("%s: the embedded store has no replicas: it needs --redis", s.named("wait-replicas"))
	case s.held < 32*s.maxFrame:
		return fmt.Errorf("%s: it must be 32 times max-frame at least", s.named("max-held"))
	case len(s.webhooks) > 0 && s.webhookFile != "":
		return fmt.Errorf("%s: the targets are in --webhooks already", s.named("webhook-file"))
	case len(s.upstreams) > 0 && s.upstreamFile != "":
		return fmt.Errorf("%s: the list is in --upstreams already", s.named("upstream-file"))
	case len(s.webhookPrivate) > 0 && len(s.webhooks) == 0 && s.webhookFile == "":
		return fmt.Errorf("%s: it needs --webhooks or --webhook-file", s.named("webhook-private"))
	case s.prefix == "":
		return fmt.Errorf("%s: a name is needed", s.named("redis-prefix"))
	}
	if s.upstreamFile == "" { // which is read when it is needed
		list, err := s.upstreamList()
		if err != nil {
			return err
		}
		names, _ := s.agentNames(list)
		if err := s.checkDisconnect(names); err != nil {
			return err
		}
	}
	for _, a := range []struct {
		name, addr string
		loopback   bool
	}{{"addr", s.addr, s.auth == "none"}, {"metrics-addr", s.metricsAddr, false}, {"pprof-addr", s.pprofAddr, true}} {
		if a.addr == "" && a.name != "addr" {
			continue
		}
		host, _, err := net.SplitHostPort(a.addr)
		if err != nil {
			return fmt.Errorf("%s %q: expected host:port", s.named(a.name), a.addr)
		}
		if ip := net.ParseIP(host); a.loopback && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			why := "what it serves is for this machine alone"
			if a.name == "addr" {
				why = "nobody is authenticated: set --auth"
			}
			return fmt.Errorf("%s %q: it must be a loopback address such as 127.0.0.1, because %s", s.named(a.name), a.addr, why)
		}
	}
	if err := s.validateLogins(); err != nil {
		return err
	}
	return s.validateModel()
}
