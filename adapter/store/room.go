package store

import (
	"context"
	"errors"
	"fmt"
)

// ErrNoRoom says that a caller has no room for what was to be read: see WithRoom. It
// says nothing about the store.
var ErrNoRoom = errors.New("store: the caller has no room for what was to be read")

type roomKey struct{}

// WithRoom returns a context for reading a thread on behalf of somebody who may hold so
// much: room is asked, in the goroutine of the call, before so many bytes more are held.
// It may wait. Reading ends with its error, as ErrNoRoom. The caller gives back what it
// granted.
func WithRoom(ctx context.Context, room func(bytes int64) error) context.Context {
	return context.WithValue(ctx, roomKey{}, room)
}

// Room asks for room by the context, if that has to be asked.
func Room(ctx context.Context, bytes int64) error {
	room, asked := ctx.Value(roomKey{}).(func(int64) error)
	if !asked || bytes <= 0 {
		return nil
	}
	if err := room(bytes); err != nil {
		return fmt.Errorf("%w: %w", ErrNoRoom, err)
	}
	return nil
}

// HasRoom reports whether Room asks.
func HasRoom(ctx context.Context) bool { return ctx.Value(roomKey{}) != nil }
