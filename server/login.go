package server

import (
	"bytes"
	"context"
	"errors"
	"html/template"
	"net/http"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/strictjson"
	"github.com/aguiws/aguiws/server/login"
)

// loginRoutes are for browsers, which send no credential along: the one to which a provider
// sends them back knows them by a cookie of the flow.
func (s *Server) loginRoutes() []route {
	if s.logins == nil {
		return nil
	}
	routes := []route{{"GET /login/{thread}/{interrupt}", notByHead(s.serveLoginBegin)}}
	for _, name := range s.logins.Providers() { // by name: a thread may be called callback
		routes = append(routes, route{"GET " + login.CallbackPath + "/" + name, notByHead(func(w http.ResponseWriter, r *http.Request) { s.serveLoginReturn(w, r, name) })})
	}
	return routes
}

// notByHead refuses who looks at an address before opening it, as mail and chat programs
// do: what these do is done once.
func notByHead(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.Header().Set("Allow", http.MethodGet)
			refuseMethod.Write(w)
			return
		}
		serve(w, r)
	}
}

// serveLoginBegin is what an interrupt calls authorizeUrl. A visitor who is recognised goes
// on to the provider; if browsers send no credential, the page's button has to begin.
func (s *Server) serveLoginBegin(w http.ResponseWriter, r *http.Request) {
	elsewhere := false
	if strings.EqualFold(r.Header.Get("Sec-Fetch-Mode"), "navigate") && strings.EqualFold(r.Header.Get("Sec-Fetch-Dest"), "document") {
		// A link was followed. If the link is another site's, its reader has to say that
		// they mean it: at a provider to which they have agreed before nobody asks them
		// again.
		site := r.Header.Get("Sec-Fetch-Site")
		elsewhere = strings.EqualFold(site, "cross-site") || strings.EqualFold(site, "same-site")
		r = r.Clone(r.Context())
		r.Header.Del("Sec-Fetch-Site")
	}
	c, refused := s.gate.Enter(r)
	thread := r.PathValue("thread")
	switch {
	case refused != nil:
	case !c.Identity.May(identity.ScopeRun):
		refused = refuseLogin
	case !strictjson.IsName(thread):
		refused = peer.RefuseThreadID
	default:
		if over := s.gate.MayInput(c); over != nil {
			refused = peer.RefuseRate
		}
	}
	if refused != nil {
		advice := "Open the chat and sign in from there: a link alone does not say who you are."
		if refused.Status != http.StatusUnauthorized {
			advice = "Go back to the chat."
		}
		loginPage(w, refused.Status, "Not signed in", refused.Message, advice)
		return
	}
	if elsewhere {
		showLogin(w, http.StatusOK, loginText{Title: "Sign in", What: "A page of another site has sent you here to connect an account of yours to the chat.", Advice: "If you did not ask for that, close this page.", Button: "Sign in"})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.opts.CallTimeout)
	defer cancel()
	begun, err := s.logins.Begin(ctx, login.Visitor{
		Thread: store.ThreadKey{Namespace: c.Identity.Namespace, Thread: thread}, Interrupt: r.PathValue("interrupt"),
		Tenant: c.Identity.Tenant, User: c.Name(), From: c.Origin(store.ThroughLogin), Headers: c.Headers, Credential: c.Bearer,
	})
	switch {
	case err != nil:
		s.loginFailed(w, r, "", err)
	case begun.SignedIn:
		loginPage(w, http.StatusOK, "Signed in", "Your account is connected, and the agent goes on.", "You can close this page.")
	default:
		http.SetCookie(w, begun.Cookie)
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Location", begun.URL)
		w.WriteHeader(http.StatusSeeOther)
	}
}

var refuseLogin = refusal.New(http.StatusForbidden, refusal.CodeForbidden, "this identity may not answer")

// serveLoginReturn is where providers send browsers back to.
func (s *Server) serveLoginReturn(w http.ResponseWriter, r *http.Request, provider string) {
	title, err := s.logins.Return(r.Context(), provider, s.knownTo(r), s.recheck(r), r)
	if err != nil {
		s.loginFailed(w, r, title, err)
		return
	}
	loginPage(w, http.StatusOK, "Signed in", "Your account at "+title+" is connected, and the agent goes on.", "You can close this page.")
}

// knownTo is whom a request is from that says so by itself, as an input's user; "": it does
// not need to.
func (s *Server) knownTo(r *http.Request) string {
	bearer, present, refused := peer.BearerOf(r, nil)
	if refused != nil {
		return ""
	}
	if c, refused := s.gate.Authenticate(r, bearer, present, true); refused == nil {
		return c.Name()
	}
	return ""
}

// recheck asks the authenticator for what it says now of a credential that a login was
// begun with.
func (s *Server) recheck(r *http.Request) login.Recheck {
	return func(ctx context.Context, v login.Visitor) error {
		ctx, cancel := context.WithTimeout(ctx, s.opts.CallTimeout)
		defer cancel()
		id, err := s.opts.Auth.Authenticate(ctx, identity.Credential{Bearer: v.Credential, Request: r})
		if err != nil && peer.RefusalOf(err) == peer.RefuseAuthDown {
			return err
		}
		now := peer.Caller{Identity: id, User: v.User}
		if err != nil || !id.May(identity.ScopeRun) || id.Namespace != v.Thread.Namespace || now.Name() != v.User {
			return login.ErrCredential
		}
		return nil
	}
}

func (s *Server) loginFailed(w http.ResponseWriter, r *http.Request, title string, err error) {
	var p *login.Problem
	switch {
	case errors.As(err, &p):
		heading := "Not signed in"
		if p.Stored {
			heading = "Signed in"
		}
		s.opts.Logger.Info("a login came to nothing", "code", p.Code, "provider", title)
		loginPage(w, p.Status, heading, p.What, p.Advice)
	default:
		peer.LogFailureFor(r.Context(), s.opts.Logger, "a login", err)
		loginPage(w, http.StatusServiceUnavailable, "Not signed in", "The server cannot tell what became of it now.",
			"Wait a moment, go back to the chat, and press the button again if it still asks.")
	}
}

// loginPageText has no script, no style and no link: what opens it can do nothing. Its form
// opens the same address, or Action with the place to come back to.
var loginPageText = template.Must(template.New("login").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>{{.Title}}</title></head><body><main><h1>{{.Title}}</h1><p>{{.What}}</p><p>{{.Advice}}</p>{{if .Button}}<form{{with .Action}} action="{{.}}"{{end}}>{{with .Back}}<input type="hidden" name="return" value="{{.}}">{{end}}<button>{{.Button}}</button></form>{{end}}</main></body></html>
`))

type loginText struct{ Title, What, Advice, Button, Action, Back string }

func loginPage(w http.ResponseWriter, status int, title, what, advice string) {
	showLogin(w, status, loginText{Title: title, What: what, Advice: advice})
}

func showLogin(w http.ResponseWriter, status int, text loginText) {
	var page bytes.Buffer
	if err := loginPageText.Execute(&page, text); err != nil {
		status = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(page.Bytes())
}
