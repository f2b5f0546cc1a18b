package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/index"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

const (
	// decisionsScanned is how many entries of the record a page looks at, at most about.
	decisionsScanned = 500
	// decisionsForgotten is how many go in one script.
	decisionsForgotten = 100
)

// decisions is the decision record. Its index has each entry in several places, by time, the
// latest first.
type decisions struct{ conn *link.Connection }

// Decisions implements store.Decisions.
func (s *decisions) Decisions(ctx context.Context, q store.DecisionQuery) (store.DecisionPage, error) {
	l := index.Listing{Kind: 'd', Prefix: "a", Key: func(p *keyspace.Partition) string { return p.Lists }, Looks: decisionsScanned,
		Only: string(link.Pack(nil, q.Tenant, strconv.FormatBool(q.AllTenants), q.User, q.Tool, string(q.Status), q.Namespace, q.Agent))}
	hash := ""
	switch {
	case q.Thread != nil:
		hash = s.conn.Keys.Thread(*q.Thread).Hash()
		l.Prefix = "h" + hash
	case q.Namespace != "":
		l.Prefix = "n" + index.Digest(q.Namespace)
	case !q.AllTenants && q.User != "":
		l.Prefix = "u" + index.Digest(q.Tenant) + index.Digest(q.User)
	case !q.AllTenants:
		l.Prefix = "t" + index.Digest(q.Tenant)
	}
	l.From, l.To = index.LatestFirst(q.From, q.To)
	load := func(_ []keyspace.Thread, hits []index.Hit) link.Call {
		c := link.Call{Script: lua.Decisions, Args: lua.Args{{"tenant", q.Tenant}, {"all", q.AllTenants}, {"key", hash},
			{"namespace", q.Namespace}, {"user", q.User}, {"tool", q.Tool}, {"status", string(q.Status)}, {"agent", q.Agent}}}
		for _, h := range hits {
			c.Keys = append(c.Keys, h.Part.Decisions)
			c.Rest = lua.Decisions.Group(c.Rest, lua.Args{{"id", entryOf(h).String()}})
		}
		return c
	}
	page, next, err := index.Page(ctx, s.conn, l, store.PageQuery{Limit: q.Limit, Cursor: q.Cursor}, load, readDecision)
	if err != nil {
		err = fmt.Errorf("redisstore: decisions: %w", err)
	}
	return store.DecisionPage{Decisions: page, Next: next}, err
}

// readDecision reads an entry. False: it cannot be read as far as its time.
func readDecision(h index.Hit, r *link.Reply) (store.Decision, bool) {
	if !r.More() {
		return store.Decision{}, false
	}
	var d store.Decision
	d.Interrupt, d.Status, d.User, d.Tool = r.Text(), store.DecisionStatus(r.Text()), r.Text(), r.Text()
	d.Thread = store.ThreadKey{Namespace: r.Text(), Thread: r.Text()}
	d.Tenant, d.Agent, d.RunID = r.Text(), r.Text(), r.Text()
	refused, asked, at := r.Text(), r.Text(), r.Text()
	d.Body = r.JSON()
	id := entryOf(h)
	d.ID = fmt.Sprintf("%013d-%06d-%d", id.ms, id.seq, h.Part.Index)
	d.Refused, _ = strconv.Atoi(refused)
	ms, bad := strconv.ParseInt(at, 10, 64)
	d.At = time.UnixMilli(ms)
	if opened, err := strconv.ParseInt(asked, 10, 64); err == nil {
		d.Asked = time.UnixMilli(opened)
	}
	if r.Err != nil && !errors.Is(r.Err, store.ErrCorrupted) {
		return d, false
	}
	r.Err = nil
	return d, bad == nil
}

// entryOf is the entry that a member of the index is of; zero: of none.
func entryOf(h index.Hit) streamID {
	id, _ := readStreamID(h.Member[index.StampSize+index.HashSize:])
	return id
}

// Refused implements store.Decisions. Sent again it counts again.
func (s *decisions) Refused(ctx context.Context, key store.ThreadKey, interrupts []string) error {
	if len(interrupts) == 0 {
		return nil
	}
	t := s.conn.Keys.Thread(key)
	_, err := s.conn.Run(ctx, link.Call{Script: lua.Refused, Keys: []string{t.Runs()}, Rest: link.AppendStrings(nil, interrupts)})
	return err
}

// ForgetDecisions implements store.Decisions.
func (s *decisions) ForgetDecisions(ctx context.Context, key store.ThreadKey) error {
	t := s.conn.Keys.Thread(key)
	for {
		r, err := s.conn.Run(ctx, link.Call{Script: lua.Forget, Keys: []string{t.Part.Decisions, t.Part.Lists},
			Args: lua.Args{{"key", t.Hash()}, {"limit", decisionsForgotten}}})
		if err != nil {
			return err
		}
		if !r.Bool() {
			return r.Err
		}
	}
}
