package server

import (
	"context"
	"errors"
)

// byToken authenticates by bearer token or by the cookie "session", both being
// keys of the map.
type byToken map[string]Identity

func (m byToken) Authenticate(_ context.Context, c Credential) (Identity, error) {
	token := c.Bearer
	if token == "" {
		if cookie, err := c.Request.Cookie("session"); err == nil {
			token = cookie.Value
		}
	}
	switch token {
	case "down":
		return Identity{}, errors.New("the directory does not answer")
	case "foreign":
		return Identity{}, ErrForbidden
	}
	if id, ok := m[token]; ok {
		return id, nil
	}
	return Identity{}, ErrUnauthenticated
}
