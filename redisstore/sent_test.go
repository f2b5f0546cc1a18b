package redisstore

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// heldUp holds a process's calls up, and counts them.
type heldUp struct {
	calls  int
	called chan struct{}
	goOn   chan struct{}
}

func (h *heldUp) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h *heldUp) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		h.calls++
		h.called <- struct{}{}
		<-h.goOn
		return next(ctx, cmd)
	}
}

func (h *heldUp) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// Batches of runs that leave while the store is silent go nowhere, and hold nobody up.
func TestBatchesOfWhoHasLeftAreNotSent(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: 1})
	var claims []store.Claim
	for n := range 40 {
		b := inline(0, "r")
		b.Thread.Thread = fmt.Sprint("t", n)
		claims = append(claims, begin(t, s, b))
	}
	hold := &heldUp{called: make(chan struct{}, len(claims)), goOn: make(chan struct{})}
	s.conn.Client.(*redis.Client).AddHook(hold)
	answers := make([]chan error, len(claims))
	send := func(ctx context.Context, n int) {
		t.Helper()
		answers[n] = make(chan error, 1)
		batch := store.Batch{Claim: claims[n], Number: 2, Expect: 1, Events: [][]byte{make([]byte, 200<<10)}}
		if !s.Send(ctx, batch, func(_ store.CommitResult, err error) { answers[n] <- err }) {
			t.Fatal("a batch is refused")
		}
	}
	send(t.Context(), 0)
	<-hold.called
	ctx, leave := context.WithCancel(t.Context())
	last := len(claims) - 1
	for n := 1; n < last; n++ {
		send(ctx, n)
	}
	send(t.Context(), last)
	leave()
	close(hold.goOn)
	for n, answer := range answers {
		if err := <-answer; errors.Is(err, context.Canceled) != (n > 0 && n < last) {
			t.Errorf("batch %d: %v", n, err)
		}
	}
	if hold.calls != 2 {
		t.Errorf("%d scripts went out", hold.calls)
	}
}
