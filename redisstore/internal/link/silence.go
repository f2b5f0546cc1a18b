package link

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
)

const (
	// doubtFor is how long a master of a Cluster may take to answer a ping, once a call
	// has waited for it in vain, until it is taken for silent.
	doubtFor = 500 * time.Millisecond
	// pingPause is between pings of a silent master.
	pingPause = 100 * time.Millisecond
)

// errSilent is said at once in place of an answer.
var errSilent = fmt.Errorf("redisstore: %w: the master does not answer, and is not asked until it does", store.ErrOutcomeUnknown)

// silences are the masters of a Cluster that do not answer. Calls that go to several
// masters, or count for somebody, leave these out: waiting for them anew in each call
// would slow down whatever the other masters have. The calls of a thread go to its master
// all the same.
type silences struct {
	some atomic.Bool // there may be silent ones

	mu     sync.Mutex
	of     map[*redis.Client]bool // those that are pinged; true: in vain so far
	closed bool
}

// Silent reports whether the key's master is known not to answer.
func (s *Connection) Silent(key string) bool {
	return s.silences.some.Load() && s.silences.has(s.Master(key))
}

func (q *silences) has(master *redis.Client) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.of[master]
}

// unheard takes in errors of calls to a master, and pings it when one of them had no answer.
func (s *Connection) unheard(master *redis.Client, errs ...error) {
	for _, err := range errs {
		if master != nil && unanswered(err) {
			s.doubt(master)
			return
		}
	}
}

// unanswered reports whether an error says that no server has answered.
func unanswered(err error) bool {
	var answer redis.Error
	return err != nil && errors.Is(err, store.ErrOutcomeUnknown) && !errors.As(err, &answer) && !errors.Is(err, context.Canceled)
}

func (s *Connection) doubt(master *redis.Client) {
	q := &s.silences
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, known := q.of[master]; known || q.closed {
		return
	}
	if q.of == nil {
		q.of = map[*redis.Client]bool{}
	}
	q.of[master] = false
	s.Running.Go(func() { s.ping(master) })
}

// ping pings a master, over a connection of its own, until it answers, is none any more, or the store
// closes.
func (s *Connection) ping(master *redis.Client) {
	options := *master.Options()
	options.PoolSize, options.MinIdleConns = 1, 0
	client := redis.NewClient(&options)
	defer client.Close()
	defer s.silences.set(master, false, true)
	for patience := doubtFor; s.isMaster(master); patience = s.Settings.Timeout {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		err := client.Ping(ctx).Err()
		cancel()
		var answer redis.Error
		if err == nil || errors.As(err, &answer) {
			return
		}
		s.silences.set(master, true, false)
		pause := time.NewTimer(pingPause)
		select {
		case <-pause.C:
		case <-s.Closing:
			pause.Stop()
			return
		}
	}
}

// isMaster reports whether a partition's keys are at the master.
func (s *Connection) isMaster(master *redis.Client) bool {
	for i := range s.Keys.Parts {
		if s.Master(s.Keys.Parts[i].Leases) == master {
			return true
		}
	}
	return false
}

func (q *silences) set(master *redis.Client, silent, over bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.of[master] = silent
	if over {
		delete(q.of, master)
	}
	some := false
	for _, silent := range q.of {
		some = some || silent
	}
	q.some.Store(some)
}

func (q *silences) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
}
