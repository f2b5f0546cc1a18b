package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// anyOne is index.lua's ANY.
var anyOne = string(make([]byte, DigestSize))

// ownerLooks is how many suspensions are looked at for a page of one owner's.
const ownerLooks = 1000

// everybody is index.lua's EVERYBODY.
var everybody = Digest("\x01")

// inboxOf is the listing of a reason; "": of any.
func inboxOf(tenant string, all bool, namespace, reason string) Listing {
	l := Listing{Kind: 'i', Key: func(p *keyspace.Partition) string { return p.Inbox }}
	whose, why := Digest(tenant), anyOne
	switch {
	case namespace != "":
		whose = Digest("\x00" + namespace)
	case all:
		whose = everybody
	}
	if reason != "" {
		why = Digest(reason)
	}
	l.Prefix = whose + why
	return l
}

// Inbox implements store.Inbox.
func (s *Lists) Inbox(ctx context.Context, q store.InboxQuery) (store.InboxPage, error) {
	if q.Namespace != "" && q.Reason != "" {
		return store.InboxPage{}, errors.New("redisstore: inbox: a namespace's is not listed by reason")
	}
	p, err := s.inbox(ctx, q)
	if err != nil {
		err = fmt.Errorf("redisstore: inbox: %w", err)
	}
	return p, err
}

func (s *Lists) inbox(ctx context.Context, q store.InboxQuery) (store.InboxPage, error) {
	owner := keyspace.OwnerID(store.Owner{Name: q.Owner})
	load := func(threads []keyspace.Thread, hits []Hit) link.Call {
		c := link.Call{Script: lua.Inbox, Args: lua.Args{{"tenant", q.Tenant}, {"all", q.AllTenants}, {"namespace", q.Namespace}, {"owner", owner}}}
		for i, t := range threads {
			c.Keys = append(c.Keys, t.Rec(), t.Runs(), t.Base+"drafts", t.Reviewers())
			c.Rest = lua.Inbox.Group(c.Rest, lua.Args{{"since", hits[i].Member[:StampSize]}})
		}
		return c
	}
	l := inboxOf(q.Tenant, q.AllTenants, q.Namespace, q.Reason)
	if l.Only = owner; owner != "" {
		l.Looks = ownerLooks
	}
	if !q.From.IsZero() {
		l.From = StampAt(q.From.UnixMilli())
	}
	if !q.To.IsZero() {
		l.To = StampAt(q.To.UnixMilli())
	}
	items, next, err := Page(ctx, s.conn, l, store.PageQuery{Limit: q.Limit, Cursor: q.Cursor}, load, readInboxItem)
	return store.InboxPage{Items: items, Next: next}, err
}

func readInboxItem(h Hit, r *link.Reply) (store.InboxItem, bool) {
	if !r.More() {
		return store.InboxItem{}, false
	}
	key, ok := keyspace.ThreadOf(r.Text())
	item := store.InboxItem{Thread: key, Version: r.Int(), Since: time.UnixMilli(Unstamp(h.Member[:StampSize])),
		Title: r.Text(), Tenant: r.Text(), User: r.Text(), Agent: r.Text(), Suspension: r.JSON(), Drafts: r.JSONByID(), Reviewers: reviewers(r)}
	if errors.Is(r.Err, store.ErrCorrupted) {
		r.Err, item.Corrupted = nil, true
	}
	return item, ok && (item.Suspension != nil || item.Corrupted)
}

// CountInbox implements store.Inbox. Each number is a range of a partition's inbox,
// which the server counts without looking at what is in it.
func (s *Lists) CountInbox(ctx context.Context, q store.InboxCount) (counts map[string]int64, err error) {
	if q.Namespace != "" && slices.ContainsFunc(q.Reasons, func(r string) bool { return r != "" }) {
		err = errors.New("a namespace's is not counted by reason")
	} else {
		counts, err = s.countInbox(ctx, q)
	}
	if err != nil {
		err = fmt.Errorf("redisstore: count inbox: %w", err)
	}
	return counts, err
}

func (s *Lists) countInbox(ctx context.Context, q store.InboxCount) (map[string]int64, error) {
	var cmds []*redis.IntCmd
	for i := range s.conn.Keys.Parts {
		for _, reason := range q.Reasons {
			l := inboxOf(q.Tenant, q.AllTenants, q.Namespace, reason)
			cmds = append(cmds, redis.NewIntCmd(ctx, "zlexcount", s.conn.Keys.Parts[i].Inbox, "["+l.Prefix, l.end()))
		}
	}
	errs := link.Ask(ctx, s.conn, cmds)
	partial := s.conn.Missing(errs)
	if link.Most(partial) != nil {
		return nil, partial
	}
	counts := make(map[string]int64, len(q.Reasons))
	for i, cmd := range cmds {
		if errs[i] == nil {
			counts[q.Reasons[i%len(q.Reasons)]] += cmd.Val()
		}
	}
	return counts, partial
}
