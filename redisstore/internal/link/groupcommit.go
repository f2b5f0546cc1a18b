package link

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/lua"
)

const (
	groupRuns   = 256     // batches taken at once
	groupBytes  = 1 << 20 // of them
	ScriptRuns  = 64      // batches in one script, which keeps the server from all others
	batchWeight = 256     // bytes that a batch costs beside its events
)

// GroupCommit has what waits for each server: batches, which travel together, and reads.
type GroupCommit struct {
	conn       *Connection
	deliveries *Deliveries
	queues     queuesByServer
}

// NewGroupCommit commits over a connection, and has this node hear what it logged.
func NewGroupCommit(c *Connection, d *Deliveries) *GroupCommit {
	g := &GroupCommit{conn: c, deliveries: d}
	c.AtClose(g.closeCommitters, nil)
	return g
}

// committer does the group commit for a share of a master's partitions, by a goroutine of its
// own. No batch lingers: those that arrive while a script is on the way go with the next one.
type committer struct {
	s *GroupCommit

	mu     sync.Mutex
	more   sync.Cond // there are batches, or the store closes
	queue  []*pending
	closed bool
}

// pending is a batch on its way.
type pending struct {
	ctx      context.Context // of who sends it
	keys     keyspace.Thread
	batch    store.Batch
	closing  []byte
	group    *committer
	answered func(store.CommitResult, error)
}

type outcome struct {
	result store.CommitResult
	err    error
}

// Commit commits a batch together with those of other runs.
func (s *GroupCommit) Commit(ctx context.Context, t keyspace.Thread, b store.Batch, closing []byte) (store.CommitResult, error) {
	if err := ctx.Err(); err != nil {
		return store.CommitResult{}, fmt.Errorf("redisstore: commit: %w", err)
	}
	done := make(chan outcome, 1)
	p := s.Send(context.Background(), t, b, closing, func(r store.CommitResult, err error) { done <- outcome{r, err} })
	if p == nil {
		return store.CommitResult{}, ErrClosed
	}
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		if p.group.withdraw(p) {
			return store.CommitResult{}, fmt.Errorf("redisstore: commit: %w", ctx.Err())
		}
		return store.CommitResult{}, fmt.Errorf("redisstore: commit: %w: %w", store.ErrOutcomeUnknown, ctx.Err())
	}
}

// Send is Commit, and has the committer's goroutine call answered with the outcome. Nil: the
// store is closed.
func (s *GroupCommit) Send(ctx context.Context, t keyspace.Thread, b store.Batch, closing []byte, answered func(store.CommitResult, error)) *pending {
	committers := s.QueuesOf(t.Part).committers
	g := committers[t.Part.Index%len(committers)]
	p := &pending{ctx, t, b, closing, g, answered}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil
	}
	g.queue = append(g.queue, p)
	g.more.Signal()
	return p
}

// withdraw takes a batch back that has not been sent.
func (g *committer) withdraw(p *pending) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.queue, p)
	if i < 0 {
		return false
	}
	g.queue = slices.Delete(g.queue, i, i+1)
	return true
}

// Together commits batches as those go that wait for the same answer.
func (s *GroupCommit) Together(batches []store.Batch) (results []store.CommitResult, errs []error) {
	results, errs = make([]store.CommitResult, len(batches)), make([]error, len(batches))
	var taken []*pending
	var all sync.WaitGroup
	all.Add(len(batches))
	for i, b := range batches {
		taken = append(taken, &pending{keys: s.conn.Keys.Thread(b.Claim.Thread), batch: b, answered: func(r store.CommitResult, err error) {
			results[i], errs[i] = r, err
			all.Done()
		}})
	}
	(&committer{s: s}).send(taken)
	all.Wait()
	return results, errs
}

// flow sends until the store closes. What nobody wants to have sent any more is answered.
func (g *committer) flow() {
	for taken := g.take(); len(taken) > 0; taken = g.take() {
		taken = slices.DeleteFunc(taken, func(p *pending) bool {
			err := p.ctx.Err()
			if err != nil {
				p.answered(store.CommitResult{}, fmt.Errorf("redisstore: commit: %w", err))
			}
			return err != nil
		})
		if len(taken) > 0 {
			g.send(taken)
		}
	}
}

// take waits for batches. None: there will be no more.
func (g *committer) take() []*pending {
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(g.queue) == 0 && !g.closed {
		g.more.Wait()
	}
	n, bytes := 0, 0
	for n < len(g.queue) && n < groupRuns {
		bytes += weight(g.queue[n])
		if n > 0 && bytes > groupBytes {
			break
		}
		n++
	}
	taken := slices.Clone(g.queue[:n])
	g.queue = slices.Delete(g.queue, 0, n)
	return taken
}

func weight(p *pending) int {
	n := batchWeight + len(p.closing)
	for _, e := range p.batch.Events {
		n += len(e)
	}
	for _, r := range p.batch.Entries {
		n += len(r)
	}
	return n
}

