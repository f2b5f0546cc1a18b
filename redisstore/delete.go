package redisstore

import (
	"context"
	"time"

	"github.com/aguiws/aguiws/adapter"
)

// remember is for how long a deleted thread's version is not used again: longer
// than any call can be on its way.
const remember = 24 * time.Hour

// Delete implements adapter.Index. Who follows the thread hears at once that its
// log has begun again.
func (s *Store) Delete(ctx context.Context, key adapter.ThreadKey) (bool, error) {
	t := s.keys.thread(key)
	r, err := s.run(ctx, call{deleteScript, t.all(), []any{t.member, remember.Milliseconds()}})
	if err != nil {
		return false, err
	}
	deleted, epoch := r.bool(), r.string()
	if epoch != "" {
		s.deliver(adapter.Delivery{Thread: key, Kind: adapter.DeliverEvents, Epoch: epoch, First: 1})
	}
	return deleted, r.err
}
