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
		Title: r.Text(), Tenant: r.Text(), User: r.Text(), Agent: r.Text(), Suspension: r.JSON(), Drafts: r.JSONByID()}
	item.Reviewers, item.Assignee = reviewers(r)
	if errors.Is(r.Err, store.ErrCorrupted) {
		r.Err, item.Corrupted = nil, true
	}
	return item, ok && (item.Suspension != nil || item.Corrupted)
}

// CountInbox implements store.Inbox. Each number is a range of a partition's inbox,
// which the server counts without looking at what is in it.
func (s *Lists) CountInbox(ctx context.Context, q store.InboxCount) (totals store.InboxTotals, err error) {
	if q.Namespace != "" && slices.ContainsFunc(q.Reasons, func(r string) bool { return r != "" }) {
		err = errors.New("a namespace's is not counted by reason")
	} else {
		totals, err = s.countInbox(ctx, q)
	}
	if err != nil {
		err = fmt.Errorf("redisstore: count inbox: %w", err)
	}
	return totals, err
}

func (s *Lists) countInbox(ctx context.Context, q store.InboxCount) (store.InboxTotals, error) {
	var cmds []redis.Cmder
	late := lateOf(q, "")
	for i := range s.conn.Keys.Parts {
		key := s.conn.Keys.Parts[i].Inbox
		for _, reason := range q.Reasons {
			l := inboxOf(q.Tenant, q.AllTenants, q.Namespace, reason)
			cmds = append(cmds, redis.NewIntCmd(ctx, "zlexcount", key, "["+l.Prefix, l.end()))
		}
		if !q.At.IsZero() {
			next := Listing{Prefix: late.Prefix}
			cmds = append(cmds, redis.NewIntCmd(ctx, "zlexcount", key, "["+late.Prefix, late.end()),
				redis.NewStringSliceCmd(ctx, "zrangebylex", key, "["+late.Prefix+late.To, next.end(), "limit", 0, 1))
		}
	}
	errs := link.Ask(ctx, s.conn, cmds)
	partial := s.conn.Missing(errs)
	if link.Most(partial) != nil {
		return store.InboxTotals{}, partial
	}
	totals := store.InboxTotals{Waiting: make(map[string]int64, len(q.Reasons))}
	each := len(cmds) / len(s.conn.Keys.Parts)
	var expired []*keyspace.Partition
	for i, cmd := range cmds {
		if errs[i] != nil {
			continue
		}
		switch cmd := cmd.(type) {
		case *redis.StringSliceCmd:
			for _, member := range cmd.Val() {
				at := time.UnixMilli(Unstamp(member[len(late.Prefix):][:StampSize]))
				if totals.Next.IsZero() || at.Before(totals.Next) {
					totals.Next = at
				}
			}
		case *redis.IntCmd:
			if n := i % each; n < len(q.Reasons) {
				totals.Waiting[q.Reasons[n]] += cmd.Val()
			} else if cmd.Val() > 0 {
				totals.Expired += cmd.Val()
				expired = append(expired, &s.conn.Keys.Parts[i/each])
			}
		}
	}
	return totals, errors.Join(partial, s.lessExpired(ctx, q, totals.Waiting, expired))
}

// lessExpired takes out of the numbers what has expired in some partitions.
func (s *Lists) lessExpired(ctx context.Context, q store.InboxCount, waiting map[string]int64, parts []*keyspace.Partition) error {
	if len(parts) == 0 {
		return nil
	}
	var cmds []*redis.IntCmd
	for _, p := range parts {
		for _, reason := range q.Reasons {
			l := lateOf(q, reason)
			cmds = append(cmds, redis.NewIntCmd(ctx, "zlexcount", p.Inbox, "["+l.Prefix, l.end()))
		}
	}
	errs := link.Ask(ctx, s.conn, cmds)
	for i, cmd := range cmds {
		if errs[i] == nil {
			waiting[q.Reasons[i%len(q.Reasons)]] -= cmd.Val()
		}
	}
	return s.conn.Missing(errs)
}

// lateOf is the listing of what has expired by a time, of a reason; "": of any.
func lateOf(q store.InboxCount, reason string) Listing {
	l := inboxOf(q.Tenant, q.AllTenants, q.Namespace, reason)
	whose, why := l.Prefix[:DigestSize], l.Prefix[DigestSize:]
	ms := q.At.UnixMilli()
	if time.UnixMilli(ms).Before(q.At) {
		ms++ // what is stored has no parts of it
	}
	l.Prefix, l.To = whose+Digest("\x02"+why), StampAt(ms)
	return l
}
