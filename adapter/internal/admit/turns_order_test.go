package admit

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
)

func TestTurnsComeInOrderAndOnlyToThoseWhoStillWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ts := NewTurns(nil)
		a, b := store.ThreadKey{Thread: "a"}, store.ThreadKey{Thread: "b"}
		give, _, _ := ts.Take(t.Context(), a)
		var order []int
		left, leave := context.WithCancel(t.Context())
		for i := range 5 {
			go func() {
				ctx := t.Context()
				if i == 2 {
					ctx = left
				}
				give, _, err := ts.Take(ctx, a)
				if err != nil {
					if !errors.Is(err, store.ErrOutcomeUnknown) || !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
					return
				}
				order = append(order, i)
				give()
			}()
			synctest.Wait()
		}
		other, _, err := ts.Take(t.Context(), b)
		if err != nil {
			t.Fatal("one thread waits for another: ", err)
		}
		other()
		leave()
		synctest.Wait()
		give()
		synctest.Wait()
		if !slices.Equal(order, []int{0, 1, 3, 4}) {
			t.Errorf("the turns came in the order %v", order)
		}
		if len(ts.threads) != 0 {
			t.Errorf("%d threads are kept that nobody asks for", len(ts.threads))
		}
	})
}

func TestTurnsAreRefusedWhenTooManyWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ts, key := NewTurns(nil), store.ThreadKey{Thread: "a"}
		give, _, _ := ts.Take(t.Context(), key)
		for range maxTurns - 1 {
			go func() {
				give, _, _ := ts.Take(t.Context(), key)
				give()
			}()
		}
		synctest.Wait()
		if _, refusal, _ := ts.Take(t.Context(), key); refusal == nil || refusal.Code != adapter.CodeThreadBusy {
			t.Errorf("one too many got %+v", refusal)
		}
		give()
		synctest.Wait()
		if len(ts.threads) != 0 {
			t.Error("a thread is kept that nobody asks for")
		}
	})
}

func TestTurnsEndWithTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quiet := make(chan struct{})
		ts, key := NewTurns(quiet), store.ThreadKey{Thread: "a"}
		give, _, _ := ts.Take(t.Context(), key)
		go func() {
			if _, refusal, _ := ts.Take(t.Context(), key); refusal == nil || refusal.Code != adapter.CodeServerDraining {
				t.Errorf("who waited got %+v", refusal)
			}
		}()
		synctest.Wait()
		close(quiet)
		synctest.Wait()
		give()
		if len(ts.threads) != 0 {
			t.Error("a thread is kept that nobody asks for")
		}
	})
}

func TestWhoLosesIsToldSoOnlyAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, lost := time.Now(), Losses{}
		for lost.Again(t.Context()) {
		}
		if took := time.Since(began); took < maxLost || took > maxLost+time.Second {
			t.Errorf("after %v", took)
		}
		if lost.n < 500 {
			t.Errorf("after %d tries", lost.n)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if again := (&Losses{}); again.Again(ctx) {
			t.Error("it goes on for nobody")
		}
	})
}
