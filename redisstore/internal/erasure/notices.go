package erasure

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// signs are the fields of a notice that name a user.
var signs = []string{"by", "owner"}

// names reports whether the words of notices, fields and values in turn, name the person, and
// whether they tell of one of the person's threads.
func (e *erasing) names(words []string) (names, own bool) {
	for i := 0; i+1 < len(words); i += 2 {
		own = own || words[i] == "namespace" && words[i+1] == e.who.Namespace
		names = names || slices.Contains(signs, words[i]) && words[i+1] == e.who.Name
	}
	return names || own, own
}

// notices takes out those that name the person, about threads of others too, and what became true
// with them: what is in a stream cannot be changed.
func (e *erasing) notices(ctx context.Context) error {
	for i := range e.conn.Keys.Parts {
		key := e.conn.Keys.Parts[i].Notices
		for from := "-"; ; {
			cmd := redis.NewSliceCmd(ctx, "xrange", key, from, "+", "count", page)
			if err := errors.Join(link.Ask(ctx, e.conn, []*redis.SliceCmd{cmd})...); err != nil {
				return err
			}
			gone := []any{"xdel", key}
			for _, m := range cmd.Val() {
				id, words := entry(m)
				if names, _ := e.names(words); names {
					gone = append(gone, id)
					e.sum.Notices += noticesIn(words)
				}
				from = "(" + id
			}
			if len(gone) > 2 {
				if err := e.drop(ctx, [][]any{gone}); err != nil {
					return err
				}
			}
			if len(cmd.Val()) < page {
				break
			}
		}
	}
	return nil
}

// entry is one of a stream, in which a field may stand several times.
func entry(m any) (id string, words []string) {
	both, _ := m.([]any)
	if len(both) < 2 {
		return "", nil
	}
	id, _ = both[0].(string)
	list, _ := both[1].([]any)
	for _, word := range list {
		text, _ := word.(string)
		words = append(words, text)
	}
	return id, words
}

// noticesIn is how many there are in an entry, of which each begins with its kind.
func noticesIn(words []string) (n int) {
	for i := 0; i+1 < len(words); i += 2 {
		if words[i] == "kind" {
			n++
		}
	}
	return max(n, 1)
}

// targets takes away the webhooks about the person's threads, and the person's name from
// those about others.
func (e *erasing) targets(ctx context.Context) error {
	known := redis.NewMapStringStringCmd(ctx, "hgetall", e.conn.Keys.Targets())
	if err := errors.Join(link.Ask(ctx, e.conn, []*redis.MapStringStringCmd{known})...); err != nil {
		return err
	}
	targets := map[string]bool{}
	for field := range known.Val() {
		name, _, _ := strings.Cut(field, ":")
		targets[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(targets)) {
		for i := range e.conn.Keys.Parts {
			if err := e.owed(ctx, e.conn.Keys.Parts[i].Target(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// owed goes through what a target is owed of a partition.
func (e *erasing) owed(ctx context.Context, h keyspace.Target) error {
	return e.scan(ctx, h.Items, func(id, item string) error {
		list, err := link.Unpack(item)
		names, own := e.names(list)
		switch {
		case err != nil && strings.Contains(item, e.who.Namespace), own:
			e.sum.Webhooks++
			return e.drop(ctx, [][]any{{"zrem", h.Due, id}, {"zrem", h.Dead, id}, {"hdel", h.Tries, id}, {"hdel", h.Items, id}})
		case err != nil || !names:
			return nil
		}
		var kept []string
		for i := 0; i+1 < len(list); i += 2 {
			if !slices.Contains(signs, list[i]) || list[i+1] != e.who.Name {
				kept = append(kept, list[i], list[i+1])
			}
		}
		e.sum.Webhooks++
		_, err = e.swap(ctx, h.Items, id, 0, item, string(link.Pack(nil, kept...)))
		return err
	})
}

func hscan(ctx context.Context, key string, cursor uint64) *redis.ScanCmd {
	return redis.NewScanCmd(ctx, nil, "hscan", key, cursor, "count", page)
}

// scan goes through the fields of a hash, some at a time.
func (e *erasing) scan(ctx context.Context, key string, one func(field, value string) error) error {
	for cursor := uint64(0); ; {
		cmd := e.begun[key]
		if delete(e.begun, key); cmd == nil {
			cmd = hscan(ctx, key, cursor)
			if err := errors.Join(link.Ask(ctx, e.conn, []*redis.ScanCmd{cmd})...); err != nil {
				return err
			}
		}
		list, next := cmd.Val()
		for i := 0; i+1 < len(list); i += 2 {
			if err := one(list[i], list[i+1]); err != nil {
				return err
			}
		}
		if cursor = next; cursor == 0 {
			return nil
		}
	}
}

// swap puts a value in the place of another. False: something else is there by now.
func (e *erasing) swap(ctx context.Context, key, field string, place int64, was, is string) (bool, error) {
	if e.dry || was == is {
		return true, nil
	}
	r, err := e.conn.Run(ctx, link.Call{Script: lua.Swap, Keys: []string{key}, Args: lua.Args{{"field", field}, {"place", place}, {"was", was}, {"is", is}}})
	if err != nil {
		return false, err
	}
	return r.Bool(), r.Err
}
