package threads

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// asking begins a run on a fresh thread and suspends it.
func asking(th *stage.Thread, tenant string, reasons ...string) {
	th.Helper()
	b := th.Execute("r1")
	b.Tenant = tenant
	askAbout(th, th.Begun(b), 2, 1, reasons...)
}

func askAbout(th *stage.Thread, c store.Claim, number, expect int64, reasons ...string) {
	th.Helper()
	b := stage.Ending(c, number, expect, "asks", store.EndSuspend)
	b.End.Reasons = reasons
	th.OK(b)
}

// inbox reads all pages of an inbox and returns the threads' ids.
func inbox(th *stage.Thread, tenant, reason string, limit int) string {
	th.Helper()
	var ids []string
	for _, item := range inboxItems(th, tenant, reason, limit) {
		ids = append(ids, item.Thread.Thread)
	}
	return strings.Join(ids, " ")
}

func inboxItems(th *stage.Thread, tenant, reason string, limit int) []store.InboxItem {
	th.Helper()
	return pages(th, limit, func(ctx context.Context, q store.PageQuery) ([]store.InboxItem, string, error) {
		p, err := th.Store.Inbox(ctx, store.InboxQuery{Tenant: tenant, Reason: reason, Limit: q.Limit, Cursor: q.Cursor})
		return p.Items, p.Next, err
	})
}

// list reads all pages of a namespace's threads.
func list(th *stage.Thread, namespace string, limit int) string {
	th.Helper()
	var ids []string
	for _, info := range infos(th, namespace, limit) {
		ids = append(ids, info.Thread.Thread)
	}
	return strings.Join(ids, " ")
}

func infos(th *stage.Thread, namespace string, limit int) []store.ThreadInfo {
	th.Helper()
	return pages(th, limit, func(ctx context.Context, q store.PageQuery) ([]store.ThreadInfo, string, error) {
		p, err := th.Store.Threads(ctx, store.ThreadQuery{Namespace: namespace, Limit: q.Limit, Cursor: q.Cursor})
		return p.Threads, p.Next, err
	})
}

// pages reads from the first page to the last. Only the last may be short, and
// none is empty but the only one.
func pages[T any](th *stage.Thread, limit int, read func(context.Context, store.PageQuery) ([]T, string, error)) []T {
	th.Helper()
	var all []T
	for cursor := ""; ; {
		items, next, err := read(th.Context(), store.PageQuery{Limit: limit, Cursor: cursor})
		items = stage.Must(th, items, err)
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

func drafting(th *stage.Thread, version int64, drafts map[string]json.RawMessage) (string, bool) {
	th.Helper()
	kept, ok, err := th.Store.Drafts(th.Context(), th.Key, version, "", drafts)
	return stage.Show(stage.Must(th, kept, err)), ok
}
