package redisstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/index"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
	"github.com/redis/go-redis/v9"
)

const (
	retireLooks    = 500 // threads that one call looks at
	retireTogether = 64  // threads whose scripts travel together

	// After a pass over many threads the next one waits a while for each, so that
	// passes take a few thousandths of the server's time.
	retireMany  = 10_000
	retirePause = time.Millisecond
)

// retention forgets what is past its time.
type retention struct {
	conn       *link.Connection
	deliveries *link.Deliveries
	quotas     *quotas
	opts       *Options
	retired    retirement
}

// retirement is how far a pass over the list of threads has come.
type retirement struct {
	mu      sync.Mutex
	part    int
	after   string // the member last looked at
	seen    int
	records time.Time // when notices and decisions were last looked at
	rests   time.Time // until then no other pass begins
}

// Retire implements store.Sweep. Calls go through all threads in turn, and a
// false answer ends a pass. A pass reads a few values of each thread, so that one
// over more than 10,000 is followed by a rest, of a second for 1,000 threads, in
// which calls do nothing. Nodes need not agree on who does it. A thread that cannot be
// retired is told as an error, and looked at again in the next pass: it holds up nothing
// behind it. A pass leaves out a master of a Cluster that does not answer.
func (s *retention) Retire(ctx context.Context) (more bool, err error) {
	more, err = s.retire(ctx)
	return more, errors.Join(err, s.retireRecords(ctx), s.retireMade(ctx))
}

func (s *retention) retire(ctx context.Context) (more bool, err error) {
	s.retired.mu.Lock()
	defer s.retired.mu.Unlock()
	at := &s.retired
	if time.Now().Before(at.rests) {
		return false, nil
	}
	for left := retireLooks; left > 0 && err == nil; {
		var members []string
		members, err = s.retirePage(ctx, &s.conn.Keys.Parts[at.part], at.after, left)
		at.seen += len(members)
		if len(members) == left {
			at.after = members[left-1]
			return true, err
		}
		left -= len(members)
		silent := s.conn.Keys.Parts[at.part]
		at.part, at.after = at.part+1, ""
		for members == nil && errors.Is(err, store.ErrOutcomeUnknown) && at.part < len(s.conn.Keys.Parts) && s.conn.SameMaster(&silent, &s.conn.Keys.Parts[at.part]) {
			at.part++ // each would take as long again
		}
		if at.part == len(s.conn.Keys.Parts) {
			if at.seen > retireMany {
				at.rests = time.Now().Add(time.Duration(at.seen) * retirePause)
			}
			at.part, at.seen = 0, 0
			return false, err
		}
	}
	return true, err
}

// retirePage retires what is due of the next threads of a partition, and returns
// their members in the list.
func (s *retention) retirePage(ctx context.Context, p *keyspace.Partition, after string, limit int) ([]string, error) {
	from := "[" + index.ThreadList
	if after != "" {
		from = "(" + after
	}
	cmd := redis.NewStringSliceCmd(ctx, "zrangebylex", p.Lists, from, "("+index.Beyond(index.ThreadList), "limit", 0, limit)
	if err := s.conn.Missing(link.Ask(ctx, s.conn, []*redis.StringSliceCmd{cmd})); err != nil {
		return nil, fmt.Errorf("redisstore: retire: %w", err)
	}
	members := cmd.Val()
	due, err := s.retireDue(ctx, p, members)
	for group := range slices.Chunk(due, retireTogether) {
		if ctx.Err() != nil {
			break
		}
		err = errors.Join(err, s.retireAll(ctx, group))
	}
	return members, err
}

