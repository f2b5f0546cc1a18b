package index

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// Review implements store.Inbox. Nothing is kept of it beyond its length, which Redis
// sees to: the key expires.
func (s *Lists) Review(ctx context.Context, key store.ThreadKey, by string, length time.Duration) ([]string, bool, error) {
	t := s.conn.Keys.Thread(key)
	r, err := s.conn.Run(ctx, link.Call{Script: lua.Review, Keys: []string{t.Rec(), t.Runs(), t.Reviewers()},
		Args: lua.Args{{"by", by}, {"lasts", length.Milliseconds()}, {"most", store.MostReviewers}}})
	if err != nil {
		return nil, false, fmt.Errorf("redisstore: review: %w", err)
	}
	if !r.Bool() {
		return nil, false, r.Err
	}
	users := reviewers(r)
	return users, true, r.Err
}

// reviewers reads users, each of whom stands behind a time, in the order of their names.
func reviewers(r *link.Reply) []string {
	var users []string
	l := r.List()
	for l.More() {
		_ = l.Text()
		users = append(users, l.Text())
	}
	r.Join(l)
	slices.Sort(users)
	return users
}
