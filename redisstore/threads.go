package redisstore

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aguiws/aguiws/adapter/store"
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
	l := listing{kind: 't', prefix: digest(q.Namespace), key: func(p *partition) string { return p.threads }}
	l.from, l.to = latestFirst(q.From, q.To)
	if !q.All() {
		l.only, l.looks = filterName(q.ThreadFilter), threadLooks
	}
	if q.Tenant != nil {
		l.only, l.looks = string(pack(nil, l.only, *q.Tenant)), threadLooks
	}
	load := func(threads []threadKeys, _ []hit) call { return infosOf(threads...) }
	read := func(_ hit, r *reply) (store.ThreadInfo, bool) {
		info, ok := readInfo(r)
		return info, ok && info.Thread.Namespace == q.Namespace && (q.Tenant == nil || info.Tenant == *q.Tenant) && q.Wants(&info)
	}
	threads, next, err := page(ctx, s, l, store.PageQuery{Limit: q.Limit, Cursor: q.Cursor}, load, read)
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
		return string(pack(nil, string(f.Status)))
	}
	return string(pack(nil, string(f.Status), *f.Agent))
}

// infosOf asks for what a list says of threads of one partition.
func infosOf(threads ...threadKeys) call {
	c := call{script: threadsScript}
	for _, t := range threads {
		c.keys = append(c.keys, t.rec(), t.journal(), t.base+"queue", t.base+"runs")
	}
	return c
}

// readInfo reads what infosOf has asked for of one thread; false: it was never used.
func readInfo(r *reply) (store.ThreadInfo, bool) {
	if !r.more() {
		return store.ThreadInfo{}, false
	}
	key, ok := threadOf(r.string())
	return store.ThreadInfo{Thread: key, Title: r.string(), Updated: time.UnixMilli(r.int()), Active: r.bool(),
		Suspended: r.bool(), Queued: int(r.int()), ActiveRun: r.string(), LatestRun: r.string(), Agent: r.string(), Tenant: r.string(), Failed: r.bool()}, ok
}

// SetTitle implements store.Threads. An empty title takes it away, so that the
// next input with one names the thread.
func (s *lists) SetTitle(ctx context.Context, key store.ThreadKey, title string) (bool, error) {
	t := s.keys.thread(key)
	r, err := s.run(ctx, call{script: titleScript, keys: []string{t.rec()}, args: args{{"title", cutTitle(title)}}})
	if err != nil {
		return false, err
	}
	return r.bool(), r.err
}