// retireDue finds those of a partition's threads, given by their members in the
// list, of which something may be due.
func (s *retention) retireDue(ctx context.Context, p *keyspace.Partition, members []string) (due []store.ThreadKey, err error) {
	now := time.Now()
	if s.opts.Clock != nil {
		now = s.opts.Clock()
	}
	cmds := make([]*redis.SliceCmd, len(members))
	for i, m := range members {
		hash := m[max(len(m)-index.HashSize, 0):] // of what is no member, a key that is not there
		cmds[i] = redis.NewSliceCmd(ctx, "hmget", p.Base+hash+":rec", "thread", "look", "marks")
	}
	if err := s.conn.Missing(link.Ask(ctx, s.conn, cmds)); err != nil {
		return nil, fmt.Errorf("redisstore: retire: %w", err)
	}
	for i, cmd := range cmds {
		if len(members[i]) != index.ThreadSize {
			err = fmt.Errorf("redisstore: retire: %s holds what is no member", p.Lists)
			continue
		}
		v := cmd.Val()
		member, _ := v[0].(string)
		look, _ := v[1].(string)
		marks, _ := v[2].(string)
		used := index.Forever - index.Unstamp(members[i][index.ThreadSize-index.HashSize-index.StampSize:index.ThreadSize-index.HashSize])
		if key, ok := keyspace.ThreadOf(member); ok && s.mayRetire(now.UnixMilli(), used, look, marks) {
			due = append(due, key)
		}
	}
	return due, err
}

// lookAfter is how much longer than they must things may be kept in a thread that
// is in use, in ms.
func (s *retention) lookAfter() int64 {
	return max(min(s.opts.Keep/8, s.opts.RetainAge).Milliseconds(), 1)
}

// mayRetire reports whether there may be something to retire of a thread that was
// last used at a time. look says when there is; where it is not known, the log's
// first mark says how old the log is. Times are Unix ms.
func (s *retention) mayRetire(now, used int64, look, marks string) bool {
	if s.opts.ThreadTTL > 0 && now-used >= s.opts.ThreadTTL.Milliseconds() {
		return true
	}
	if look != "" {
		at, err := strconv.ParseInt(look, 10, 64)
		return err != nil || at > 0 && at <= now
	}
	if len(marks) >= index.StampSize {
		used = index.Unstamp(marks[:index.StampSize])
	}
	return now-used >= s.opts.RetainAge.Milliseconds()
}

// retireAll retires threads beside each other, each in as many steps as it takes,
// unless one of them fails.
func (s *retention) retireAll(ctx context.Context, threads []store.ThreadKey) error {
	return s.retireFrom(ctx, threads, make([]string, len(threads)))
}

// trimmed takes from a log what a decision has left to take. What fails is left to the thread's next
// decision, or to Retire.
func (s *retention) trimmed(ctx context.Context, key store.ThreadKey) {
	_ = s.retireFrom(ctx, []store.ThreadKey{key}, []string{"t"})
}

func (s *retention) retireFrom(ctx context.Context, threads []store.ThreadKey, cursors []string) (err error) {
	for len(threads) > 0 {
		calls := make([]link.Call, len(threads))
		for i, key := range threads {
			t := s.conn.Keys.Thread(key)
			calls[i] = link.Call{Script: lua.Retire, Keys: t.All(), Args: lua.Args{
				{"member", t.Member}, {"retain", s.opts.Retain}, {"bytes", s.opts.RetainBytes}, {"age", s.opts.RetainAge.Milliseconds()}, {"keep", s.opts.Keep.Milliseconds()},
				{"ttl", s.opts.ThreadTTL.Milliseconds()}, {"remember", remember.Milliseconds()},
				{"cursor", cmp.Or(cursors[i], "0")}, {"look", s.lookAfter()},
			}}
		}
		replies, errs := s.conn.RunAll(ctx, calls)
		var left []store.ThreadKey
		var at []string
		for i, r := range replies {
			if errs[i] != nil {
				err = errors.Join(err, fmt.Errorf("redisstore: retire thread %q of namespace %q: %w", threads[i].Thread, threads[i].Namespace, errs[i]))
				continue
			}
			cursor, epoch, owner := r.Text(), r.Text(), r.Text()
			if r.Err != nil {
				err = errors.Join(err, r.Err)
				continue
			}
			s.deliveries.Forgotten(threads[i], epoch)
			s.quotas.disown(ctx, threads[i], owner)
			if epoch != "" {
				err = errors.Join(err, s.gone(ctx, threads[i], erased))
			}
			if cursor != "0" {
				left, at = append(left, threads[i]), append(at, cursor)
			}
		}
		threads, cursors = left, at
	}
	return err
}
