package redisstore

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// nodesKept is for how long it is kept what a node has told that tells no more.
const nodesKept = 15 * time.Minute

// TellNode makes known to whoever calls Nodes what this node tells of itself, in the
// place of what it told before; nothing: it leaves. It is forgotten 15 minutes later.
func (s *Store) TellNode(ctx context.Context, about []byte) error {
	mode := "tell"
	if len(about) == 0 {
		mode = "leave"
	}
	_, err := s.nodes(ctx, mode, about)
	return err
}

// Nodes are all nodes that have told of themselves and have not left, this one too, in no
// order.
func (s *Store) Nodes(ctx context.Context) ([]store.NodeTold, error) {
	r, err := s.nodes(ctx, "read", nil)
	if err != nil {
		return nil, err
	}
	var told []store.NodeTold
	now, fields := r.Time(), r.List()
	for fields.More() {
		node := fields.Text()
		at, about, _ := strings.Cut(fields.Text(), " ")
		ms, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			continue // none of ours
		}
		if age := now.Sub(time.UnixMilli(ms)); age <= nodesKept {
			told = append(told, store.NodeTold{Node: node, About: []byte(about), Age: max(age, 0)})
		}
	}
	return told, errors.Join(r.Err, fields.Err)
}

func (s *Store) nodes(ctx context.Context, mode string, about []byte) (*link.Reply, error) {
	return s.conn.Run(ctx, link.Call{Script: lua.Nodes, Keys: []string{s.conn.Keys.Nodes()}, Args: lua.Args{{"mode", mode}, {"about", about}, {"keep", nodesKept.Milliseconds()}}})
}
