package wire

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
)

// However many streams an upstream has, few hold more than they may alone: the others wait
// until one has taken its event and let go of the memory, or is over.
func TestFewStreamsHoldLargeEvents(t *testing.T) {
	large := "data: " + strings.Repeat("x", 3*LargeBytes) + "\n\ndata: y\n\n"
	for name, leaves := range map[string]func(*Reader){
		"the event was taken":  func(s *Reader) { s.Next() },
		"the stream is closed": (*Reader).Close,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				places := make(chan struct{}, LargeAtOnce)
				open := func(ctx context.Context) *Reader {
					return NewReader(strings.NewReader(large), 4*LargeBytes, &Room{ctx: ctx, places: places})
				}
				var streams []*Reader
				for range LargeAtOnce {
					s := open(t.Context())
					if event, err := s.Next(); err != nil || len(event) != 3*LargeBytes {
						t.Fatalf("%d bytes, %v", len(event), err)
					}
					streams = append(streams, s)
				}
				gone, cancel := context.WithCancelCause(t.Context())
				over := errors.New("over")
				got := make(chan error, 2)
				go func() { _, err := open(gone).Next(); got <- err }()
				synctest.Wait()
				if len(got) > 0 {
					t.Fatal("one more holds a large event")
				}
				cancel(over)
				if err := <-got; err != over {
					t.Fatal(err)
				}
				go func() { _, err := open(t.Context()).Next(); got <- err }()
				synctest.Wait()
				leaves(streams[0])
				synctest.Wait()
				if err := <-got; err != nil {
					t.Fatal(err)
				}
				if took := cap(streams[0].buf); name == "the event was taken" && took > 2*LargeBytes {
					t.Errorf("%d bytes are still held", took)
				}
			})
		})
	}
}

// Small events want no place, and streams that need none are never held up.
func TestSmallEventsWantNoPlace(t *testing.T) {
	text := strings.Repeat("data: "+strings.Repeat("x", LargeBytes/2)+"\n\n", 9)
	s := NewReader(strings.NewReader(text), 4*LargeBytes, &Room{ctx: t.Context()})
	for range 9 {
		if _, err := s.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Next(); err != io.EOF {
		t.Fatal(err)
	}
}
