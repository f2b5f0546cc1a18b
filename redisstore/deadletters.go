package redisstore

import (
	"context"
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// DeadLetters implements store.Dispatches. A dead letter that was requeued is none
// to care about, and is left out.
func (s *lists) DeadLetters(ctx context.Context, q store.PageQuery) (store.DeadLetterPage, error) {
	l := listing{kind: 'd', prefix: digest(q.Tenant), key: func(p *keyspace.Partition) string { return p.Dead }}
	load := func(threads []keyspace.Thread, hits []hit) link.Call {
		c := link.Call{Script: lua.DeadLetters, Args: lua.Args{{"tenant", q.Tenant}}}
		for i, t := range threads {
			c.Keys = append(c.Keys, t.Rec(), t.Base+"runs", t.Base+"disp")
			c.Rest = lua.DeadLetters.Group(c.Rest, lua.Args{{"run", hits[i].member[stampSize+hashSize:]}})
		}
		return c
	}
	read := func(_ hit, r *link.Reply) (store.Dispatch, bool) {
		if !r.More() {
			return store.Dispatch{}, false
		}
		key, ok := keyspace.ThreadOf(r.Text())
		return readDispatch(r, key), ok
	}
	letters, next, err := page(ctx, s.conn, l, q, load, read)
	if err != nil {
		err = fmt.Errorf("redisstore: dead letters: %w", err)
	}
	return store.DeadLetterPage{Letters: letters, Next: next}, err
}
