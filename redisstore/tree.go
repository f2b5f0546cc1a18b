package redisstore

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/index"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
	"github.com/redis/go-redis/v9"
)

// tree keeps the threads of a namespace as trees, all of them in one partition.
type tree struct {
	conn      *link.Connection
	retention *retention
}

// treeRefusals are the verdicts of treeput.lua.
var treeRefusals = []store.TreeRefusal{1: store.NodeMissing, store.NodeExists, store.NodeDeleting, store.NodeConflict,
	store.ParentMissing, store.ParentCycle, store.ParentDeleting, store.TreeTooDeep, store.TreeTooLarge, store.TooManyNodes, store.TooMuchMetadata}

// readNode reads what tree.lua has told; nil: nothing.
func readNode(r *link.Reply) *store.Node {
	if !r.More() {
		return nil
	}
	n := &store.Node{Thread: r.Text(), Parent: r.Text(), Root: r.Text(), Depth: int(r.Int()), Created: r.Time(), Updated: r.Time(),
		Version: r.Int(), Resource: r.Text(), Deleting: r.Text() != ""}
	if meta := r.Text(); meta != "" {
		n.Metadata = json.RawMessage(meta)
	}
	n.Children = int(r.Int())
	return n
}

// PutNode implements store.Tree.
func (s *tree) PutNode(ctx context.Context, key store.ThreadKey, c store.NodeChange) (*store.Node, error) {
	parent := key
	parent.Thread = ""
	if c.Parent != nil {
		parent.Thread = *c.Parent
	}
	used, err := s.retention.used(ctx, key, parent)
	if err != nil {
		return nil, err
	}
	meta := json.RawMessage(nil)
	if c.Metadata != nil {
		meta = *c.Metadata
	}
	resource := ""
	if c.Resource != nil {
		resource = *c.Resource
	}
	r, err := s.conn.Run(ctx, link.Call{Script: lua.TreePut, Keys: s.conn.Keys.Tree(key.Namespace), Args: lua.Args{
		{"thread", key.Thread}, {"by", c.Request}, {"create", c.Create}, {"used", used[0].is}, {"first", used[0].first}, {"version", c.Version},
		{"parented", c.Parent != nil}, {"parent", parent.Thread}, {"hasused", used[1].is}, {"hasfirst", used[1].first},
		{"resourced", c.Resource != nil}, {"resource", resource}, {"described", c.Metadata != nil}, {"meta", []byte(meta)},
		{"owner", c.Owner}, {"member", keyspace.MemberOf(key)}}})
	if err != nil {
		return nil, err
	}
	verdict, adopted, looked := r.Int(), r.Int(), int(r.Int())
	node := readNode(r.List())
	if node != nil {
		node.Looked = looked
	}
	switch {
	case r.Err != nil:
		return nil, r.Err
	case verdict < 0 || int(verdict) >= len(treeRefusals):
		return nil, fmt.Errorf("redisstore: treeput: verdict %d", verdict)
	case verdict > 0:
		return nil, &store.TreeError{Why: treeRefusals[verdict], Current: node, Looked: looked}
	case adopted == 0:
		return node, nil
	}
	// A thread that has been put in for its inputs may have been deleted since it was found
	// to have them, by somebody who did not know of a tree. A later deletion does know of
	// it.
	still, err := s.retention.used(ctx, key, parent)
	if err != nil {
		return nil, err
	}
	if adopted&1 != 0 && !still[0].is {
		return nil, errors.Join(&store.TreeError{Why: store.NodeMissing}, s.retention.gone(ctx, key, erased))
	}
	if adopted&2 != 0 && !still[1].is {
		return nil, errors.Join(&store.TreeError{Why: store.ParentMissing}, s.retention.gone(ctx, parent, erased))
	}
	return node, nil
}

// use says whether a thread has had an input, and when it got the first one, in Unix ms; 0:
// nobody has noted it.
type use struct {
	is    bool
	first int64
}

// SetTitle implements store.Threads. An empty title takes it away, so that the next input
// with one names the thread.
func (s *tree) SetTitle(ctx context.Context, key store.ThreadKey, title string) (bool, error) {
	if used, err := s.title(ctx, key, title, onlyUsed); used || err != nil {
		return used, err
	}
	made, err := s.made(ctx, key)
	if !made || err != nil {
		return false, err
	}
	if _, err := s.title(ctx, key, title, whichever); err != nil {
		return false, err
	}
	// It may have been deleted before it got its name, which would be the next one's.
	if made, err = s.made(ctx, key); made || err != nil {
		return made, err
	}
	_, err = s.title(ctx, key, "", onlyUnused)
	return false, err
}

// made reports whether a thread is in the tree, and stays there.
func (s *tree) made(ctx context.Context, key store.ThreadKey) (bool, error) {
	nodes, err := s.TreeNodes(ctx, key.Namespace, []string{key.Thread})
	return err == nil && len(nodes) == 1 && nodes[0] != nil && !nodes[0].Deleting, err
}

// Which threads title.lua names.
const (
	onlyUsed = iota
	whichever
	onlyUnused
)

