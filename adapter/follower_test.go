package adapter_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
)

// doubtful is a store that may lose deliveries while it is asked for ends.
type doubtful struct {
	store.Store
	deliver func(store.Delivery)
	asked   atomic.Int32
	tails   chan struct{}
}

func (s *doubtful) Listen(deliver func(store.Delivery)) {
	s.deliver = deliver
	s.Store.Listen(deliver)
}

func (s *doubtful) Tail(ctx context.Context, keys []store.ThreadKey) ([]store.Position, error) {
	ends, err := s.Store.Tail(ctx, keys)
	if s.asked.Add(1) == 1 {
		s.deliver(store.Delivery{Kind: store.DeliverLost})
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
	st := &doubtful{tails: make(chan struct{}, 2)}
	l := newLabOn(t, func(s store.Store) store.Store { st.Store = s; return st }, asker(confirmation("?")))
	st.deliver(store.Delivery{Kind: store.DeliverLost})
	await(l, st.tails)
	await(l, st.tails)
}
