package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

var anyReason = string(make([]byte, digestSize))

// Inbox implements store.Inbox.
func (s *lists) Inbox(ctx context.Context, q store.PageQuery) (store.InboxPage, error) {
	reason := anyReason
	if q.Reason != "" {
		reason = digest(q.Reason)
	}
	l := listing{kind: 'i', prefix: digest(q.Tenant) + reason, key: func(p *partition) string { return p.inbox }}
	load := func(threads []threadKeys, hits []hit) call {
		c := call{script: inboxScript, args: args{{"tenant", q.Tenant}}}
		for i, t := range threads {
			c.keys = append(c.keys, t.rec(), t.journal(), t.base+"drafts")
			c.rest = inboxScript.group(c.rest, args{{"since", hits[i].member[:stampSize]}})
		}
		return c
	}
	items, next, err := page(ctx, s, l, q, load, readInboxItem)
	if err != nil {
		err = fmt.Errorf("redisstore: inbox: %w", err)
	}
	return store.InboxPage{Items: items, Next: next}, err
}

func readInboxItem(h hit, r *reply) (store.InboxItem, bool) {
	if !r.more() {
		return store.InboxItem{}, false
	}
	key, ok := threadOf(r.string())
	item := store.InboxItem{Thread: key, Version: r.int(), Since: time.UnixMilli(unstamp(h.member[:stampSize])),
		Title: r.string(), Suspension: r.json(), Drafts: readDrafts(r)}
	if errors.Is(r.err, store.ErrCorrupted) {
		r.err, item.Corrupted = nil, true
	}
	return item, ok && (item.Suspension != nil || item.Corrupted)
}

// readDrafts reads ids and drafts; nil when there are none.
func readDrafts(r *reply) map[string]json.RawMessage {
	l := r.list()
	var drafts map[string]json.RawMessage
	for l.more() {
		if drafts == nil {
			drafts = map[string]json.RawMessage{}
		}
		id := l.string()
		drafts[id] = l.json()
	}
	r.join(l)
	return drafts
}
