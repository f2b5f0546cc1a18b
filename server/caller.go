package server

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/edge"
	"github.com/aguiws/aguiws/server/internal/notices"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// caller is whom a request is from.
type caller struct {
	identity identity.Identity
	// user and address are whom the request counts for; "" for nobody.
	user    string
	address string
	headers map[string]string // that go along with its inputs
	bearer  string            // by which it is known; "": by something else
}

// name is what the store keeps of whose input it is: no other user has it, of
// whatever tenant. "": users are not told apart.
func (c *caller) name() string {
	return c.nameOf(c.identity.User)
}

// nameOf is the name of a user of the same tenant.
func (c *caller) nameOf(user string) string {
	if c.user == "" || user == "" {
		return ""
	}
	return notices.NameOf(c.identity.Tenant, user)
}

// origin is how what the caller sends has come.
func (c *caller) origin(through store.Through) store.Origin {
	from := store.Origin{Through: through, Credential: c.identity.User}
	if c.user != "" {
		from.Name = c.identity.User
	}
	return from
}

// actor is who acts on a thread.
func (c *caller) actor(through store.Through) admission.Actor {
	return admission.Actor{User: c.name(), From: c.origin(through)}
}

// enter decides whom a request over HTTP is from, in the order of docs/binding/opening.md:
// the Origin, the credential, how much the caller asks for. The Host was checked
// before. Every route but the probes goes through it or through shake.
func (s *core) enter(r *http.Request) (*caller, *refusal.Refusal) {
	origin := r.Header.Get("Origin")
	if origin != "" && !s.pages.allow(r, origin) || origin == "" && foreignPage(r) {
		return nil, s.refusePage(r)
	}
	bearer, present, refused := bearerOf(r, nil)
	if refused != nil {
		return nil, refused
	}
	// A browser sends no Origin with a page's own requests that read.
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	return s.authenticate(r, bearer, present, reads || origin != "")
}

// enterFor is enter for one of several agents, and says which one it is. Which agents there
// are is told only to who is known.
func (s *core) enterFor(r *http.Request) (*caller, string, *refusal.Refusal) {
	c, refused := s.enter(r)
	agent, there := s.agentNamed(r.PathValue("agent"))
	if refused == nil && !there {
		refused = refuseAgent
	}
	return c, agent, refused
}

// agentNamed is what an agent is called, and whether it is served; "" is the default one.
func (s *core) agentNamed(name string) (string, bool) {
	return cmp.Or(name, s.byDefault), name == "" || slices.Contains(s.opts.Agents, name)
}

// authenticate asks the authenticator. fromPage says that the request cannot
// be one that a foreign page made with the cookies of its reader.
func (s *core) authenticate(r *http.Request, bearer string, present, fromPage bool) (*caller, *refusal.Refusal) {
	_, none := s.opts.Auth.(identity.None)
	if !fromPage && !present && !none {
		return nil, refuseNoOrigin
	}
	if present && bearer == "" {
		s.credentialRefused(r.Context(), s.addressOf(r), errUnreadableBearer)
		return nil, refuseCredential
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.opts.CallTimeout)
	defer cancel()
	id, err := s.opts.Auth.Authenticate(ctx, identity.Credential{Bearer: bearer, Request: r})
	if err != nil {
		refused := refusalOf(err)
		switch refused {
		case refuseAuthDown:
			logFailureFor(r.Context(), s.opts.Logger, "authenticating", err)
		case refuseCredential:
			s.credentialRefused(r.Context(), s.addressOf(r), err)
		}
		return nil, refused
	}
	edge.Recognise(r.Context())
	c := &caller{identity: id, address: s.addressOf(r), headers: s.passed(r), bearer: bearer}
	if !none {
		c.user = id.Tenant + "\x00" + id.User
	}
	if wait := s.byUser.take(c.user); wait > 0 {
		return nil, refuseRate.After(wait)
	}
	return c, nil
}

// slowDown refuses a request of an address that sends too many.
func (s *core) slowDown(r *http.Request) *refusal.Refusal {
	return s.slowDownBy(s.byAddress, r)
}

func (s *core) slowDownBy(l *limiters, r *http.Request) *refusal.Refusal {
	if wait := l.take(s.addressOf(r)); wait > 0 {
		return refuseRate.After(wait)
	}
	return nil
}
