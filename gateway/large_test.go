package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aguiws/aguiws/protocol"
)

// However many streams an upstream has, few hold more than they may alone: the others wait
// until one has taken its event and let go of the memory, or is over.
func TestFewStreamsHoldLargeEvents(t *testing.T) {
	large := "data: " + strings.Repeat("x", 3*largeBytes) + "\n\ndata: y\n\n"
	for name, leaves := range map[string]func(*sseReader){
		"the event was taken":  func(s *sseReader) { s.next() },
		"the stream is closed": (*sseReader).close,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				places := make(chan struct{}, largeAtOnce)
				open := func(ctx context.Context) *sseReader {
					return newSSEReader(strings.NewReader(large), 4*largeBytes, &largeRoom{ctx: ctx, places: places})
				}
				var streams []*sseReader
				for range largeAtOnce {
					s := open(t.Context())
					if event, err := s.next(); err != nil || len(event) != 3*largeBytes {
						t.Fatalf("%d bytes, %v", len(event), err)
					}
					streams = append(streams, s)
				}
				gone, cancel := context.WithCancelCause(t.Context())
				over := errors.New("over")
				got := make(chan error, 2)
				go func() { _, err := open(gone).next(); got <- err }()
				synctest.Wait()
				if len(got) > 0 {
					t.Fatal("one more holds a large event")
				}
				cancel(over)
				if err := <-got; err != over {
					t.Fatal(err)
				}
				go func() { _, err := open(t.Context()).next(); got <- err }()
				synctest.Wait()
				leaves(streams[0])
				synctest.Wait()
				if err := <-got; err != nil {
					t.Fatal(err)
				}
				if took := cap(streams[0].buf); name == "the event was taken" && took > 2*largeBytes {
					t.Errorf("%d bytes are still held", took)
				}
			})
		})
	}
}

// Small events want no place, and streams that need none are never held up.
func TestSmallEventsWantNoPlace(t *testing.T) {
	text := strings.Repeat("data: "+strings.Repeat("x", largeBytes/2)+"\n\n", 9)
	s := newSSEReader(strings.NewReader(text), 4*largeBytes, &largeRoom{ctx: t.Context()})
	for range 9 {
		if _, err := s.next(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.next(); err != io.EOF {
		t.Fatal(err)
	}
}

// An agent repeats a picture of 3 MiB, as those that tell their messages do, in turn after
// turn: the thread goes on, and what is not taken says by what name the bound can be raised.
func TestPicturesThatAgentsRepeat(t *testing.T) {
	repeats := func(w http.ResponseWriter, r *http.Request, in *protocol.RunAgentInput) {
		text, err := in.Messages.MarshalJSON()
		if err != nil {
			t.Error(err)
		}
		sends(began, `{"type":"MESSAGES_SNAPSHOT","messages":`+string(text)+`}`, done)(w, r, in)
	}
	picture := protocol.Part{Type: protocol.PartImage, Source: &protocol.Source{Type: protocol.SourceData, Value: strings.Repeat("AAAA", 1<<20), MimeType: "image/png"}}
	l := newLab(t, nil, repeats)
	for _, id := range []string{"first", "second"} {
		l.submit(&protocol.RunAgentInput{Messages: protocol.Messages{{ID: id, Role: protocol.RoleUser, Content: protocol.PartsOf(picture)}}})
		succeeded(t, l.untilEnd())
	}
	if n := len(l.peer.runs()[1].in.Messages); n != 2 {
		t.Errorf("the agent has %d messages", n)
	}
	l.wellFormed()
}
