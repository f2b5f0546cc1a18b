package cli

import (
	"errors"
	"fmt"
	"net"
	"slices"
)

// validate judges settings that depend on one another.
func (s *settings) validate() error {
	var wrong []error
	for _, check := range []func() error{s.checkOwners, s.checkNeeds, s.checkAgents, s.checkAddresses, s.validateLogins, s.validateSignIn, s.validateModel} {
		wrong = append(wrong, check())
	}
	return errors.Join(wrong...)
}

// ofClaims are for people who sign in, too.
var ofClaims = []string{"jwt-user", "jwt-tenant", "jwt-namespace", "jwt-scopes"}

// checkOwners refuses a setting of another way of authentication than the one that is set.
func (s *settings) checkOwners() error {
	var wrong []error
	for _, each := range []struct {
		auth  string
		names []string
	}{
		{"tokens", []string{"tokens", "token-file"}},
		{"jwt", []string{"jwt-keys", "jwt-issuer", "jwt-audience", "jwt-user", "jwt-tenant", "jwt-namespace", "jwt-scopes"}},
	} {
		for _, name := range each.names {
			if s.from[name] != "" && s.auth != each.auth && !(s.hasSignIn() && slices.Contains(ofClaims, name)) {
				wrong = append(wrong, fmt.Errorf("%s: needs auth to be %s, which is %s", s.named(name), each.auth, s.auth))
			}
		}
	}
	return errors.Join(wrong...)
}

// checkNeeds refuses a setting without another that it needs, or beside one that it
// excludes.
func (s *settings) checkNeeds() error {
	var wrong []error
	if s.runTimeout >= s.keepRuns {
		wrong = append(wrong, fmt.Errorf("%s: %s: must be longer than run-timeout, which is %s: an input that is sent again while its run goes on is known by it", s.named("keep-runs"), s.keepRuns, s.runTimeout))
	}
	if (s.tlsCert == "") != (s.tlsKey == "") {
		wrong = append(wrong, errors.New("--tls-cert and --tls-key: one needs the other"))
	}
	jwt := s.auth == "jwt"
	for _, c := range []struct {
		wrong         bool
		name, problem string
	}{
		{s.auth == "tokens" && (len(s.tokens) == 0) == (s.tokenFile == ""), "auth", " tokens: needs either --tokens or --token-file"},
		{jwt && s.jwt.keySet == "", "auth", " jwt: needs --jwt-keys"},
		{jwt && s.jwt.issuer == "", "auth", " jwt: needs --jwt-issuer"},
		{jwt && s.jwt.audience == "", "auth", " jwt: needs --jwt-audience"},
		{s.separateDuties && s.auth == "none", "separate-duties", ": without authentication all users are one, and none could approve: use --auth tokens or jwt"},
		{s.mode == "durable" && s.redis == "", "mode", " durable: the embedded store dies with the process: use --redis"},
		{s.waitReplicas > 0 && s.redis == "", "wait-replicas", ": the embedded store has no replicas: use --redis"},
		{s.held < 32*s.maxFrame, "max-held", ": must be 32 times max-frame at least"},
		{len(s.webhookPrivate) > 0 && len(s.webhooks) == 0, "webhook-private", ": needs --webhooks"},
		{s.prefix == "", "redis-prefix", ": a name is needed"},
	} {
		if c.wrong {
			wrong = append(wrong, errors.New(s.named(c.name)+c.problem))
		}
	}
	return errors.Join(wrong...)
}

// checkAgents judges what is said of agents by their names.
func (s *settings) checkAgents() error {
	list, err := s.upstreamList()
	if err != nil {
		return err
	}
	names, _ := s.agentNames(list)
	return s.checkDisconnect(names)
}

func (s *settings) checkAddresses() error {
	var wrong []error
	for _, a := range []struct {
		name, addr string
		loopback   bool
	}{{"addr", s.addr, s.auth == "none"}, {"metrics-addr", s.metricsAddr, false}, {"pprof-addr", s.pprofAddr, true}} {
		if a.addr == "" && a.name != "addr" {
			continue
		}
		host, _, err := net.SplitHostPort(a.addr)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s %q: expected host:port", s.named(a.name), a.addr))
			continue
		}
		if ip := net.ParseIP(host); a.loopback && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			why := "what it serves is for this machine alone"
			if a.name == "addr" {
				why = "nobody is authenticated: set --auth"
			}
			wrong = append(wrong, fmt.Errorf("%s %q: must be a loopback address such as 127.0.0.1, because %s", s.named(a.name), a.addr, why))
		}
	}
	return errors.Join(wrong...)
}
