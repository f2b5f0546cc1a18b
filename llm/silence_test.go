package llm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/llm/chat"
	"github.com/aguiws/aguiws/protocol"
)

// slow is an endpoint that says a chunk at a time.
type slow struct {
	mute   bool // no answer begins
	every  time.Duration
	chunks []string
	asked  atomic.Int64
}

func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked.Add(1)
	if s.mute {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	read, write := io.Pipe()
	go func() {
		for _, c := range s.chunks {
			select {
			case <-time.After(s.every):
			case <-r.Context().Done():
				write.CloseWithError(r.Context().Err())
				return
			}
			if _, err := io.WriteString(write, "data: "+c+"\n\n"); err != nil {
				return
			}
		}
		write.Close()
	}()
	return &http.Response{
		StatusCode: 200, Status: "200 OK", Request: r, Body: read, Header: http.Header{"Content-Type": {"text/event-stream"}},
	}, nil
}

type shown struct{ text strings.Builder }

func (s *shown) NewID() string { return "id" }

func (s *shown) Emit(events ...protocol.Event) error {
	for _, e := range events {
		if c, ok := e.(*protocol.TextMessageContent); ok {
			s.text.WriteString(c.Delta)
		}
	}
	return nil
}

const (
	one  = `{"choices":[{"index":0,"delta":{"content":"one "}}]}`
	last = `{"choices":[{"index":0,"delta":{"content":"two"},"finish_reason":"stop"}]}`
)

// An endpoint may take its time, and may not fall silent: what it had said is told.
func TestSilence(t *testing.T) {
	for every, told := range map[time.Duration]string{
		59 * time.Second: "",
		61 * time.Second: "has said nothing for 1m0s",
	} {
		synctest.Test(t, func(t *testing.T) {
			endpoint := &slow{every: every, chunks: []string{one, one, last, "[DONE]"}}
			a, err := New(Options{Model: "m", URL: "http://model.example/v1", Silence: time.Minute, Client: &http.Client{Transport: endpoint}})
			if err != nil {
				t.Fatal(err)
			}
			to := new(shown)
			begun := time.Now()
			got, err := a.ask(t.Context(), to, chat.Request{})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if told == "" && (got.Failure != nil || to.text.String() != "one one two" || got.Text != "one one two") {
				t.Errorf("%+v, shown %s", got, &to.text)
			}
			if told != "" && (got.Failure == nil || got.Failure.Code != CodeTimeout || !strings.Contains(got.Failure.Message, told) || time.Since(begun) != time.Minute) {
				t.Errorf("%+v after %s", got.Failure, time.Since(begun))
			}
			if endpoint.asked.Load() != 1 {
				t.Errorf("asked %d times", endpoint.asked.Load())
			}
		})
	}
}

// All that is tried before an answer begins takes no longer than silence may: what was
// never answered is not sent again.
func TestSilenceBeforeAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		endpoint := &slow{mute: true}
		a, err := New(Options{Model: "m", URL: "http://model.example/v1", Silence: time.Minute, Client: &http.Client{Transport: endpoint}})
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		got, err := a.ask(t.Context(), new(shown), chat.Request{})
		if err != nil || got.Failure == nil || got.Failure.Code != CodeTimeout || time.Since(begun) != time.Minute || endpoint.asked.Load() != 1 {
			t.Errorf("%+v %v after %s, asked %d times", got.Failure, err, time.Since(begun), endpoint.asked.Load())
		}
	})
}

// Whoever cancels gets the cause back, and no failure is journaled.
func TestCancelledIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, err := New(Options{Model: "m", URL: "http://model.example/v1", Client: &http.Client{Transport: &slow{every: time.Minute, chunks: []string{one, last}}}})
		if err != nil {
			t.Fatal(err)
		}
		enough := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(90*time.Second, func() { cancel(enough) })
		if _, err := a.ask(ctx, new(shown), chat.Request{}); !errors.Is(err, enough) {
			t.Errorf("%v", err)
		}
		synctest.Wait()
	})
}
