package controlapi

import (
	"errors"
	"net/http"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/login"
)

type begunJSON struct {
	URL      string `json:"url,omitempty" jsonschema:"The URL to which the browser goes next. It must be the browser that sent the request, with the cookie of the answer. The URL works once, within ten minutes."`
	SignedIn bool   `json:"signedIn" jsonschema:"The user had a token already, and the interrupt is resolved."`
}

type askedJSON struct {
	Provider string            `json:"provider"`
	Title    string            `json:"title"`
	Yours    bool              `json:"yours" jsonschema:"The caller is the user who can log in."`
	Problem  *loginProblemJSON `json:"problem,omitempty" jsonschema:"The reason for which the latest try failed."`
}

type loginProblemJSON struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Advice string `json:"advice"`
}

type accountJSON struct {
	Provider   string    `json:"provider"`
	Title      string    `json:"title"`
	Scopes     []string  `json:"scopes" jsonschema:"The scopes that the server asked the provider for."`
	Since      time.Time `json:"since,omitzero"`
	Expires    time.Time `json:"expires,omitzero" jsonschema:"The time at which the token expires. It is left out if the token does not expire or is renewed."`
	Unreadable bool      `json:"unreadable,omitempty" jsonschema:"The server cannot decrypt the token, because it has other keys or another client at the provider. The token counts as none."`
}

type accountsJSON struct {
	Items []accountJSON `json:"items"`
}

func loginOperations() []operation {
	return []operation{
		{method: "POST", path: "/threads/{thread}/interrupts/{interrupt}/login", id: "beginLogin", summary: "Begin the login that an interrupt asks for, in the browser that sends the request",
			scope: identity.ScopeRun, admits: true, status: 200, answer: begunJSON{}, serve: (*call).beginLogin},
		{method: "GET", path: "/threads/{thread}/interrupts/{interrupt}/login", id: "getLogin", summary: "Read the login that an interrupt asks for, and why the latest try failed",
			scope: identity.ScopeRead, status: 200, answer: askedJSON{}, serve: (*call).getLogin},
		{method: "GET", path: "/logins", id: "listLogins", summary: "List the caller's accounts at other services, without their tokens",
			scope: identity.ScopeRead, status: 200, answer: accountsJSON{}, serve: (*call).listLogins},
		{method: "DELETE", path: "/logins/{provider}", id: "deleteLogin", summary: "Delete the caller's token of a provider",
			notes: "The server asks the provider to revoke the token, if the provider has an endpoint for that.",
			scope: identity.ScopeRun, status: 204, serve: (*call).deleteLogin},
	}
}

func (c *call) visitor() login.Visitor {
	return login.Visitor{Thread: c.key, Interrupt: c.r.PathValue("interrupt"), Tenant: c.caller.Identity.Tenant, User: c.caller.Name(),
		From: c.caller.Origin(store.ThroughLogin), Headers: c.caller.Headers, Credential: c.caller.Bearer}
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
	list, err := c.Logins.Accounts(c.r.Context(), c.caller.Name())
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
	there, err := c.Logins.Forget(c.r.Context(), c.caller.Name(), c.r.PathValue("provider"))
	if err == nil && !there {
		err = newProblem(http.StatusNotFound, "login_not_found", "the caller has no login at that provider")
	}
	return nil, problemOfLogin(err)
}
