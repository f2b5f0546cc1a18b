package store

import (
	"context"
	"errors"
	"time"
)

// PayloadPiece is how many bytes each piece of a payload has, but the last.
const PayloadPiece = 256 << 10

// MaxPayloads is how many payloads a thread may have.
const MaxPayloads = 1000

// PayloadGrace is how long a payload is kept of which nobody knows whether its thread
// refers to it.
const PayloadGrace = time.Hour

var (
	// ErrPayloadLost says that pieces of a payload have not come, or were forgotten before
	// it was kept: it is put again from its first piece.
	ErrPayloadLost = errors.New("store: pieces of the payload are not there")
	// ErrPayloadQuota says that a thread or a namespace has no room for a payload.
	ErrPayloadQuota = errors.New("store: there is no room for the payload")
)

// Payloads are large values of threads, kept beside what refers to them, each once in a
// thread by the digest of its bytes. They go with their thread.
type Payloads interface {
	// PutPayloadPiece keeps a piece of what is under way under a name of the caller's, which
	// is forgotten PayloadGrace after its latest piece. The same piece may be put again.
	PutPayloadPiece(ctx context.Context, key ThreadKey, upload string, piece int, data []byte) error
	// KeepPayload makes what was put under a name a payload of the thread, which must be in
	// use. One of that digest that is there already stays, for the longer of the two times.
	KeepPayload(ctx context.Context, key ThreadKey, upload string, p NewPayload) (PayloadInfo, error)
	// Payload tells of a payload; nil: the thread has none of that digest.
	Payload(ctx context.Context, key ThreadKey, digest string) (*PayloadInfo, error)
	// ReadPayload returns a piece of a payload; nil: it is not there any more.
	ReadPayload(ctx context.Context, key ThreadKey, digest string, piece int) ([]byte, error)
	// DuePayloads forgets some of what has expired, and returns those of which it is to be
	// found out whether anything refers to them. It returns them again later, unless SettlePayload was told.
	DuePayloads(ctx context.Context) (due []DuePayload, more bool, err error)
	// SettlePayload is told what was found out: a payload that nothing refers to is
	// forgotten, if it was not put again meanwhile.
	SettlePayload(ctx context.Context, p DuePayload, referred bool) error
}

// NewPayload is what KeepPayload is given.
type NewPayload struct {
	Digest string // of all bytes: SHA-256 in hexadecimal digits
	Size   int64
	Type   string        // media type
	Name   string        // of a file; may be empty
	Keep   time.Duration // 0: as long as the thread
	// Thread and Namespace are how many bytes all payloads of the thread and of the
	// namespace may have; 0: no limit. The limit of the namespace may be passed by payloads
	// that are put at the same time.
	Thread, Namespace int64
}

// PayloadInfo is what is known of a payload.
type PayloadInfo struct {
	Digest  string
	Size    int64
	Type    string
	Name    string
	Created time.Time
	Expires time.Time // zero: with the thread
	Gone    bool      // it has expired
}

// DuePayload is a payload of which it is to be found out whether its thread refers to it.
type DuePayload struct {
	Thread ThreadKey
	Digest string
	Staged int64 // tells it apart from the same one put again
	// Live: the thread has an execution that may go on, as of a dead letter, and what
	// this has recorded may refer to it.
	Live bool
}
