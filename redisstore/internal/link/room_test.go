package link

import (
	"errors"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
)

// What is unfolded asks for room as it grows, however small it is stored.
func TestUnfoldingAsksForRoom(t *testing.T) {
	const size = 8 << 20
	stored := string(Compress([]byte(`"` + strings.Repeat("x", size) + `"`)))
	if len(stored) > size/100 {
		t.Fatalf("%d bytes are stored", len(stored))
	}
	granted, most := int64(0), int64(1<<40)
	full := errors.New("full")
	read := func() (int, error) {
		granted = 0
		ctx := store.WithRoom(t.Context(), func(bytes int64) error {
			if granted+bytes > most {
				return full
			}
			granted += bytes
			return nil
		})
		r := &Reply{Items: []any{[]any{stored}}, Room: RoomOf(ctx)}
		value := r.List()
		got := value.JSON()
		r.Join(value)
		return len(got), r.Err
	}
	if n, err := read(); n != size+2 || err != nil || granted < size-2*roomPiece || granted > size+roomPiece {
		t.Errorf("%d bytes with room for %d, %v", n, granted, err)
	}
	most = 1 << 20
	if n, err := read(); n != 0 || !errors.Is(err, store.ErrNoRoom) || !errors.Is(err, full) || errors.Is(err, store.ErrCorrupted) || granted > most {
		t.Errorf("%d bytes with room for %d, %v", n, granted, err)
	}
	if RoomOf(t.Context()) != nil {
		t.Error("a context without room is asked")
	}
}
