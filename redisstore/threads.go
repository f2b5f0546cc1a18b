package redisstore

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// titleSize is what a record can hold without costing several times as much:
// longer values make Redis store it as a table.
const titleSize = 60

func cutTitle(title string) string { return cut(title, titleSize) }

// cut makes a text valid and short enough, at the end of a character.
func cut(text string, size int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= size {
		return text
	}
	for !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}

// Threads implements store.Threads.
func (s *lists) Threads(ctx context.Context, q store.ThreadQuery) (store.ThreadPage, error) {
	l := listing{kind: 't', prefix: digest(q.Namespace), key: func(p *keyspace.Partition) string { return p.Threads }}
	l.from, l.to = latestFirst(q.From, q.To)
	if !q.All() {
		l.only, l.looks = filterName(q.ThreadFilter), threadLooks
	}
	if q.Tenant != nil {
		l.only, l.looks = string(link.Pack(nil, l.only, *q.Tenant)), threadLooks
	}
	load := func(threads []keyspace.Thread, _ []hit) link.Call { return infosOf(threads...) }
	read := func(_ hit, r *link.Reply) (store.ThreadInfo, bool) {
		info, ok := readInfo(r)
		return info, ok && info.Thread.Namespace == q.Namespace && (q.Tenant == nil || info.Tenant == *q.Tenant) && q.Wants(&info)
	}
	threads, next, err := page(ctx, s.conn, l, store.PageQuery{Limit: q.Limit, Cursor: q.Cursor}, load, read)
	if err != nil {
		err = fmt.Errorf("redisstore: threads: %w", err)
	}
	return store.ThreadPage{Threads: threads, Next: next}, err
}

// threadLooks is how many threads are looked at for a page that a filter thins out.
const threadLooks = 1000

// filterName tells filters apart; "": all threads.
func filterName(f store.ThreadFilter) string {
	switch {
	case f.All():
		return ""
	case f.Agent == nil:
		return string(link.Pack(nil, string(f.Status)))
	}
	return string(link.Pack(nil, string(f.Status), *f.Agent))
}

// infosOf asks for what a list says of threads of one partition.
func infosOf(threads ...keyspace.Thread) link.Call {
	c := link.Call{Script: lua.Threads}
	for _, t := range threads {
		c.Keys = append(c.Keys, t.Rec(), t.Journal(), t.Base+"queue", t.Base+"runs")
	}
	return c
}

// readInfo reads what infosOf has asked for of one thread; false: it was never used.
func readInfo(r *link.Reply) (store.ThreadInfo, bool) {
	if !r.More() {
		return store.ThreadInfo{}, false
	}
	key, ok := keyspace.ThreadOf(r.Text())
	return store.ThreadInfo{Thread: key, Title: r.Text(), Updated: time.UnixMilli(r.Int()), Active: r.Bool(),
		Suspended: r.Bool(), Queued: int(r.Int()), ActiveRun: r.Text(), LatestRun: r.Text(), Agent: r.Text(), Tenant: r.Text()}, ok
}

// SetTitle implements store.Threads. An empty title takes it away, so that the
// next input with one names the thread.
func (s *lists) SetTitle(ctx context.Context, key store.ThreadKey, title string) (bool, error) {
	t := s.conn.Keys.Thread(key)
	r, err := s.conn.Run(ctx, link.Call{Script: lua.Title, Keys: []string{t.Rec()}, Args: lua.Args{{"title", cutTitle(title)}}})
	if err != nil {
		return false, err
	}
	return r.Bool(), r.Err
}
