package threadlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
)

// Messages take Redis a tenth of the time by HMGET that they take in a script, which asks how
// long each of them is and makes strings of it. Who asks by HMGET knows no lengths, but how many
// bytes all have: where that is little, no answer is too large. The record behind each piece tells
// early that the snapshot is another one. A script behind the last piece says so for sure: it
// knows the server's history, and is not sent to another node than the piece was.

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

// plainPieces are the messages of a view, the last ones first.
type plainPieces struct {
	s      *Reader
	t      keyspace.Thread
	view   *store.ThreadView
	chunks int64    // of the order that are not read yet
	ids    []string // of messages that are not read yet, whose chunks are
	most   int      // messages of a piece
}

// next is a piece as windowed in window.lua has it; nil: there are no more.
func (p *plainPieces) next(ctx context.Context) (*link.Reply, error) {
	if len(p.ids) == 0 && p.chunks > 0 {
		if err := p.order(ctx); err != nil {
			return nil, err
		}
	}
	if len(p.ids) == 0 {
		return nil, p.still(ctx)
	}
	from := max(len(p.ids)-p.most, 0)
	names := make([]string, 0, len(p.ids)-from+1)
	for _, id := range slices.Backward(p.ids[from:]) {
		names = append(names, "m"+id)
	}
	p.ids = p.ids[:from]
	texts, err := p.fields(ctx, names)
	if err != nil {
		return nil, err
	}
	return &link.Reply{Name: "messages", Items: []any{int64(0), int64(0), "", int64(0), texts}}, nil
}

// order reads the ids of the last chunks.
func (p *plainPieces) order(ctx context.Context) error {
	first := max(p.chunks-orderPiece, 0)
	names := make([]string, 0, orderPiece+1)
	for i := first; i < p.chunks; i++ {
		names = append(names, "o"+strconv.FormatInt(i, 10))
	}
	texts, err := p.fields(ctx, names)
	if err != nil {
		return err
	}
	p.chunks = first
	for _, text := range texts {
		text, _ := text.(string)
		_, list, whole := strings.Cut(text, ";") // behind what snapshot.lua keeps of those before
		ids, err := link.Unpack(list)
		if !whole || err != nil {
			if err := p.still(ctx); err != nil {
				return err
			}
			return fmt.Errorf("redisstore: messages: %w: no order of messages", store.ErrCorrupted)
		}
		p.ids = append(p.ids, ids...)
	}
	return nil
}

// fields reads fields of the snapshot, unless it is another one by now or has pieces beside it.
func (p *plainPieces) fields(ctx context.Context, names []string) ([]any, error) {
	args := append(make([]any, 0, len(names)+3), "hmget", p.t.Snap())
	args = append(link.AppendStrings(args, names), "x")
	piece, record := redis.NewSliceCmd(ctx, args...), redis.NewSliceCmd(ctx, "hmget", p.t.Rec(), "epoch", "snapat")
	if err := cmp.Or(link.Ask(ctx, p.s.conn, []*redis.SliceCmd{piece, record})...); err != nil {
		return nil, err
	}
	text, _ := record.Val()[1].(string)
	if at, _ := strconv.ParseInt(text, 10, 64); at != p.view.Snapshot.At || record.Val()[0] != p.view.Epoch {
		return nil, errMoved
	}
	texts := piece.Val()
	if texts[len(names)] != nil {
		return nil, errBeside
	}
	return texts[:len(names)], nil
}

// still is an error when the snapshot is another one by now.
func (p *plainPieces) still(ctx context.Context) error {
	r, err := p.s.conn.Run(ctx, piecesCall(p.t, p.view, orderPlace{}))
	if err == nil && r.Int() != messagesRead {
		err = errMoved
	}
	return err
}
