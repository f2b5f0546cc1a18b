package redisstore

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/index"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// TreeWalk implements store.Tree. A cursor says below which parent, and where there, the
// node stands that was told last.
func (s *tree) TreeWalk(ctx context.Context, q store.TreeWalk) ([]store.TreeItem, string, error) {
	if q.Limit < 0 {
		return nil, "", fmt.Errorf("redisstore: tree: a page of %d is not possible", q.Limit)
	}
	mark := index.Digest(string(link.Pack(nil, q.Thread.Namespace, q.Thread.Thread)))
	under, at := "", ""
	if q.Cursor != "" {
		raw, err := base64.RawURLEncoding.Strict().DecodeString(q.Cursor)
		place, ok := bytes.CutPrefix(raw, []byte(mark))
		parts, bad := link.Unpack(string(place))
		if err != nil || !ok || bad != nil || len(parts) != 2 || len(parts[1]) <= index.StampSize {
			return nil, "", errTreeCursor
		}
		under, at = parts[0], parts[1]
	}
	limit := min(cmp.Or(q.Limit, index.PageSize), index.PageLimit)
	var items []store.TreeItem
	for bytes := 0; ; {
		want := min(treePiece, limit+1-len(items))
		r, err := s.conn.Run(ctx, link.Call{Script: lua.TreeWalk, Keys: s.conn.Keys.Tree(q.Thread.Namespace), Args: lua.Args{
			{"thread", q.Thread.Thread}, {"under", under}, {"at", at}, {"limit", want}, {"bytes", treePieceBytes}}})
		if err != nil {
			return nil, "", err
		}
		if !r.Bool() {
			return nil, "", errTreeMoved
		}
		more := r.Bool()
		for r.More() {
			stands, one := r.Text(), r.List()
			node := readNode(one)
			if r.Join(one); node == nil || r.Err != nil {
				break
			}
			if len(items) == limit || bytes >= treePageBytes {
				next := base64.RawURLEncoding.EncodeToString(append([]byte(mark), link.Pack(nil, under, at)...))
				items, err := s.withInfos(ctx, q.Thread.Namespace, items)
				return items, next, err
			}
			items, under, at, bytes = append(items, store.TreeItem{Node: *node}), node.Parent, stands, bytes+len(node.Metadata)
		}
		if r.Err != nil {
			return nil, "", r.Err
		}
		if !more {
			items, err := s.withInfos(ctx, q.Thread.Namespace, items)
			return items, "", err
		}
	}
}

// withInfos adds what the threads are at.
func (s *tree) withInfos(ctx context.Context, namespace string, items []store.TreeItem) ([]store.TreeItem, error) {
	keys := make([]store.ThreadKey, len(items))
	for i, item := range items {
		keys[i] = store.ThreadKey{Namespace: namespace, Thread: item.Thread}
	}
	infos, err := s.ThreadInfos(ctx, keys)
	if err != nil {
		return nil, err
	}
	for i := range items {
		items[i].Info = infos[i]
	}
	return items, nil
}

var errTreeMoved = fmt.Errorf("%w: the tree has changed where it stood; ask for the first page with an empty one", store.ErrBadCursor)
