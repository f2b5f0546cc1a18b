package index

import (
	"context"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// Threads implements store.Threads.
func (s *Lists) Threads(ctx context.Context, q store.ThreadQuery) (store.ThreadPage, error) {
	l := Listing{Kind: 't', Prefix: ThreadList + Digest(q.Namespace), Key: func(p *keyspace.Partition) string { return p.Lists }}
	l.From, l.To = LatestFirst(q.From, q.To)
	if !q.All() {
		l.Only, l.Looks = FilterName(q.ThreadFilter), threadLooks
	}
	if q.Tenant != nil {
		l.Only, l.Looks = string(link.Pack(nil, l.Only, *q.Tenant)), threadLooks
	}
	load := func(threads []keyspace.Thread, _ []Hit) link.Call { return InfosOf(threads...) }
	read := func(_ Hit, r *link.Reply) (store.ThreadInfo, bool) {
		info, ok := ReadInfo(r)
		return info, ok && !info.Unused && info.Thread.Namespace == q.Namespace && (q.Tenant == nil || info.Tenant == *q.Tenant) && q.Wants(&info)
	}
	threads, next, err := Page(ctx, s.conn, l, store.PageQuery{Limit: q.Limit, Cursor: q.Cursor}, load, read)
	if err != nil {
		err = fmt.Errorf("redisstore: threads: %w", err)
	}
	return store.ThreadPage{Threads: threads, Next: next}, err
}

// threadLooks is how many threads are looked at for a page that a filter thins out.
const threadLooks = 1000

// FilterName tells filters apart; "": all threads.
func FilterName(f store.ThreadFilter) string {
	switch {
	case f.All():
		return ""
	case f.Agent == nil:
		return string(link.Pack(nil, string(f.Status)))
	}
	return string(link.Pack(nil, string(f.Status), *f.Agent))
}

// InfosOf asks for what a list says of threads of one partition.
func InfosOf(threads ...keyspace.Thread) link.Call {
	c := link.Call{Script: lua.Threads}
	for _, t := range threads {
		c.Keys = append(c.Keys, t.Rec(), t.Base+"queue", t.Runs())
	}
	return c
}

// ReadInfo reads what InfosOf has asked for of one thread; false: it was never used, and has no name.
func ReadInfo(r *link.Reply) (store.ThreadInfo, bool) {
	if !r.More() {
		return store.ThreadInfo{}, false
	}
	key, ok := keyspace.ThreadOf(r.Text())
	title, updated := r.Text(), r.Int()
	info := store.ThreadInfo{Thread: key, Title: title, Unused: updated < 0, Active: r.Bool(),
		Suspended: r.Bool(), Queued: int(r.Int()), ActiveRun: r.Text(), LatestRun: r.Text(), Agent: r.Text(), Tenant: r.Text(), Failed: r.Bool()}
	if !info.Unused {
		info.Updated = time.UnixMilli(updated)
	}
	if reasons, err := link.Unpack(r.Text()); err == nil && len(reasons) > 0 {
		info.WaitsOn = reasons[0]
	}
	if until := r.Int(); until > 0 {
		info.Until = time.UnixMilli(until)
	}
	info.Expires, info.Created = r.Time(), r.Time()
	return info, ok
}
