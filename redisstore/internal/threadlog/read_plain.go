package threadlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
)

// Messages take Redis a tenth of the time by HMGET that they take in a script, which asks how
// long each of them is and makes strings of it. Who asks by HMGET knows no lengths, but how many
// bytes all have: where that is little, no answer is too large. A field beside each piece tells
// that the snapshot has another beginning. A script behind the last piece tells whether the thread is still
// the one that the view is of: it knows the server's history, and is not sent to another node than the piece was.

// PlainSnapshot is up to how many bytes a snapshot has that is read so: as many may come at
// once of messages of very different sizes.
const PlainSnapshot = 8 << 20

// errBeside says that a change of very many messages is under way, and fields beside the
// messages may have to be read in their place.
var errBeside = errors.New("redisstore: pieces of a change stand beside the messages")

// plainMessages is how many messages fill a piece, if they are much alike.
func plainMessages(w *window) int {
	return int(max(min(PieceMessages, MessageBytes*w.all/max(w.bytes, 1)), 1))
}

// plainPieces are the messages of a view.
type plainPieces struct {
	s      *Reader
	t      keyspace.Thread
	view   *store.ThreadView
	w      *window
	chunk  int64    // of the order, that is read next
	chunks int64    // there are
	ids    []string // of messages that are not read yet, whose chunks are
	left   int64    // of the view's messages, whose chunks are not read yet
	most   int      // messages of a piece
}

// piece are values in the text of a reply.
type piece struct {
	text   bytes.Buffer
	values [][]byte
}

var pieceTexts = sync.Pool{New: func() any { return new(piece) }}

// next are the messages of a piece; nil: there are no more.
func (p *plainPieces) next(ctx context.Context) (*piece, error) {
	if len(p.ids) == 0 && p.chunk < p.chunks {
		if err := p.order(ctx); err != nil {
			return nil, err
		}
	}
	if len(p.ids) == 0 {
		return nil, p.still(ctx)
	}
	n := min(len(p.ids), p.most)
	var names strings.Builder // of all, in one string
	for _, id := range p.ids[:n] {
		names.WriteByte('m')
		names.WriteString(id)
	}
	all, fields := names.String(), make([]string, n, n+1)
	for i, id := range p.ids[:n] {
		fields[i], all = all[:1+len(id)], all[1+len(id):]
	}
	p.ids = p.ids[n:]
	return p.fields(ctx, fields)
}

// order reads the ids of the next chunks.
func (p *plainPieces) order(ctx context.Context) error {
	last := min(p.chunk+orderPiece, p.chunks)
	names := make([]string, 0, orderPiece+1)
	for i := p.chunk; i < last; i++ {
		names = append(names, p.w.order+strconv.FormatInt(i, 10))
	}
	piece, err := p.fields(ctx, names)
	if err != nil {
		return err
	}
	defer pieceTexts.Put(piece)
	p.chunk = last
	for _, text := range piece.values {
		_, list, whole := strings.Cut(string(text), ";") // behind what snapshot.lua keeps of those before
		ids, err := link.Unpack(list)
		if !whole || err != nil {
			if err := p.still(ctx); err != nil {
				return err
			}
			return fmt.Errorf("redisstore: messages: %w: no order of messages", store.ErrCorrupted)
		}
		ids = ids[:min(int64(len(ids)), p.left)] // others were put behind them since
		p.ids, p.left = append(p.ids, ids...), p.left-int64(len(ids))
	}
	return nil
}

// fields reads fields of the snapshot, unless it has another beginning by now or pieces beside it.
func (p *plainPieces) fields(ctx context.Context, names []string) (*piece, error) {
	names = append(names, "x", "e")
	args := append(make([]any, 0, len(names)+2), "hmget", p.t.Snap())
	for i := range names {
		args = append(args, &names[i]) // which makes no object of each
	}
	ctx, cancel := context.WithTimeout(ctx, p.s.conn.Settings.Timeout) // for both
	defer cancel()
	of := pieceTexts.Get().(*piece)
	of.text.Reset()
	err := link.Ask(ctx, p.s.conn, []redis.Cmder{redis.NewRawWriteToCmd(ctx, &of.text, args...)})[0]
	// A connection's deadline may be noticed before the context's, which is the same.
	if deadline, _ := ctx.Deadline(); err != nil && (ctx.Err() != nil || !time.Now().Before(deadline)) {
		return nil, err
	}
	whole := false
	if err == nil {
		of.values, whole = bulkStrings(of.text.Bytes())
	}
	if !whole || len(of.values) != len(names) {
		// What is read so is asked for once, wherever the keys have gone and whatever became of the connection.
		again := redis.NewSliceCmd(ctx, args...)
		if err := link.Ask(ctx, p.s.conn, []redis.Cmder{again})[0]; err != nil {
			return nil, err
		}
		of.values = make([][]byte, len(names))
		for i, value := range again.Val() {
			if text, is := value.(string); is {
				of.values[i] = []byte(text)
			}
		}
	}
	beside := of.values[len(names)-2:]
	of.values = of.values[:len(names)-2]
	if string(beside[1]) != p.w.moved {
		return nil, errMoved
	}
	if beside[0] != nil {
		return nil, errBeside
	}
	return of, nil
}

// still is an error when the thread is another by now, or its snapshot has another beginning.
func (p *plainPieces) still(ctx context.Context) error {
	r, err := p.s.conn.Run(ctx, piecesCall(p.t, p.view, p.w, orderPlace{}))
	if err == nil && r.Int() != messagesRead {
		err = errMoved
	}
	return err
}
