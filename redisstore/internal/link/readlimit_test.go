package link

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// queue lets calls wait for turns and notes in what order they go.
type queue struct {
	t     *testing.T
	limit *ReadLimit

	mu   sync.Mutex
	went []string // sorted among those that went at once
	seen int
}

// call waits for a turn, and is noted when it has come.
func (q *queue) call(thread string, bytes int64) {
	go func() {
		if err := q.limit.Take(q.t.Context(), thread, bytes); err == nil {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.went = append(q.went, thread)
		}
	}()
	synctest.Wait()
}

func (q *queue) give(thread string, bytes int64) {
	q.limit.Give(thread, bytes)
	synctest.Wait()
}

func (q *queue) order(want string) {
	q.t.Helper()
	q.mu.Lock()
	defer q.mu.Unlock()
	slices.Sort(q.went[q.seen:])
	q.seen = len(q.went)
	if got := strings.Join(q.went, " "); got != want {
		q.t.Errorf("went %s, not %s", got, want)
	}
}

func TestThreadsTakeTurnsHoweverManyCallsWaitForEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{t: t, limit: newReadLimit(2, 1, 100)}
		for range 5 {
			q.call("many", 1)
		}
		for _, thread := range []string{"a", "b", "b"} {
			q.call(thread, 1)
		}
		q.order("a many") // and many waits beside a place that is free
		q.give("a", 1)
		q.order("a many b")
		q.give("many", 1)
		q.order("a many b many")
		q.give("b", 1)
		q.order("a many b many b")
		q.give("b", 1)
		for range 4 {
			q.give("many", 1)
		}
		q.order("a many b many b many many many")
		if len(q.limit.waiting)+len(q.limit.under)+q.limit.order.Len()+q.limit.taken+int(q.limit.used) != 0 {
			t.Errorf("left: %+v", q.limit)
		}
	})
}

func TestLargeCallsGoWhenThereIsRoomAndHoldUpThoseBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{t: t, limit: newReadLimit(4, 1, 100)}
		q.call("a", 60)
		q.call("b", 60)
		q.call("c", 50)
		q.order("a")
		q.give("a", 60)
		q.order("a b")
		q.call("d", 60)
		q.call("e", 1)
		q.give("b", 60)
		q.order("a b c")
		q.give("c", 50)
		q.order("a b c d e")
		q.call("huge", 1_000)
		q.call("f", 1)
		q.give("d", 60)
		q.order("a b c d e")
		q.give("e", 1)
		q.order("a b c d e huge")
		q.give("huge", 1_000)
		q.order("a b c d e huge f")
		q.give("f", 1)
	})
}

func TestWhoWaitsTooLongLeavesThePlaceToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{t: t, limit: newReadLimit(1, 1, 100)}
		q.call("a", 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		err := q.limit.Take(ctx, "b", 1)
		if !errors.Is(err, store.ErrOutcomeUnknown) || !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		for i := range 3 {
			q.call(fmt.Sprint("c", i), 1)
		}
		q.give("a", 1)
		q.order("a c0")
		q.give("c0", 1)
		q.give("c1", 1)
		q.order("a c0 c1 c2")
	})
}
