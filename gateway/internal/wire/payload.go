package wire

import (
	"bytes"
	"io"
	"sync"
)

// Payload is a request's body. It is let go of when it has been sent: the answer may take
// an hour, and the transport holds the request for as long.
type Payload struct {
	n int64

	mu    sync.Mutex
	bytes []byte
	open  int  // readers that are not closed
	done  bool // no more readers are asked for
}

// NewPayload returns the body that is a text.
func NewPayload(text []byte) *Payload { return &Payload{n: int64(len(text)), bytes: text} }

// Size is how many bytes it has.
func (p *Payload) Size() int64 { return p.n }

// Reader reads it from the beginning. The caller closes the reader.
func (p *Payload) Reader() io.ReadCloser {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open++
	return &payloadReader{of: p, left: bytes.NewReader(p.bytes)}
}

// Sent says that the answer has begun, or that there will be none.
func (p *Payload) Sent() { p.close(0, true) }

func (p *Payload) close(readers int, done bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open -= readers
	p.done = p.done || done
	if p.done && p.open == 0 {
		p.bytes = nil
	}
}

type payloadReader struct {
	of   *Payload
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
