package threadlog

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
)

// BranchBytes bounds what is kept of one branch: a script copies it.
const BranchBytes = 1 << 20

// branchField is BRANCH in branch.lua.
const branchField = "\xff"

// Branches implements store.Branches.
func (s *Reader) Branches(ctx context.Context, key store.ThreadKey) ([]store.Branch, error) {
	list, err := s.archived(ctx, key, branchField)
	if err != nil || list == nil {
		return nil, err
	}
	items, err := link.Unpack(*list)
	if err != nil || len(items)%2 != 0 {
		return nil, nil // the next rewind begins a list that can be read
	}
	ctx, cancel := context.WithTimeout(ctx, s.conn.Settings.Timeout)
	defer cancel()
	var branches []store.Branch
	var kept []*redis.BoolCmd
	pipe := s.conn.Client.Pipeline()
	for i := 0; i < len(items); i += 2 {
		branches = append(branches, store.Branch{ID: items[i], About: json.RawMessage(items[i+1])})
		kept = append(kept, pipe.HExists(ctx, s.conn.Keys.Thread(key).Archive(), branchField+items[i]))
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, link.Error("read branches", err)
	}
	for i, there := range kept {
		branches[i].Kept = there.Val()
	}
	return branches, nil
}

// BranchMessages implements store.Branches.
func (s *Reader) BranchMessages(ctx context.Context, key store.ThreadKey, id string) (json.RawMessage, error) {
	if id == "" {
		return nil, nil
	}
	text, err := s.archived(ctx, key, branchField+id)
	if err != nil || text == nil {
		return nil, err
	}
	r := link.Reply{Name: "branches", Items: []any{*text}, Room: link.RoomOf(ctx)}
	messages := r.JSON()
	return messages, r.Err
}

func (s *Reader) archived(ctx context.Context, key store.ThreadKey, field string) (*string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.conn.Settings.Timeout)
	defer cancel()
	text, err := s.conn.Client.HGet(ctx, s.conn.Keys.Thread(key).Archive(), field).Result()
	switch {
	case errors.Is(err, redis.Nil):
		return nil, nil
	case err != nil:
		return nil, link.Error("read branches", err)
	}
	return &text, nil
}
