package link

import (
	"context"

	"github.com/aguiws/aguiws/adapter/store"
)

// roomPiece is how much is asked for at once when nobody knows how much it will be.
const roomPiece = 64 << 10

// Room is what the values of one reply may be unfolded into: the caller is asked for each
// piece of it.
type Room struct {
	ctx  context.Context
	left int64 // of what was granted
	held int64
}

// RoomOf is nil when the context does not have to be asked.
func RoomOf(ctx context.Context) *Room {
	if !store.HasRoom(ctx) {
		return nil
	}
	return &Room{ctx: ctx, left: roomPiece} // a little is nothing to ask for
}

// asker is what decompress asks.
func (r *Room) asker() func(int64) error {
	if r == nil {
		return nil
	}
	return r.take
}

// Held is how much was unfolded into it.
func (r *Room) Held() int64 {
	if r == nil {
		return 0
	}
	return r.held
}

// Drop lets what was unfolded since it held so much be unfolded again, without asking: nobody
// holds it any more.
func (r *Room) Drop(held int64) {
	if r != nil {
		r.left, r.held = r.left+r.held-held, held
	}
}

func (r *Room) take(bytes int64) error {
	r.held += bytes
	for r.left -= bytes; r.left < 0; r.left += roomPiece {
		if err := store.Room(r.ctx, roomPiece); err != nil {
			return err
		}
	}
	return nil
}
