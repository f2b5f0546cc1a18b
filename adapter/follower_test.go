package adapter_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/adapter"
)

// doubtful is a store that may lose deliveries while it is asked for ends.
type doubtful struct {
	adapter.Store
	deliver func(adapter.Delivery)
	asked   atomic.Int32
	tails   chan struct{}
}

func (s *doubtful) Listen(deliver func(adapter.Delivery)) {
	s.deliver = deliver
	s.Store.Listen(deliver)
}

func (s *doubtful) Tail(ctx context.Context, keys []adapter.ThreadKey) ([]adapter.Position, error) {
	ends, err := s.Store.Tail(ctx, keys)
	if s.asked.Add(1) == 1 {
		s.deliver(adapter.Delivery{Kind: adapter.DeliverLost})
	}
	select {
	case s.tails <- struct{}{}:
	default:
	}
	return ends, err
}

// Deliveries that are lost while ends are being compared make them be compared
// once more.
func TestDoubtWhileVerifying(t *testing.T) {
	store := &doubtful{tails: make(chan struct{}, 2)}
	l := newLabOn(t, func(s adapter.Store) adapter.Store { store.Store = s; return store }, asker(confirmation("?")))
	store.deliver(adapter.Delivery{Kind: adapter.DeliverLost})
	await(l, store.tails)
	await(l, store.tails)
}
