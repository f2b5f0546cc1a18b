package operate

import (
	"context"

	"github.com/aguiws/aguiws/adapter/store"
)

// Payload tells of a payload of a thread; nil: it has none of that digest.
func (ts *threads) Payload(ctx context.Context, key store.ThreadKey, digest string) (*store.PayloadInfo, error) {
	return ts.Store.Payload(ctx, key, digest)
}

// ReadPayload returns a piece of a payload of a thread; nil: it is not there any more.
func (ts *threads) ReadPayload(ctx context.Context, key store.ThreadKey, digest string, piece int) ([]byte, error) {
	return ts.Store.ReadPayload(ctx, key, digest, piece)
}
