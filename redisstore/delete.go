package redisstore

import (
	"context"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// remember is for how long a deleted thread's version is not used again: longer
// than any call can be on its way.
const remember = 24 * time.Hour

// Delete implements store.Threads. Who follows the thread hears at once that its
// log has begun again.
func (s *Store) Delete(ctx context.Context, key store.ThreadKey) (bool, error) {
	return s.forget(ctx, key, forgetResting)
}

// Erase implements store.Threads.
func (s *Store) Erase(ctx context.Context, key store.ThreadKey) error {
	if _, err := s.forget(ctx, key, forgetAny); err != nil {
		return err
	}
	return s.gone(ctx, key, erased)
}

// The threads that forget is for, as delete.lua has them.
const (
	forgetResting = iota
	forgetAny
	forgetDoomed
	forgetUnused
)

func (s *retention) forget(ctx context.Context, key store.ThreadKey, which int) (bool, error) {
	t := s.keys.thread(key)
	r, err := s.run(ctx, call{script: deleteScript, keys: t.all(),
		args: args{{"member", t.member}, {"remember", remember.Milliseconds()}, {"force", which}}})
	if err != nil {
		return false, err
	}
	deleted := r.bool()
	s.forgotten(key, r.string())
	s.disown(ctx, key, r.string())
	return deleted, r.err
}

// forgotten tells this node that a thread was forgotten and its log begins again; the
// script tells the others.
func (s *deliveries) forgotten(key store.ThreadKey, epoch string) {
	if epoch != "" {
		s.deliver(store.Delivery{Thread: key, Kind: store.DeliverEvents, Epoch: epoch, First: 1})
	}
}
