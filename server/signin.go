package server

import (
	"context"
	"errors"
	"net/http"

	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/signin"
)

// signInRoutes are for browsers, which sign in with them.
func (s *Server) signInRoutes() []route {
	if s.opts.SignIn == nil {
		return nil
	}
	return []route{
		{"GET " + signin.BeginPath, notByHead(s.signInStep(s.opts.SignIn.Begin))},
		{"GET " + signin.CallbackPath, notByHead(s.signInStep(s.opts.SignIn.Return))},
		{"POST " + signin.EndPath, s.serveSignOut},
	}
}

// signInStep sends a browser on its way. While the provider is asked the request counts as
// one of the connections of its address that stay open: a provider that is slow holds up
// nobody else.
func (s *Server) signInStep(take func(context.Context, *http.Request) (signin.Step, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, release, refused := s.gate.Await(r.Context(), s.gate.Stranger(r))
		if refused != nil {
			s.signInPage(w, refused.Status, s.opts.SignIn.Base()+"/", refused.Message, "Wait a moment, and sign in again.")
			return
		}
		defer release()
		step, err := take(ctx, r)
		for _, c := range step.Cookies {
			http.SetCookie(w, c)
		}
		var p *signin.Problem
		switch {
		case err == nil:
			w.Header().Set("Cache-Control", "no-store")
			w.Header().Set("Location", step.URL)
			w.WriteHeader(http.StatusSeeOther)
		case errors.As(err, &p):
			s.opts.Logger.Info("a sign-in came to nothing", "code", p.Code)
			s.signInPage(w, p.Status, step.Return, p.What, p.Advice)
		default:
			peer.LogFailureFor(r.Context(), s.opts.Logger, "a sign-in", err)
			s.signInPage(w, http.StatusServiceUnavailable, step.Return, "The server cannot sign you in now.", "Wait a moment, and sign in again.")
		}
	}
}

func (s *Server) signInPage(w http.ResponseWriter, status int, back, what, advice string) {
	showLogin(w, status, loginText{Title: "Not signed in", What: what, Advice: advice, Button: "Sign in", Action: s.opts.SignIn.Base() + signin.BeginPath, Back: back})
}

// serveSignOut ends a session in the browser that asks.
func (s *Server) serveSignOut(w http.ResponseWriter, r *http.Request) {
	c := s.opts.SignIn.End(r)
	if c == nil {
		peer.RefuseForeignPage.Write(w)
		return
	}
	http.SetCookie(w, c)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
}

var errSignInOfNobody = errors.New("server: Options.SignIn: there is nobody to tell apart with identity.None")
