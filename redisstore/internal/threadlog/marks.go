package threadlog

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
)

// An event that says the messages of the snapshot that is stored with it is as long as
// its thread, and the log has a mark in its place. The worker that carries the run has the
// bytes, and gives them to those who follow on its node. A reader of the mark makes them
// from the snapshot; when that has moved on, what stands up to the mark is as good as
// trimmed.

// markFrom is from how many bytes on an event is marked. A shorter one is kept, so that
// who comes back to a short thread finds all of it.
const markFrom = 16 << 10

// Mark is what the log holds for the event that the batch's end says the snapshot can
// make anew; nil: the event itself.
func Mark(b store.Batch, large int) []byte {
	tells := b.End.Tells
	if tells == nil || len(b.Events) < 2 || b.End.Snapshot == nil {
		return nil
	}
	e := b.Events[len(b.Events)-2]
	if len(e) < min(markFrom, large) || tells.Head < 0 || tells.Tail < 0 || tells.Head+tells.Tail > len(e) {
		return nil
	}
	return link.Pack([]byte(link.SnapshotMark), e[:tells.Head], e[len(e)-tells.Tail:])
}

// told is the event at a position of which the log has a mark; nil: it cannot be made any
// more.
func (s *Reader) told(ctx context.Context, key store.ThreadKey, at store.Position, mark []byte) ([]byte, error) {
	e, made, err := s.cache.Made.begin(ctx, key, at)
	if e != nil || err != nil {
		return e, err
	}
	defer made()
	parts, err := link.Unpack(strings.TrimPrefix(string(mark), link.SnapshotMark))
	if err != nil || len(parts) != 2 {
		return nil, fmt.Errorf("redisstore: range: %w: logged event %d", store.ErrCorrupted, at.Seq)
	}
	view, err := s.Read(ctx, key, store.ReadQuery{})
	if err != nil {
		return nil, err
	}
	if view.Epoch != at.Epoch || view.Snapshot.At != at.Seq+1 {
		return nil, nil
	}
	var text bytes.Buffer
	text.WriteString(parts[0])
	for i, m := range view.Snapshot.Messages {
		if i > 0 {
			text.WriteByte(',')
		}
		text.Write(m)
	}
	text.WriteString(parts[1])
	s.cache.Made.Put(key, at, text.Bytes())
	return text.Bytes(), nil
}

// madeBytes bounds the events that are kept for who reads the same mark next.
const madeBytes = 32 << 20

// madeEvents are events that were made, or are known, of which logs have marks. The event
// at a position of an epoch never changes.
type madeEvents struct {
	mu    sync.Mutex
	order []madeAt // the oldest first
	at    map[madeAt][]byte
	bytes int
	now   map[madeAt]chan struct{} // being made; closed afterwards
}

type madeAt struct {
	thread store.ThreadKey
	at     store.Position
}

// begin is the event if there is one, or else the right to make it, which made gives back.
// Others that come meanwhile wait, so that a thread is not read for each of those who come
// back to it at once.
func (m *madeEvents) begin(ctx context.Context, key store.ThreadKey, at store.Position) (e []byte, made func(), err error) {
	k := madeAt{key, at}
	for {
		m.mu.Lock()
		e, others := m.at[k], m.now[k]
		if e == nil && others == nil {
			if m.now == nil {
				m.now = map[madeAt]chan struct{}{}
			}
			mine := make(chan struct{})
			m.now[k] = mine
			m.mu.Unlock()
			return nil, func() { m.made(k, mine) }, nil
		}
		m.mu.Unlock()
		if e != nil {
			return e, nil, nil
		}
		select {
		case <-others:
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("redisstore: range: %w: other readers came first: %w", store.ErrOutcomeUnknown, ctx.Err())
		}
	}
}

func (m *madeEvents) made(k madeAt, mine chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.now, k)
	close(mine)
}

// Put keeps the event at a position.
func (m *madeEvents) Put(key store.ThreadKey, at store.Position, e []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := madeAt{key, at}
	if m.at[k] != nil || len(e) > madeBytes {
		return
	}
	if m.at == nil {
		m.at = map[madeAt][]byte{}
	}
	m.at[k], m.order, m.bytes = e, append(m.order, k), m.bytes+len(e)
	for m.bytes > madeBytes {
		m.bytes -= len(m.at[m.order[0]])
		delete(m.at, m.order[0])
		m.order = m.order[1:]
	}
}
