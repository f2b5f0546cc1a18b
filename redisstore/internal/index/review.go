package index

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// Review implements store.Inbox. Nothing is kept of it beyond its length, which Redis
// sees to: the key expires.
func (s *Lists) Review(ctx context.Context, key store.ThreadKey, by string, length time.Duration) ([]string, bool, error) {
	users, _, open, err := s.note(ctx, key, by, length, false)
	return users, open, err
}

// Assign implements store.Inbox, as Review does.
func (s *Lists) Assign(ctx context.Context, key store.ThreadKey, to string, length time.Duration) (bool, error) {
	_, _, open, err := s.note(ctx, key, to, length, true)
	return open, err
}

func (s *Lists) note(ctx context.Context, key store.ThreadKey, user string, length time.Duration, assigns bool) (users []string, assignee string, open bool, err error) {
	t := s.conn.Keys.Thread(key)
	r, err := s.conn.Run(ctx, link.Call{Script: lua.Review, Keys: []string{t.Rec(), t.Runs(), t.Reviewers()},
		Args: lua.Args{{"by", user}, {"lasts", length.Milliseconds()}, {"most", store.MostReviewers}, {"assigns", assigns}}})
	if err != nil {
		return nil, "", false, fmt.Errorf("redisstore: review: %w", err)
	}
	if open = r.Bool(); open {
		users, assignee = reviewers(r)
	}
	return users, assignee, open, r.Err
}

// reviewers reads users who look, in the order of their names, and the one to whom it is
// assigned. Each stands behind a time, which says in the end which it is.
func reviewers(r *link.Reply) (users []string, assignee string) {
	l := r.List()
	for l.More() {
		till, user := l.Text(), l.Text()
		if strings.HasSuffix(till, " a") {
			assignee = user
		} else {
			users = append(users, user)
		}
	}
	r.Join(l)
	slices.Sort(users)
	return users, assignee
}
