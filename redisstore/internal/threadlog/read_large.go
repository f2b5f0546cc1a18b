package threadlog

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// A large thread is read in pieces, so that none of them keeps the server from others. All are
// of one moment, that of the view: messages that are put behind the others meanwhile are left out. A stored snapshot
// begins as it did until something else becomes of its messages, and an event at a position is what it was.

const (
	PieceMessages = 1024      // of a large thread, with one script
	MessageBytes  = 512 << 10 // about, of these
	pieceEvents   = 4096      // of its log
	moveTries     = 8         // readings of a thread whose messages are changed meanwhile
)

// errMoved says that messages of a thread were changed while it was read.
var errMoved = fmt.Errorf("redisstore: read: %w: messages of the thread are changed while it is read", store.ErrMoved)

// readLarge reads a thread in pieces. One whose messages are changed during each try is errMoved: no script reads all
// of it, and a caller may ask again.
func (s *Reader) readLarge(ctx context.Context, t keyspace.Thread, q store.ReadQuery, ask func(window any) link.Call) (*store.ThreadView, error) {
	room := link.RoomOf(ctx)
	for range moveTries {
		r, err := s.conn.Run(ctx, ask(q.Window))
		if err != nil {
			return nil, err
		}
		r.Room = room
		v, w, err := s.readView(t, r, q, nil)
		if err == nil { // before it is trimmed
			err = s.readRest(ctx, t, v)
		}
		if err == nil && w != nil && q.Window == 0 {
			err = s.readPieces(ctx, t, v, w, q, room)
		}
		if !errors.Is(err, errMoved) {
			return v, err
		}
		room.Drop(0)
	}
	return nil, errMoved
}

// readPieces reads the messages of a view, while those that came before are unfolded.
func (s *Reader) readPieces(ctx context.Context, t keyspace.Thread, v *store.ThreadView, w *window, q store.ReadQuery, room *link.Room) error {
	if v.Snapshot.Messages == nil {
		return nil
	}
	if w.bytes <= PlainSnapshot {
		held := room.Held()
		plain := &plainPieces{s: s, t: t, view: v, w: w, chunks: w.first.chunk, left: w.all, most: plainMessages(w)}
		messages := newTogether(q.Head, int(w.all), room)
		err := gather(ctx, plain.next, func(p *piece) error {
			defer pieceTexts.Put(p)
			for _, value := range p.values {
				if err := add(messages, value); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			messages.put(&v.Snapshot, q)
			v.Snapshot.Older, v.Snapshot.Before = 0, ""
		}
		if !errors.Is(err, errBeside) {
			return err
		}
		room.Drop(held)
	}
	at, messages := orderPlace{max(w.first.chunk-1, 0), w.last, ""}, make([]json.RawMessage, 0, w.all)
	err := gather(ctx, func(ctx context.Context) (r *link.Reply, err error) {
		if at.chunk > 0 || at.offset > 0 {
			r, at, err = s.readPiece(ctx, t, v, w, at)
		}
		return r, err
	}, func(r *link.Reply) error {
		r.Room = room
		piece := readWindow(r, false)
		slices.Reverse(piece.messages)
		messages = append(messages, piece.messages...)
		return r.Err
	})
	if err != nil {
		return err
	}
	slices.Reverse(messages)
	v.Snapshot.Messages, v.Snapshot.Older, v.Snapshot.Before = messages, 0, ""
	return nil
}

// gather takes pieces, each while the next is read; nil: there are no more.
func gather[P any](ctx context.Context, next func(context.Context) (*P, error), take func(*P) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var failed error // once pieces is closed
	pieces := make(chan *P, 1)
	go func() {
		defer close(pieces)
		for {
			p, err := next(ctx)
			if p == nil || err != nil {
				failed = err
				return
			}
			select {
			case pieces <- p:
			case <-ctx.Done():
				failed = link.Error("read messages", ctx.Err())
				return
			}
		}
	}()
	var spoilt error
	for p := range pieces {
		if spoilt != nil {
			continue
		}
		if spoilt = take(p); spoilt != nil {
			cancel()
		}
	}
	return cmp.Or(spoilt, failed)
}

// readPiece reads the piece before a place, and where that begins.
func (s *Reader) readPiece(ctx context.Context, t keyspace.Thread, v *store.ThreadView, w *window, at orderPlace) (*link.Reply, orderPlace, error) {
	r, err := s.conn.Run(ctx, piecesCall(t, v, w, at))
	if err != nil {
		return nil, at, err
	}
	if r.Int() != messagesRead {
		return nil, at, cmp.Or(r.Err, errMoved)
	}
	ahead := *r
	next := orderPlace{ahead.Int(), ahead.Int(), ahead.Text()}
	if ahead.Err == nil && next == at {
		ahead.Spoil("no order of messages")
	}
	return r, next, ahead.Err
}

func piecesCall(t keyspace.Thread, v *store.ThreadView, w *window, before orderPlace) link.Call {
	return link.Call{Script: lua.Messages, Keys: []string{t.Rec(), t.Snap(), t.Producers()}, Args: lua.Args{{"epoch", v.Epoch}, {"moved", w.moved},
		{"chunk", before.chunk}, {"offset", before.offset}, {"id", before.id}, {"limit", PieceMessages}, {"first", 0}, {"room", MessageBytes}, {"by", ""}}}
}

// readRest reads what a view lacks of the log's end.
func (s *Reader) readRest(ctx context.Context, t keyspace.Thread, v *store.ThreadView) error {
	for !v.Recovered && v.From+int64(len(v.Log)) < v.Seq {
		at := v.From + int64(len(v.Log))
		res, err := s.readLog(ctx, t, v.Epoch, at+1, int(min(v.Seq-at, pieceEvents)))
		if err != nil {
			return err
		}
		if res.Status != store.RangeOK {
			return errMoved
		}
		if len(res.Events) == 0 {
			return fmt.Errorf("redisstore: read: %w: logged event %d", store.ErrCorrupted, at+1)
		}
		v.Log = append(v.Log, res.Events...)
	}
	return nil
}
