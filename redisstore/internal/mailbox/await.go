package mailbox

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/redis/go-redis/v9"
)

const (
	// awaitFor is for how long the server holds an await: a connection that has died
	// is found out when that is over.
	awaitFor = 5 * time.Second
	// MaxAwaited is how many streams one command names at most: the server may look
	// at each of them for each node that waits whenever one has something.
	MaxAwaited = 256
	// unblockPause is for what has not been blocked yet.
	unblockPause = 5 * time.Millisecond
)

// awaits are the blocking reads of a node: one at a time, over a connection that nothing
// else uses.
type awaits struct {
	turn      chan struct{}            // held by the call under way
	held      atomic.Pointer[[]string] // of which agents the server holds a read; nil: it holds none
	uncounted atomic.Int64             // calls of Work that need not look at streams

	mu     sync.Mutex
	closed bool
	over   *awaitConn // nil: there is none
}

// awaitConn is a connection that may be held by the server.
type awaitConn struct {
	client *redis.Client // of which it is the only one
	conn   *redis.Conn
	id     atomic.Int64 // by which another ends its wait; 0: not known
}

// Await implements store.Sweep, by one command on the streams of all partitions, which
// takes one server.
func (s *Mailbox) Await(ctx context.Context, q store.WorkQuery) (work []store.Work, err error) {
	if err := s.conn.Usable(); err != nil {
		return nil, err
	}
	streams := s.awaited(q.Agents)
	if streams == nil {
		return nil, store.ErrCannotAwait
	}
	select {
	case s.awaits.turn <- struct{}{}:
		defer func() { <-s.awaits.turn }()
	case <-ctx.Done():
		return nil, nil
	case <-s.conn.Closing:
		return nil, link.ErrClosed
	}
	done := make(chan struct{})
	over := s.beginAwait(func(over *awaitConn) {
		defer close(done)
		work, err = s.awaitNew(ctx, over, q, streams)
	})
	if over == nil {
		return nil, link.ErrClosed
	}
	select {
	case <-done:
	case <-ctx.Done():
		s.endAwait(over, done)
	case <-s.conn.Closing:
		s.endAwait(over, done)
	}
	return work, err
}

// awaited are the streams of the agents; nil: one command cannot have them all.
func (s *Mailbox) awaited(agents []string) (streams []workStream) {
	if s.conn.Settings.Volatile || !s.conn.OneSlot() || len(agents)*len(s.conn.Keys.Parts) > MaxAwaited {
		return nil
	}
	for i := range s.conn.Keys.Parts {
		for _, agent := range agents {
			streams = append(streams, workStream{key: s.conn.Keys.Parts[i].Work + agent, agent: agent})
		}
	}
	return streams
}

// beginAwait reads in a goroutine that Close waits for; nil: it is closed.
func (s *Mailbox) beginAwait(read func(*awaitConn)) *awaitConn {
	a := &s.awaits
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil
	}
	if a.over == nil {
		client := link.Beside(s.conn.Client, awaitFor+s.conn.Settings.Timeout).(*redis.Client) // OneSlot says so
		a.over = &awaitConn{client: client, conn: client.Conn()}
	}
	over := a.over
	s.conn.Running.Go(func() { read(over) })
	return over
}

// endAwait has the server let go of a read, so that nothing is lost that it may have been
// given just then. A connection whose server does not answer is closed, and what that loses
// is late.
func (s *Mailbox) endAwait(over *awaitConn, done <-chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), s.conn.Settings.Timeout)
	defer cancel()
	for {
		if id := over.id.Load(); id != 0 && s.conn.Client.Do(ctx, "client", "unblock", id).Err() != nil {
			break
		}
		again := time.NewTimer(unblockPause)
		select {
		case <-done:
			again.Stop()
			return
		case <-ctx.Done():
		case <-again.C:
			continue
		}
		break
	}
	_ = over.client.Close()
	<-done
}