// title keeps a title with a thread if it is one of those.
func (s *tree) title(ctx context.Context, key store.ThreadKey, title string, which int) (bool, error) {
	t := s.conn.Keys.Thread(key)
	r, err := s.conn.Run(ctx, link.Call{Script: lua.Title, Keys: []string{t.Rec()}, Args: lua.Args{
		{"title", link.CutTitle(title)}, {"unused", which}, {"member", t.Member}, {"keep", remember.Milliseconds()}}})
	if err != nil {
		return false, err
	}
	return r.Bool(), r.Err
}

// used says what use has been made of threads.
func (s *retention) used(ctx context.Context, threads ...store.ThreadKey) ([]use, error) {
	cmds := make([]*redis.SliceCmd, len(threads))
	for i, key := range threads {
		cmds[i] = redis.NewSliceCmd(ctx, "hmget", s.conn.Keys.Thread(key).Rec(), "input", "first")
	}
	if err := s.conn.Missing(link.Ask(ctx, s.conn, cmds)); err != nil {
		return nil, fmt.Errorf("redisstore: tree: %w", err)
	}
	used := make([]use, len(threads))
	for i, cmd := range cmds {
		v := cmd.Val()
		if threads[i].Thread == "" || len(v) != 2 || v[0] == nil {
			continue
		}
		used[i].is = true
		if first, ok := v[1].(string); ok {
			used[i].first, _ = strconv.ParseInt(first, 10, 64) // one that cannot be read is not known
		}
	}
	return used, nil
}

// TreeNodes implements store.Tree.
func (s *tree) TreeNodes(ctx context.Context, namespace string, threads []string) ([]*store.Node, error) {
	return s.nodes(ctx, namespace, threads, 0)
}

// TreeDescribed implements store.Tree.
func (s *tree) TreeDescribed(ctx context.Context, namespace string, threads []string) ([]*store.Node, error) {
	var list []*store.Node
	for len(list) < len(threads) {
		piece, err := s.nodes(ctx, namespace, threads[len(list):], treePieceBytes)
		if err == nil && len(piece) == 0 {
			err = errors.New("redisstore: treeread tells nothing")
		}
		if err != nil {
			return nil, err
		}
		list = append(list, piece...)
	}
	return list, nil
}

// nodes reads threads' nodes with so many bytes of metadata, and fewer nodes if these have
// more; 0: without.
func (s *tree) nodes(ctx context.Context, namespace string, threads []string, bytes int) ([]*store.Node, error) {
	rest := make([]any, len(threads))
	for i, t := range threads {
		rest[i] = t
	}
	r, err := s.conn.Run(ctx, link.Call{Script: lua.TreeRead, Keys: s.conn.Keys.Tree(namespace), Args: lua.Args{{"bytes", bytes}}, Rest: rest})
	if err != nil {
		return nil, err
	}
	var list []*store.Node
	for r.More() {
		one := r.List()
		list = append(list, readNode(one))
		r.Join(one)
	}
	return list, r.Err
}

// TreeBelow implements store.Tree.
func (s *tree) TreeBelow(ctx context.Context, key store.ThreadKey) ([]string, error) {
	r, err := s.conn.Run(ctx, link.Call{Script: lua.TreeBelow, Keys: s.conn.Keys.Tree(key.Namespace), Args: lua.Args{{"thread", key.Thread}}})
	if err != nil {
		return nil, err
	}
	var list []string
	for r.More() {
		list = append(list, r.Text())
	}
	return list, r.Err
}

// treePlaces are the prefix of the places of what a query asks for, and the bounds of
// these: from ≤ place < to.
func treePlaces(q store.TreeQuery) (prefix, from, to string) {
	ordered := func(kind, value string) (string, string, string) {
		prefix := kind + index.Digest(value)
		first, end := index.LatestFirst(q.From, q.To)
		return prefix, prefix + first, prefix + cmp.Or(end, strings.Repeat("\xff", index.StampSize+1))
	}
	switch {
	case q.Parent != "":
		return ordered("c", q.Parent)
	case q.Root != "":
		return ordered("r", q.Root)
	case q.Resource != "":
		return ordered("s", q.Resource)
	}
	prefix = "i" + q.Prefix
	return prefix, prefix, index.Beyond(prefix)
}

// ofQuery reports whether a node is what was asked for: digests place, they prove nothing.
func ofQuery(q store.TreeQuery, n *store.Node) bool {
	return n != nil && (q.Parent == "" || n.Parent == q.Parent) && (q.Root == "" || n.Root == q.Root) && (q.Resource == "" || n.Resource == q.Resource) &&
		strings.HasPrefix(n.Thread, q.Prefix) &&
		(q.From.IsZero() || !n.Created.Before(q.From)) && (q.To.IsZero() || n.Created.Before(q.To))
}

const (
	// treePiece is how many places of an index one script reads, and treePieceBytes how
	// many bytes of them: both bound how long it takes.
	treePiece      = 100
	treePieceBytes = 256 << 10
	// treePageBytes is how many bytes of nodes one page has. The last may go beyond.
	treePageBytes = 1 << 20
)

