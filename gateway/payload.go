package gateway

import (
	"bytes"
	"io"
	"sync"
)

// payload is a request's body. It is let go of when it has been sent: the answer may take
// an hour, and the transport holds the request for as long.
type payload struct {
	n int64

	mu    sync.Mutex
	bytes []byte
	open  int  // readers that are not closed
	done  bool // no more readers are asked for
}

func newPayload(text []byte) *payload { return &payload{n: int64(len(text)), bytes: text} }

func (p *payload) size() int64 { return p.n }

func (p *payload) reader() io.ReadCloser {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open++
	return &payloadReader{of: p, left: bytes.NewReader(p.bytes)}
}

// sent says that the answer has begun, or that there will be none.
func (p *payload) sent() { p.close(0, true) }

func (p *payload) close(readers int, done bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open -= readers
	p.done = p.done || done
	if p.done && p.open == 0 {
		p.bytes = nil
	}
}

type payloadReader struct {
	of   *payload
	mu   sync.Mutex
	left *bytes.Reader // nil: closed
}

func (r *payloadReader) Read(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left == nil {
		return 0, io.EOF
	}
	return r.left.Read(b)
}

func (r *payloadReader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left != nil {
		r.left = nil
		r.of.close(1, false)
	}
	return nil
}
