package follow

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/aguiws/aguiws/adapter/store"
)

// slowReads is a store whose reads end when they are let.
type slowReads struct {
	Store
	begun atomic.Int64
	let   chan error
}

func (s *slowReads) Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	n := s.begun.Add(1)
	select {
	case err := <-s.let:
		return &store.ThreadView{Thread: key, Epoch: "e", Seq: n}, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func TestFollowersOfALargeThreadShareAReadThatBeginsAfterTheyAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &slowReads{let: make(chan error)}
		large := &largeThreads{store: st, threads: map[largeKey]*largeThread{}}
		got := make(chan int64, 100)
		attach := func(ctx context.Context, thread string) {
			go func() {
				a, err := large.attach(ctx, store.ThreadKey{Thread: thread}, 0)
				if err != nil {
					got <- -1
					return
				}
				got <- a.Position.Seq
			}()
		}
		expect := func(viewers int, read int64) {
			t.Helper()
			synctest.Wait()
			if len(got) != viewers {
				t.Errorf("%d viewers have been answered, not %d", len(got), viewers)
			}
			for range len(got) {
				if seq := <-got; seq != read {
					t.Errorf("answered by read %d, not %d", seq, read)
				}
			}
		}
		attach(t.Context(), "a")
		synctest.Wait()
		for range 59 {
			attach(t.Context(), "a")
		}
		synctest.Wait()
		st.let <- nil
		expect(1, 1)
		st.let <- nil
		expect(59, 2)
		if len(large.threads) != 0 {
			t.Error("a thread is kept that nobody reads")
		}

		// A failure is told to those who share it, and to nobody else.
		attach(t.Context(), "a")
		synctest.Wait()
		attach(t.Context(), "a")
		synctest.Wait()
		st.let <- errors.New("no")
		expect(1, -1)
		st.let <- nil
		expect(1, 4)

		// A read ends with the last who wanted it, one that has not begun too.
		ctx, leave := context.WithCancel(t.Context())
		attach(ctx, "a")
		synctest.Wait()
		attach(ctx, "a")
		synctest.Wait()
		leave()
		expect(2, -1)
		attach(t.Context(), "a")
		synctest.Wait()
		st.let <- nil
		expect(1, st.begun.Load())
		if len(large.threads) != 0 {
			t.Error("a thread is kept that nobody reads")
		}
	})
}
