package main

import (
	"crypto/rand"
	"net/http"
	"sync"
)

// sessions are who has logged in. A site has this already.
type sessions struct {
	mu    sync.Mutex
	users map[string]string // by cookie
}

func newSessions() *sessions { return &sessions{users: map[string]string{}} }

// user is who a request's cookie stands for.
func (s *sessions) user(r *http.Request) (user string, known bool) {
	cookie, err := r.Cookie("session")
	if err != nil {
		return "", false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	user, known = s.users[cookie.Value]
	return user, known
}

// logIn believes whatever name it is told; a site would ask for more.
func (s *sessions) logIn(w http.ResponseWriter, r *http.Request) {
	id, user := rand.Text(), r.FormValue("user")
	if user == "" {
		http.Error(w, "who are you?", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.users[id] = user
	s.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: "session", Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// home is a page of the site.
func (s *sessions) home(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if _, known := s.user(r); !known {
		_, _ = w.Write([]byte(`<!doctype html><title>Log in</title><link rel="icon" href="data:,"><form method="post" action="/login"><input name="user" placeholder="your name" autofocus><button>Log in</button></form>`))
		return
	}
	_, _ = w.Write(page)
}