// TreePage implements store.Tree.
func (s *tree) TreePage(ctx context.Context, q store.TreeQuery) ([]store.TreeItem, string, error) {
	prefix, first, end := treePlaces(q)
	of := []string{q.Namespace, q.Parent, q.Root, q.Resource, q.Prefix}
	if from, to := index.LatestFirst(q.From, q.To); !q.All() || from != "" || to != "" {
		of = append(of, index.FilterName(q.ThreadFilter), from, to)
	}
	mark, from := index.Digest(string(link.Pack(nil, of...))), "["+first
	if q.Cursor != "" {
		raw, err := base64.RawURLEncoding.Strict().DecodeString(q.Cursor)
		place, ok := bytes.CutPrefix(raw, []byte(mark))
		if err != nil || !ok || !bytes.HasPrefix(place, []byte(prefix)) {
			return nil, "", errTreeCursor
		}
		from = "(" + string(place)
	}
	if q.Limit < 0 {
		return nil, "", fmt.Errorf("redisstore: tree: a page of %d is not possible", q.Limit)
	}
	limit := min(cmp.Or(q.Limit, index.PageSize), index.PageLimit)
	var items []store.TreeItem
	next := func() string { return base64.RawURLEncoding.EncodeToString([]byte(mark + from[1:])) }
	for looked, bytes := 0, 0; ; {
		want := treePiece
		if q.All() {
			want = min(want, max(limit+1-len(items), looked))
		}
		piece, more, err := s.treePiece(ctx, q, from, "("+end, want)
		if err != nil {
			return nil, "", err
		}
		for _, p := range piece {
			wanted := ofQuery(q, p.node) && q.Wants(p.info)
			if wanted && (len(items) == limit || bytes >= treePageBytes) {
				return items, next(), nil
			}
			if from = "(" + p.place; wanted {
				items, bytes = append(items, store.TreeItem{Node: *p.node, Info: p.info}), bytes+len(p.node.Metadata)
			}
		}
		if !more {
			return items, "", nil
		}
		if looked += len(piece); looked >= index.PageLimit {
			return items, next(), nil
		}
	}
}

// placed is what stands at a place of the index; no node: nothing that can be read.
type placed struct {
	place string
	node  *store.Node
	info  *store.ThreadInfo
}

// treePiece reads as many places as that, and what their threads are at. It has fewer
// where they are large, and says whether there may be more.
func (s *tree) treePiece(ctx context.Context, q store.TreeQuery, from, to string, limit int) (list []placed, more bool, err error) {
	r, err := s.conn.Run(ctx, link.Call{Script: lua.TreePage, Keys: s.conn.Keys.Tree(q.Namespace),
		Args: lua.Args{{"from", from}, {"to", to}, {"limit", limit}, {"bytes", treePieceBytes}}})
	if err != nil {
		return nil, false, err
	}
	more = r.Bool()
	var keys []store.ThreadKey
	for r.More() {
		one := r.List()
		p := placed{place: one.Text(), node: readNode(one.List())}
		if r.Join(one); ofQuery(q, p.node) {
			keys = append(keys, store.ThreadKey{Namespace: q.Namespace, Thread: p.node.Thread})
		}
		list = append(list, p)
	}
	if r.Err != nil {
		return nil, false, r.Err
	}
	infos, err := s.ThreadInfos(ctx, keys)
	if err != nil {
		return nil, false, err
	}
	for i := range list {
		if ofQuery(q, list[i].node) {
			list[i].info, infos = infos[0], infos[1:]
		}
	}
	return list, more, nil
}

// ThreadInfos implements store.Tree.
func (s *tree) ThreadInfos(ctx context.Context, threads []store.ThreadKey) ([]*store.ThreadInfo, error) {
	of := map[*keyspace.Partition][]int{}
	for i, key := range threads {
		p := s.conn.Keys.Thread(key).Part
		of[p] = append(of[p], i)
	}
	var calls []link.Call
	var groups [][]int
	for _, all := range of {
		for group := range slices.Chunk(all, link.ScriptRuns) {
			keys := make([]keyspace.Thread, len(group))
			for i, at := range group {
				keys[i] = s.conn.Keys.Thread(threads[at])
			}
			calls, groups = append(calls, index.InfosOf(keys...)), append(groups, group)
		}
	}
	infos := make([]*store.ThreadInfo, len(threads))
	replies, errs := s.conn.RunAll(ctx, calls)
	for i, group := range groups {
		if errs[i] != nil {
			return nil, errs[i]
		}
		for _, at := range group {
			one := replies[i].List()
			if info, ok := index.ReadInfo(one); ok {
				infos[at] = &info
			}
			replies[i].Join(one)
		}
		if replies[i].Err != nil {
			return nil, replies[i].Err
		}
	}
	return infos, nil
}

var errTreeCursor = fmt.Errorf("%w: the cursor belongs to another query; ask for the first page with an empty one", store.ErrBadCursor)