// send commits the batches, one script for all of them on one server and one a partition
// in a Cluster. Those of a partition whose slot has gone to another master go there
// beside the others, which does not wait for it.
func (g *committer) send(taken []*pending) {
	master := g.s.conn.Master(taken[0].keys.Part.Leases)
	var groups [][]*pending
	var calls []Call
	for _, group := range g.s.inOneScript(taken) {
		c := g.s.commitCall(group)
		if g.s.conn.Master(group[0].keys.Part.Leases) != master {
			g.aside(group, c)
			continue
		}
		groups, calls = append(groups, group), append(calls, c)
	}
	send := g.s.conn.sendAll
	if master != nil {
		send = func(ctx context.Context, calls []Call) ([]*Reply, []error) {
			return g.s.conn.sendTo(ctx, master, calls)
		}
	}
	replies, errs := send(context.Background(), calls)
	for i, group := range groups {
		if Redirected(errs[i]) {
			g.aside(group, calls[i])
			continue
		}
		if RefusedWith(errs[i], "CROSSSLOT") && !g.s.conn.Apart.Swap(true) {
			g.send(group) // nothing was done: see inOneScript
			continue
		}
		if errs[i] != nil && len(group) > 1 && !errors.Is(errs[i], store.ErrOutcomeUnknown) {
			// The script itself failed: at one thread's keys, not at all of them.
			for _, p := range group {
				r, err := g.s.conn.send(context.Background(), g.s.commitCall([]*pending{p}))
				g.s.committed(p, r, err)
			}
			continue
		}
		for _, p := range group {
			g.s.committed(p, replies[i], errs[i])
		}
	}
}

// inOneScript are batches whose keys one script may have: those of a partition, and of
// all partitions where the server is no part of a Cluster. A server that speaks for a
// Cluster to a client which knows of none refuses keys of several slots before it does
// anything.
func (s *GroupCommit) inOneScript(taken []*pending) (groups [][]*pending) {
	if s.conn.OneSlot() {
		return slices.Collect(slices.Chunk(taken, ScriptRuns))
	}
	byPartition := make(map[int][]*pending)
	for _, p := range taken {
		byPartition[p.keys.Part.Index] = append(byPartition[p.keys.Part.Index], p)
	}
	for _, group := range byPartition {
		groups = slices.AppendSeq(groups, slices.Chunk(group, ScriptRuns))
	}
	return groups
}

// aside commits a group of batches wherever its slot has gone.
func (g *committer) aside(group []*pending, c Call) {
	g.s.conn.Running.Go(func() {
		replies, errs := g.s.conn.sendAll(context.Background(), []Call{c})
		for _, p := range group {
			g.s.committed(p, replies[0], errs[0])
		}
	})
}

func (s *GroupCommit) commitCall(group []*pending) Call {
	c := Call{Script: lua.Commit, Keys: make([]string, 0, 4*len(group))}
	n := 0
	for _, p := range group {
		n += len(lua.Commit.Each) + 1 + len(p.batch.Entries)
	}
	c.Rest = make([]any, 0, n)
	var buf [4]any
	for _, p := range group {
		b, flags := &p.batch, 0
		c.Keys = append(c.Keys, p.keys.Rec(), p.keys.Log(), p.keys.Journal())
		if b.Closing != nil {
			c.Keys = append(c.Keys, p.keys.Closing())
			flags++
		}
		// A key that does not exist holds a script up while its slot moves.
		if slices.ContainsFunc(b.Events, s.conn.large) {
			c.Keys = append(c.Keys, p.keys.Big())
			flags += 2
		}
		elements := s.conn.AppendElements(buf[:0], b.Expect+1, b.Events)
		c.Rest = lua.Commit.Group(c.Rest, lua.Args{
			{"member", p.keys.Member}, {"run", b.Claim.RunID}, {"token", b.Claim.Token}, {"depoch", b.Claim.DispatchEpoch},
			{"number", b.Number}, {"expect", b.Expect}, {"flags", flags}, {"closing", p.closing},
			{"events", len(b.Events)}, {"elements", len(elements)}, {"entries", len(b.Entries)},
		})
		c.Rest = append(c.Rest, elements...)
		c.Rest = AppendBytes(c.Rest, b.Entries)
	}
	return c
}

// committed reads one batch's verdict, delivers what was logged, and only then
// lets the caller go on.
func (s *GroupCommit) committed(p *pending, r *Reply, err error) {
	if err != nil {
		p.answered(store.CommitResult{}, err)
		return
	}
	res := CommitResult(r)
	if r.Err == nil && res.Status == store.CommitOK {
		s.deliveries.Logged(p.batch.Claim.Thread, res.End.Epoch, p.batch.Expect+1, p.batch.Events)
	}
	p.answered(res, r.Err)
}

// CommitStatus is what the verdicts of scripts on a batch mean.
var CommitStatus = [4]store.CommitStatus{store.CommitOK, store.CommitFenced, store.CommitAhead, store.CommitMismatch}

// paused and joins are PAUSED and JOINS of lib.lua.
const (
	Paused = 8
	Joins  = 16
)

// CommitResult reads what a script says of a batch.
func CommitResult(r *Reply) store.CommitResult {
	verdict := r.Int()
	return store.CommitResult{Status: CommitStatus[verdict&3], Paused: verdict&Paused != 0, Joins: verdict&Joins != 0,
		End: store.Position{Epoch: r.Text(), Seq: r.Int()}}
}
