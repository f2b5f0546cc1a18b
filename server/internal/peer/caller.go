package peer

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/edge"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// Caller is whom a request is from.
type Caller struct {
	Identity identity.Identity
	// User and address are whom the request counts for; "" for nobody.
	User    string
	Address string
	Headers map[string]string // that go along with its inputs
	Bearer  string            // by which it is known; "": by something else
}

// Name is what the store keeps of whose input it is: no other user has it, of
// whatever tenant. "": users are not told apart.
func (c *Caller) Name() string {
	return c.NameOf(c.Identity.User)
}

// NameOf is the name of a user of the same tenant.
func (c *Caller) NameOf(user string) string {
	if c.User == "" || user == "" {
		return ""
	}
	return identity.NameOf(c.Identity.Tenant, user)
}

// Reads reports whether the caller may follow threads.
func (c *Caller) Reads() bool { return c.Identity.May(identity.ScopeRead) }

// Origin is how what the caller sends has come.
func (c *Caller) Origin(through store.Through) store.Origin {
	from := store.Origin{Through: through, Credential: c.Identity.User}
	if c.User != "" {
		from.Name = c.Identity.User
	}
	return from
}

// Actor is who acts on a thread.
func (c *Caller) Actor(through store.Through) admission.Actor {
	return admission.Actor{User: c.Name(), From: c.Origin(through)}
}

// Enter decides whom a request over HTTP is from, in the order of docs/binding/opening.md:
// the Origin, the credential, how much the caller asks for. The Host was checked
// before. Every route but the probes goes through it or through shake.
func (s *Gate) Enter(r *http.Request) (*Caller, *refusal.Refusal) {
	origin := r.Header.Get("Origin")
	if origin != "" && !s.Pages.Allow(r, origin) || origin == "" && foreignPage(r) {
		return nil, s.RefusePage(r)
	}
	bearer, present, refused := BearerOf(r, nil)
	if refused != nil {
		return nil, refused
	}
	// A browser sends no Origin with a page's own requests that read.
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	return s.Authenticate(r, bearer, present, reads || origin != "")
}

// Stranger is whom a request is from that shows what it may do by what it asks for.
func (s *Gate) Stranger(r *http.Request) *Caller { return &Caller{Address: s.addressOf(r)} }

// EnterFor is enter for one of several agents, and says which one it is. Which agents there
// are is told only to who is known.
func (s *Gate) EnterFor(r *http.Request) (*Caller, string, *refusal.Refusal) {
	c, refused := s.Enter(r)
	agent, there := s.AgentNamed(r.PathValue("agent"))
	if refused == nil && !there {
		refused = RefuseAgent
	}
	return c, agent, refused
}

// AgentNamed is what an agent is called, and whether it is served; "" is the default one.
func (s *Gate) AgentNamed(name string) (string, bool) {
	return cmp.Or(name, s.Options.Default), name == "" || slices.Contains(s.Options.Agents, name)
}

// Authenticate asks the authenticator. fromPage says that the request cannot
// be one that a foreign page made with the cookies of its reader.
func (s *Gate) Authenticate(r *http.Request, bearer string, present, fromPage bool) (*Caller, *refusal.Refusal) {
	_, none := s.Options.Auth.(identity.None)
	if !fromPage && !present && !none {
		return nil, refuseNoOrigin
	}
	if present && bearer == "" {
		s.credentialRefused(r.Context(), s.addressOf(r), errUnreadableBearer)
		return nil, RefuseCredential
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.Options.CallTimeout)
	defer cancel()
	id, err := s.Options.Auth.Authenticate(ctx, identity.Credential{Bearer: bearer, Request: r})
	if err != nil {
		refused := RefusalOf(err)
		switch refused {
		case RefuseAuthDown:
			LogFailureFor(r.Context(), s.Options.Logger, "authenticating", err)
		case RefuseCredential:
			s.credentialRefused(r.Context(), s.addressOf(r), err)
		}
		return nil, refused
	}
	edge.Recognise(r.Context())
	c := &Caller{Identity: id, Address: s.addressOf(r), Headers: s.passed(r), Bearer: bearer}
	if !none {
		c.User = id.Tenant + "\x00" + id.User
	}
	if wait := s.ByUser.Take(c.User); wait > 0 {
		return nil, RefuseRate.After(wait)
	}
	return c, nil
}

// SlowDown refuses a request of an address that sends too many.
func (s *Gate) SlowDown(r *http.Request) *refusal.Refusal {
	return s.SlowDownBy(s.byAddress, r)
}

// SlowDownBy refuses a request of an address that sends more than the limiters allow.
func (s *Gate) SlowDownBy(l *limiters, r *http.Request) *refusal.Refusal {
	if wait := l.Take(s.addressOf(r)); wait > 0 {
		return RefuseRate.After(wait)
	}
	return nil
}
