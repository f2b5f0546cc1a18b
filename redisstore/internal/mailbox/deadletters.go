package mailbox

import (
	"context"
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/index"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// DeadLetters implements store.Dispatches. A dead letter that was requeued is none
// to care about, and is left out.
func (s *Records) DeadLetters(ctx context.Context, q store.PageQuery) (store.DeadLetterPage, error) {
	l := index.Listing{Kind: 'd', Prefix: index.Digest(q.Tenant), Key: func(p *keyspace.Partition) string { return p.Dead }}
	load := func(threads []keyspace.Thread, hits []index.Hit) link.Call {
		c := link.Call{Script: lua.DeadLetters, Args: lua.Args{{"tenant", q.Tenant}}}
		for i, t := range threads {
			c.Keys = append(c.Keys, t.Rec(), t.Runs(), t.Base+"disp")
			c.Rest = lua.DeadLetters.Group(c.Rest, lua.Args{{"run", hits[i].Member[index.StampSize+index.HashSize:]}})
		}
		return c
	}
	read := func(_ index.Hit, r *link.Reply) (store.Dispatch, bool) {
		if !r.More() {
			return store.Dispatch{}, false
		}
		key, ok := keyspace.ThreadOf(r.Text())
		return readDispatch(r, key), ok
	}
	letters, next, err := index.Page(ctx, s.conn, l, q, load, read)
	if err != nil {
		err = fmt.Errorf("redisstore: dead letters: %w", err)
	}
	return store.DeadLetterPage{Letters: letters, Next: next}, err
}
