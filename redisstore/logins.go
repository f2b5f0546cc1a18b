package redisstore

import (
	"context"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// logins is what is kept of users' logins at other services.
type logins struct{ conn *link.Connection }

// PutFlow implements store.Logins.
func (s *logins) PutFlow(ctx context.Context, id string, data []byte, keep time.Duration) error {
	_, err := s.conn.Run(ctx, link.Call{Script: lua.FlowPut, Keys: []string{s.conn.Keys.Flow(id)}, Args: lua.Args{{"data", data}, {"keep", keep.Milliseconds()}}})
	return err
}

// Flow implements store.Logins.
func (s *logins) Flow(ctx context.Context, id string) ([]byte, error) {
	r, err := s.conn.Run(ctx, link.Call{Script: lua.FlowRead, Keys: []string{s.conn.Keys.Flow(id)}})
	if err != nil {
		return nil, err
	}
	return bytesOf(r.Text()), r.Err
}

// TakeFlow implements store.Logins.
func (s *logins) TakeFlow(ctx context.Context, id, by string) (store.FlowTaken, error) {
	r, err := s.conn.Run(ctx, link.Call{Script: lua.FlowTake, Keys: []string{s.conn.Keys.Flow(id)}, Args: lua.Args{{"by", by}}})
	if err != nil {
		return store.FlowTaken{}, err
	}
	taken := store.FlowTaken{Data: bytesOf(r.Text()), Used: r.Bool()}
	return taken, r.Err
}

func bytesOf(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}

// Tokens implements store.Logins.
func (s *logins) Tokens(ctx context.Context, user string) ([]store.StoredToken, error) {
	r, err := s.conn.Run(ctx, link.Call{Script: lua.Tokens, Keys: []string{s.conn.Keys.Tokens(user)}})
	if err != nil {
		return nil, err
	}
	of := map[string]*store.StoredToken{}
	for r.More() {
		kind, provider, _ := strings.Cut(r.Text(), ":")
		value := r.Text()
		if of[provider] == nil {
			of[provider] = &store.StoredToken{Provider: provider}
		}
		switch kind {
		case "v":
			of[provider].Version = value
		case "d":
			of[provider].Sealed = []byte(value)
		}
	}
	var list []store.StoredToken
	for _, t := range of {
		if t.Version != "" && t.Sealed != nil {
			list = append(list, *t)
		}
	}
	return list, r.Err
}

// PutToken implements store.Logins.
func (s *logins) PutToken(ctx context.Context, user string, t store.StoredToken, was string, keep time.Duration) (bool, error) {
	r, err := s.conn.Run(ctx, link.Call{Script: lua.TokenPut, Keys: []string{s.conn.Keys.Tokens(user)}, Args: lua.Args{
		{"provider", t.Provider}, {"was", was}, {"version", t.Version}, {"data", t.Sealed}, {"keep", keep.Milliseconds()}}})
	return did(r, err)
}

// DropToken implements store.Logins.
func (s *logins) DropToken(ctx context.Context, user, provider, version string) (bool, error) {
	r, err := s.conn.Run(ctx, link.Call{Script: lua.TokenDrop, Keys: []string{s.conn.Keys.Tokens(user)}, Args: lua.Args{{"provider", provider}, {"version", version}}})
	return did(r, err)
}

// HoldToken implements store.Logins.
func (s *logins) HoldToken(ctx context.Context, user, provider, version, by string, hold time.Duration) (bool, error) {
	r, err := s.conn.Run(ctx, link.Call{Script: lua.TokenHold, Keys: []string{s.conn.Keys.Tokens(user)}, Args: lua.Args{
		{"provider", provider}, {"version", version}, {"by", by}, {"hold", hold.Milliseconds()}}})
	return did(r, err)
}

// did reads an answer that is a yes or a no.
func did(r *link.Reply, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	yes := r.Bool()
	return yes, r.Err
}
