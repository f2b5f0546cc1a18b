package controlapi

import (
	"errors"
	"net/http"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/login"
)

type begunJSON struct {
	URL      string `json:"url,omitempty" jsonschema:"where the browser goes that has sent this, and has kept the cookie; once, within ten minutes"`
	SignedIn bool   `json:"signedIn" jsonschema:"there was a token already: the interrupt is resolved"`
}

type askedJSON struct {
	Provider string            `json:"provider"`
	Title    string            `json:"title"`
	Yours    bool              `json:"yours" jsonschema:"whether it is the caller who can log in"`
	Problem  *loginProblemJSON `json:"problem,omitempty" jsonschema:"why the latest try came to nothing"`
}

type loginProblemJSON struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Advice string `json:"advice"`
}

type accountJSON struct {
	Provider   string    `json:"provider"`
	Title      string    `json:"title"`
	Scopes     []string  `json:"scopes" jsonschema:"that were asked for"`
	Since      time.Time `json:"since,omitzero"`
	Expires    time.Time `json:"expires,omitzero" jsonschema:"left out if it does not, or is renewed"`
	Unreadable bool      `json:"unreadable,omitempty" jsonschema:"the server cannot open it, having other keys or another client at the provider: it counts as none"`
}

type accountsJSON struct {
	Items []accountJSON `json:"items"`
}

func loginOperations() []operation {
	return []operation{
		{method: "POST", path: "/threads/{thread}/interrupts/{interrupt}/login", id: "beginLogin", summary: "Begin the login that an interrupt asks the caller for, in the browser that sends this",
			scope: identity.ScopeRun, admits: true, status: 200, answer: begunJSON{}, serve: (*call).beginLogin},
		{method: "GET", path: "/threads/{thread}/interrupts/{interrupt}/login", id: "getLogin", summary: "The login that an interrupt asks for, and why the latest try came to nothing",
			scope: identity.ScopeRead, status: 200, answer: askedJSON{}, serve: (*call).getLogin},
		{method: "GET", path: "/logins", id: "listLogins", summary: "The caller's accounts at other services, without their tokens",
			scope: identity.ScopeRead, status: 200, answer: accountsJSON{}, serve: (*call).listLogins},
		{method: "DELETE", path: "/logins/{provider}", id: "deleteLogin", summary: "Delete the caller's token of a provider, which is told to revoke it if it has an address for that",
			scope: identity.ScopeRun, status: 204, serve: (*call).deleteLogin},
	}
}

func (c *call) visitor() login.Visitor {
	return login.Visitor{Thread: c.key, Interrupt: c.r.PathValue("interrupt"), Tenant: c.caller.Tenant(), User: c.caller.User(),
		From: c.caller.Origin(adapter.ThroughLogin), Headers: c.caller.Headers(), Credential: c.caller.Credential()}
}

// problemOfLogin says why a login comes to nothing.
func problemOfLogin(err error) error {
	var p *login.Problem
	if !errors.As(err, &p) {
		return err
	}
	told := newProblem(p.Status, p.Code, p.What)
	told.details = map[string]any{"advice": p.Advice}
	return told
}

func (c *call) beginLogin() (any, error) {
	begun, err := c.Logins.Begin(c.r.Context(), c.visitor())
	if err != nil {
		return nil, problemOfLogin(err)
	}
	if begun.Cookie != nil {
		c.header.Add("Set-Cookie", begun.Cookie.String())
	}
	return begunJSON{begun.URL, begun.SignedIn}, nil
}

func (c *call) getLogin() (any, error) {
	asked, err := c.Logins.Asked(c.r.Context(), c.visitor())
	if err != nil {
		return nil, problemOfLogin(err)
	}
	answer := askedJSON{Provider: asked.Provider, Title: asked.Title, Yours: asked.Yours}
	if p := asked.Problem; p != nil {
		answer.Problem = &loginProblemJSON{p.Code, p.What, p.Advice}
	}
	return answer, nil
}

func (c *call) listLogins() (any, error) {
	list, err := c.Logins.Accounts(c.r.Context(), c.caller.User())
	if err != nil {
		return nil, problemOfLogin(err)
	}
	answer := accountsJSON{Items: []accountJSON{}}
	for _, a := range list {
		scopes := a.Scopes
		if scopes == nil {
			scopes = []string{}
		}
		answer.Items = append(answer.Items, accountJSON{a.Provider, a.Title, scopes, a.Since, a.Expires, a.Unreadable})
	}
	return answer, nil
}

func (c *call) deleteLogin() (any, error) {
	there, err := c.Logins.Forget(c.r.Context(), c.caller.User(), c.r.PathValue("provider"))
	if err == nil && !there {
		err = newProblem(http.StatusNotFound, "login_not_found", "the caller has no login at that provider")
	}
	return nil, problemOfLogin(err)
}
