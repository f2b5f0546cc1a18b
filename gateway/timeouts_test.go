package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/gateway/internal/wire"
)

// quietPeer is a connection on which a script says when what comes.
func quietPeer(over *sync.WaitGroup, connects time.Duration, answers func(body *io.PipeWriter)) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		defer r.Body.Close()
		select {
		case <-time.After(connects):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
		httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
		from, to := io.Pipe()
		context.AfterFunc(r.Context(), func() { to.CloseWithError(r.Context().Err()) })
		over.Go(func() { answers(to) })
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: from}, nil
	})
}

// Times are those between connecting, the first event, and two sounds, comments among
// them. What the log takes does not count.
func TestTimeouts(t *testing.T) {
	says := func(to *io.PipeWriter, text string) { io.WriteString(to, text) }
	for name, test := range map[string]struct {
		connects time.Duration
		answers  func(to *io.PipeWriter)
		slow     time.Duration // how long each event takes here
		events   int
		says     string
		after    time.Duration
	}{
		"connecting": {connects: time.Hour, says: "connected to within 5s", after: 5 * time.Second},
		"no event":   {connects: 4 * time.Second, says: "no event within 1m", after: 64 * time.Second},
		"comments before the first event": {answers: func(to *io.PipeWriter) {
			for range 10 {
				time.Sleep(10 * time.Second)
				says(to, ":\n\n")
			}
		}, says: "no event within 1m", after: time.Minute},
		"silence": {answers: func(to *io.PipeWriter) {
			says(to, "data: {}\n\n")
			time.Sleep(4 * time.Minute)
			says(to, "data: {}\n\n")
		}, events: 2, says: "silent for 5m", after: 9 * time.Minute},
		"comments": {answers: func(to *io.PipeWriter) {
			says(to, "data: {}\n\n")
			for range 5 {
				time.Sleep(4 * time.Minute)
				says(to, ":\n\n")
			}
		}, events: 1, says: "silent for 5m", after: 25 * time.Minute},
		"a slow log": {answers: func(to *io.PipeWriter) {
			for range 3 {
				says(to, "data: {}\n\n")
			}
		}, slow: 10 * time.Minute, events: 3, says: "silent for 5m", after: 35 * time.Minute},
		"a long run": {answers: func(to *io.PipeWriter) {
			for range 100 {
				says(to, "data: {}\n\n")
				time.Sleep(61 * time.Second)
			}
		}, events: 60, says: "longer than 1h", after: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				u, err := New("http://host/", nil)
				if err != nil {
					t.Fatal(err)
				}
				if test.answers == nil {
					test.answers = func(*io.PipeWriter) {}
				}
				var over sync.WaitGroup
				u.client.Transport = quietPeer(&over, test.connects, test.answers)
				begun, events := time.Now(), 0
				x, err := u.send(context.Background(), wire.NewPayload([]byte("{}")), http.Header{}, ids{})
				for err == nil {
					if _, err = x.next(); err == nil {
						events++
						time.Sleep(test.slow)
					}
				}
				x.abandon()
				f, ok := errors.AsType[*failure](err)
				if !ok || f.Code != CodeTimeout || !strings.Contains(f.Message, test.says) {
					t.Errorf("%v", err)
				}
				if took := time.Since(begun); events != test.events || took < test.after || took > test.after+6*time.Minute && name != "a slow log" {
					t.Errorf("%d events in %v", events, took)
				}
				over.Wait() // the bubble's clock stands still without this goroutine
			})
		})
	}
}
