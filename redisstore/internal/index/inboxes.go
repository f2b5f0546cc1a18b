package index

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
)

// tenantsLooked is how many tenants a page of all inboxes asks for theirs.
const tenantsLooked = 32

// allMark begins a cursor over all tenants.
const allMark = "a"

// inboxes is a page of the inboxes of all tenants, one after the other. A page of one
// costs as much as any, so that a page of all is short where many have nothing.
func (s *Lists) inboxes(ctx context.Context, q store.InboxQuery) (store.InboxPage, error) {
	at, inner, err := seekTenant(q.Cursor)
	if err != nil {
		return store.InboxPage{}, err
	}
	if q.Limit < 0 {
		return store.InboxPage{}, fmt.Errorf("a page of %d is not possible", q.Limit)
	}
	tenants, err := s.tenants(ctx)
	if err != nil {
		return store.InboxPage{}, err
	}
	limit := min(cmp.Or(q.Limit, PageSize), PageLimit)
	var p store.InboxPage
	first, _ := slices.BinarySearch(tenants, at)
	for i, tenant := range tenants[first:] {
		if i == tenantsLooked || len(p.Items) == limit {
			p.Next = tenantCursor(tenant, "")
			return p, nil
		}
		own := q
		own.Tenant, own.Limit, own.Cursor = tenant, limit-len(p.Items), ""
		if tenant == at {
			own.Cursor = inner
		}
		page, err := s.inbox(ctx, own)
		if link.Most(err) != nil {
			return store.InboxPage{}, err
		}
		p.Items = append(p.Items, page.Items...)
		if page.Next != "" {
			p.Next = tenantCursor(tenant, page.Next)
			return p, err
		}
	}
	return p, nil
}

func tenantCursor(tenant, inner string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(allMark + string(link.Pack(nil, tenant, inner))))
}

func seekTenant(cursor string) (tenant, inner string, err error) {
	if cursor == "" {
		return "", "", nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	packed, ours := strings.CutPrefix(string(raw), allMark)
	if err != nil || !ours {
		return "", "", ErrCursor
	}
	list, err := link.Unpack(packed)
	if err != nil || len(list) != 2 {
		return "", "", ErrCursor
	}
	return list[0], list[1], nil
}

// tenants are those that have dispatches, in order: whoever waits for an answer has the
// one that asked. A master that does not answer leaves them incomplete.
func (s *Lists) tenants(ctx context.Context) ([]string, error) {
	cmds := make([]*redis.StringSliceCmd, len(s.conn.Keys.Parts))
	for i := range cmds {
		cmds[i] = redis.NewStringSliceCmd(ctx, "hkeys", s.conn.Keys.Parts[i].Counts)
	}
	errs := link.Ask(ctx, s.conn, cmds)
	found := map[string]bool{}
	for i, cmd := range cmds {
		if link.WrongType(errs[i]) {
			continue // its tenants have threads elsewhere, or are not known
		}
		if errs[i] != nil {
			return nil, fmt.Errorf("listing the tenants: %w", errs[i])
		}
		for _, field := range cmd.Val() {
			if _, tenant, of := strings.Cut(field, ":"); of {
				found[tenant] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}
