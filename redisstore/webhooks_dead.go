package redisstore

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/index"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
	"github.com/redis/go-redis/v9"
)

// deadHook is a dead webhook's place: the latest first, then by partition, and in each by
// id, the last first.
type deadHook struct {
	died int64
	part int
	id   string
}

func (d deadHook) compare(e deadHook) int {
	return cmp.Or(cmp.Compare(e.died, d.died), cmp.Compare(d.part, e.part), strings.Compare(e.id, d.id))
}

func (d deadHook) cursor() string {
	return base64.RawURLEncoding.EncodeToString(link.Pack(nil, strconv.FormatInt(d.died, 10), strconv.Itoa(d.part), d.id))
}

// deadHookOf reads a cursor.
func deadHookOf(cursor string, partitions int) (d deadHook, err error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil {
		return d, index.ErrCursor
	}
	items, err := link.Unpack(string(raw))
	if err != nil || len(items) != 3 || len(items[2]) > index.CursorLimit {
		return d, index.ErrCursor
	}
	var bad error
	d.id = items[2]
	d.died, err = strconv.ParseInt(items[0], 10, 64)
	d.part, bad = strconv.Atoi(items[1])
	if err != nil || bad != nil || d.part < 0 || d.part >= partitions {
		return d, index.ErrCursor
	}
	return d, nil
}

// bounds are from where on a partition has what comes behind the place.
func (d deadHook) bounds(part int) (from, behind string) {
	from = strconv.FormatInt(d.died, 10)
	switch {
	case part < d.part:
		return "(" + from, ""
	case part == d.part:
		return from, d.id
	}
	return from, ""
}

// DeadWebhooks implements store.Webhooks. It finds out which they are, and reads those
// of the page.
func (s *webhooks) DeadWebhooks(ctx context.Context, q store.DeadWebhookQuery) (page store.DeadWebhookPage, err error) {
	var after *deadHook
	if q.Cursor != "" {
		d, err := deadHookOf(q.Cursor, len(s.conn.Keys.Parts))
		if err != nil {
			return page, err
		}
		after = &d
	}
	limit := min(cmp.Or(q.Limit, index.PageSize), index.PageLimit)
	replies, err := s.onAll(ctx, func(p *keyspace.Partition) link.Call {
		from, behind := "+inf", ""
		if after != nil {
			from, behind = after.bounds(p.Index)
		}
		return link.Call{Script: lua.HookDead, Keys: []string{p.Target(q.Target).Dead},
			Args: lua.Args{{"from", from}, {"behind", behind}, {"keep", keepDead.Milliseconds()}, {"limit", limit + 1}}}
	})
	if link.Most(err) != nil {
		return page, err
	}
	var found []deadHook
	for i, r := range replies {
		for r != nil && r.More() {
			id, died := r.Text(), r.Int()
			if r.Err != nil {
				return page, r.Err
			}
			found = append(found, deadHook{died: died, part: i, id: id})
		}
	}
	slices.SortFunc(found, deadHook.compare)
	if len(found) > limit {
		found = found[:limit]
		page.Next = found[limit-1].cursor()
	}
	page.Dead, err = s.loadDead(ctx, q, found, err)
	return page, err
}

// loadDead reads dead webhooks; one that went meanwhile is left out.
func (s *webhooks) loadDead(ctx context.Context, q store.DeadWebhookQuery, found []deadHook, partial error) (list []store.DeadWebhook, err error) {
	var items, tries []*redis.SliceCmd
	for _, d := range found {
		h := s.conn.Keys.Parts[d.part].Target(q.Target)
		items = append(items, redis.NewSliceCmd(ctx, "hmget", h.Items, d.id))
		tries = append(tries, redis.NewSliceCmd(ctx, "hmget", h.Tries, d.id))
	}
	errs := link.Ask(ctx, s.conn, append(items, tries...))
	if err := s.conn.Missing(errs); err != nil {
		if link.Most(err) != nil {
			return nil, err
		}
		partial = err
	}
	for i, d := range found {
		if errs[i] != nil || errs[len(found)+i] != nil {
			continue
		}
		item, _ := items[i].Val()[0].(string)
		tried, _ := tries[i].Val()[0].(string)
		if item == "" {
			continue
		}
		w := store.DeadWebhook{Died: time.UnixMilli(d.died)}
		// The unreadable part may be why it is dead.
		w.Notice, _ = itemNotice(s.conn.Keys, &s.conn.Keys.Parts[d.part], d.id, item)
		w.Tries, _ = readTries(tried)
		if q.Tenant == "" || w.Notice.Tenant == q.Tenant {
			list = append(list, w)
		}
	}
	return list, partial
}

// ResendWebhook implements store.Webhooks. The tenant of a notice does not change, so that
// it may be looked at before. A notice that cannot be read cannot be sent.
func (s *webhooks) ResendWebhook(ctx context.Context, target, tenant, id string) (bool, error) {
	p, entry, ok := noticeAt(s.conn.Keys, id)
	if !ok {
		return false, nil
	}
	h := p.Target(target)
	item := redis.NewSliceCmd(ctx, "hmget", h.Items, entry)
	if err := link.Ask(ctx, s.conn, []*redis.SliceCmd{item})[0]; err != nil {
		return false, err
	}
	fields, _ := item.Val()[0].(string)
	if fields == "" {
		return false, nil
	}
	if notice, err := itemNotice(s.conn.Keys, p, entry, fields); err != nil || tenant != "" && notice.Tenant != tenant {
		return false, nil
	}
	r, err := s.conn.Run(ctx, link.Call{Script: lua.HookResend, Keys: []string{h.Due, h.Tries, h.Dead}, Args: lua.Args{{"id", entry}}})
	if err != nil {
		return false, fmt.Errorf("redisstore: send a webhook again: %w", err)
	}
	return r.Bool(), r.Err
}
