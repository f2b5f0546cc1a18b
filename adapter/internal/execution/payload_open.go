package execution

import (
	"context"
	"io"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/store"
)

func (l *line) PutPayload(ctx context.Context, value io.Reader, options adapter.PayloadOptions) (adapter.Payload, error) {
	ctx, cancel := l.x.within(ctx)
	defer cancel()
	return putPayload(ctx, l.x.node, l.x.Claim.Thread, value, options)
}

func (l *line) OpenPayload(ctx context.Context, ref string) (io.Reader, error) {
	thread, digest, ok := adapter.ParsePayloadRef(ref)
	if !ok || thread != l.x.Claim.Thread.Thread {
		return nil, adapter.ErrNoPayload
	}
	n, key := l.x.node, l.x.Claim.Thread
	info, err := retry.Do(ctx, func() (*store.PayloadInfo, error) { return n.Store.Payload(ctx, key, digest) })
	switch {
	case err != nil:
		return nil, err
	case info == nil:
		return nil, adapter.ErrNoPayload
	case info.Gone:
		return nil, adapter.ErrPayloadExpired
	}
	return &payloadReader{left: info.Size, next: func(i int) ([]byte, error) {
		return retry.Do(ctx, func() ([]byte, error) { return n.Store.ReadPayload(ctx, key, digest, i) })
	}}, nil
}

// payloadReader reads one piece after the other.
type payloadReader struct {
	next  func(piece int) ([]byte, error)
	at    int
	piece []byte
	left  int64
}

func (p *payloadReader) Read(b []byte) (int, error) {
	if len(p.piece) == 0 {
		if p.left <= 0 {
			return 0, io.EOF
		}
		piece, err := p.next(p.at)
		if err == nil && len(piece) == 0 {
			err = adapter.ErrPayloadExpired
		}
		if err != nil {
			return 0, err
		}
		p.piece, p.at = piece, p.at+1
	}
	n := copy(b, p.piece)
	p.piece, p.left = p.piece[n:], p.left-int64(n)
	return n, nil
}
