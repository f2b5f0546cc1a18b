package storetest

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
)

// asking begins a run on a fresh thread and suspends it.
func (th *thread) asking(tenant string, reasons ...string) {
	th.Helper()
	b := th.execute("r1")
	b.Tenant = tenant
	th.asks(th.begun(b), 2, 1, reasons...)
}

func (th *thread) asks(c store.Claim, number, expect int64, reasons ...string) {
	th.Helper()
	b := ending(c, number, expect, "asks", store.EndSuspend)
	b.End.Reasons = reasons
	th.ok(b)
}

// inbox reads all pages of an inbox and returns the threads' ids.
func (th *thread) inbox(tenant, reason string, limit int) string {
	th.Helper()
	var ids []string
	for _, item := range th.inboxItems(tenant, reason, limit) {
		ids = append(ids, item.Thread.Thread)
	}
	return strings.Join(ids, " ")
}

func (th *thread) inboxItems(tenant, reason string, limit int) []store.InboxItem {
	th.Helper()
	return pages(th, limit, func(ctx context.Context, q store.PageQuery) ([]store.InboxItem, string, error) {
		p, err := th.s.Inbox(ctx, store.InboxQuery{Tenant: tenant, Reason: reason, Limit: q.Limit, Cursor: q.Cursor})
		return p.Items, p.Next, err
	})
}

// list reads all pages of a namespace's threads.
func (th *thread) list(namespace string, limit int) string {
	th.Helper()
	var ids []string
	for _, info := range th.infos(namespace, limit) {
		ids = append(ids, info.Thread.Thread)
	}
	return strings.Join(ids, " ")
}

func (th *thread) infos(namespace string, limit int) []store.ThreadInfo {
	th.Helper()
	return pages(th, limit, func(ctx context.Context, q store.PageQuery) ([]store.ThreadInfo, string, error) {
		p, err := th.s.Threads(ctx, store.ThreadQuery{Namespace: namespace, Limit: q.Limit, Cursor: q.Cursor})
		return p.Threads, p.Next, err
	})
}

// pages reads from the first page to the last. Only the last may be short, and
// none is empty but the only one.
func pages[T any](th *thread, limit int, read func(context.Context, store.PageQuery) ([]T, string, error)) []T {
	th.Helper()
	var all []T
	for cursor := ""; ; {
		items, next, err := read(th.Context(), store.PageQuery{Limit: limit, Cursor: cursor})
		items = must(th, items, err)
		all = append(all, items...)
		if next == "" {
			if len(items) == 0 && cursor != "" || limit > 0 && len(items) > limit {
				th.Errorf("the last page has %d items", len(items))
			}
			return all
		}
		if len(items) != limit {
			th.Fatalf("a page that is not the last has %d items, %d were asked for", len(items), limit)
		}
		cursor = next
	}
}

func (th *thread) draft(version int64, drafts map[string]json.RawMessage) (string, bool) {
	th.Helper()
	kept, ok, err := th.s.Drafts(th.Context(), th.key, version, "", drafts)
	return show(must(th, kept, err)), ok
}
