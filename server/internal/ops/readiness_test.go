package ops

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// However many ask, one question a second is put, and all have its answer.
func TestReadinessIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var y Readiness
		var asked atomic.Int32
		no := errors.New("no")
		ready := func(context.Context) error {
			time.Sleep(100 * time.Millisecond)
			if asked.Add(1) > 2 {
				return no
			}
			return nil
		}
		for second := range 4 {
			var all sync.WaitGroup
			for range 100 {
				all.Go(func() {
					if err := y.Ask(context.Background(), ready); errors.Is(err, no) != (second >= 2) {
						t.Errorf("second %d: %v", second, err)
					}
				})
			}
			all.Wait()
			if n := int(asked.Load()); n != second+1 {
				t.Errorf("second %d: asked %d times", second, n)
			}
			time.Sleep(readyFor)
		}
	})
}

// Who asks waits neither for ever nor for who has gone.
func TestReadinessIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var y Readiness
		began := time.Now()
		deaf, wake := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(deaf)
			y.Ask(context.Background(), func(context.Context) error { <-wake; return nil })
		}()
		synctest.Wait()
		if err := y.Ask(context.Background(), nil); err == nil || time.Since(began) > readyTimeout {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		if err := y.Ask(gone, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		close(wake)
		<-deaf
		// The first to ask goes away while the store is asked: the others still hear.
		time.Sleep(readyFor)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := y.Ask(ctx, func(ctx context.Context) error { return ctx.Err() }); err != nil {
			t.Errorf("got %v", err)
		}
	})
}
