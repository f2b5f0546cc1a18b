package main

import (
	"crypto/rand"
	"net/http"
	"sync"
	"time"
)

const lifetime = 8 * time.Hour

type session struct {
	user string
	ends time.Time
	left chan struct{} // closed at logout
}

// sessions are who has logged in. A site has this already.
type sessions struct {
	mu   sync.Mutex
	list map[string]session // by cookie
}

func newSessions() *sessions { return &sessions{list: map[string]session{}} }

// of is what a request's cookie stands for.
func (s *sessions) of(r *http.Request) (of session, known bool) {
	cookie, err := r.Cookie("session")
	if err != nil {
		return session{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	of, known = s.list[cookie.Value]
	return of, known && time.Now().Before(of.ends)
}

// logIn believes whatever name it is told; a site would ask for more.
func (s *sessions) logIn(w http.ResponseWriter, r *http.Request) {
	id, user := rand.Text(), r.FormValue("user")
	if user == "" {
		http.Error(w, "who are you?", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.list[id] = session{user, time.Now().Add(lifetime), make(chan struct{})}
	s.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: "session", Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// logOut ends a session, and with it the sockets that it has opened.
func (s *sessions) logOut(w http.ResponseWriter, r *http.Request) {
	if cookie, err := r.Cookie("session"); err == nil {
		s.mu.Lock()
		if of, known := s.list[cookie.Value]; known {
			close(of.left)
			delete(s.list, cookie.Value)
		}
		s.mu.Unlock()
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// home is a page of the site.
func (s *sessions) home(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if _, known := s.of(r); !known {
		_, _ = w.Write([]byte(`<!doctype html><title>Log in</title><link rel="icon" href="data:,"><form method="post" action="/login"><input name="user" placeholder="your name" autofocus><button>Log in</button></form>`))
		return
	}
	_, _ = w.Write(page)
}