// awaitNew reads what is new, or comes within a while.
func (s *Mailbox) awaitNew(ctx context.Context, over *awaitConn, q store.WorkQuery, streams []workStream) ([]store.Work, error) {
	got, err := s.readBlocked(ctx, over, q, streams)
	if link.RefusedWith(err, "NOGROUP") || link.WrongType(err) {
		// No group has a stream that nobody has needed yet, and one that was removed
		// while it was waited for.
		if streams, err = s.makeGroups(ctx, streams); err == nil && len(streams) > 0 {
			got, err = s.readBlocked(ctx, over, q, streams)
		}
	}
	switch {
	case errors.Is(err, redis.Nil):
		return nil, nil
	case link.RefusedWith(err, "CROSSSLOT"):
		s.conn.Apart.Store(true)
		s.closeAwait()
		return nil, store.ErrCannotAwait
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil, nil
	case err != nil:
		s.closeAwait()
		return nil, link.Error("await work", err)
	}
	ctx = context.WithoutCancel(ctx) // what was given is to be looked at
	agents := map[string]string{}
	for _, st := range streams {
		agents[st.key] = st.agent
	}
	var work []store.Work
	for _, st := range got {
		work = append(work, s.delivered(ctx, st.Stream, agents[st.Stream], st.Messages)...)
	}
	work = once(work)
	if len(work) > q.Limit {
		_ = s.Return(ctx, work[q.Limit:]) // or it is late
		work = work[:q.Limit]
	}
	return work, nil
}

func (s *Mailbox) readBlocked(ctx context.Context, over *awaitConn, q store.WorkQuery, streams []workStream) ([]redis.XStream, error) {
	if over.id.Load() == 0 {
		ctx, cancel := context.WithTimeout(ctx, s.conn.Settings.Timeout)
		defer cancel()
		id, err := over.conn.ClientID(ctx).Result()
		if err != nil {
			return nil, err
		}
		over.id.Store(id)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	args := []any{"xreadgroup", "group", Workers, s.conn.Settings.Node, "count", max(q.Limit/len(streams), 1), "block", awaitFor.Milliseconds(), "streams"}
	for _, st := range streams {
		args = append(args, st.key)
	}
	for range streams {
		args = append(args, ">")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), awaitFor+s.conn.Settings.Timeout)
	defer cancel()
	cmd := redis.NewXStreamSliceCmd(ctx, args...)
	s.awaits.held.Store(&q.Agents)
	defer s.awaits.held.Store(nil)
	_ = over.conn.Process(ctx, cmd)
	return cmd.Result()
}

// makeGroups makes those that there are not, and leaves out what is no stream.
func (s *Mailbox) makeGroups(ctx context.Context, streams []workStream) (sound []workStream, err error) {
	keys, cmds := make([]string, len(streams)), make([]redis.Cmder, len(streams))
	for i, st := range streams {
		keys[i], cmds[i] = st.key, redis.NewStatusCmd(ctx, "xgroup", "create", st.key, Workers, "0", "mkstream")
	}
	for i, err := range link.AskAt(ctx, s.conn, keys, cmds) {
		switch {
		case err == nil || link.RefusedWith(err, "BUSYGROUP"):
			sound = append(sound, streams[i])
		case !link.WrongType(err):
			return nil, err
		}
	}
	return sound, nil
}

// closeAwait gives the connection up; the next call makes another.
func (s *Mailbox) closeAwait() {
	a := &s.awaits
	a.mu.Lock()
	over := a.over
	a.over = nil
	a.mu.Unlock()
	if over != nil {
		_ = over.conn.Close()
		_ = over.client.Close()
	}
}

// closeAwaits refuses further ones; the one under way ends.
func (s *Mailbox) closeAwaits() {
	s.awaits.mu.Lock()
	defer s.awaits.mu.Unlock()
	s.awaits.closed = true
}
