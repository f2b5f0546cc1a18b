package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/server"
)

// ask has the agent of a thread ask something.
func ask(t *testing.T, c *client.Client, thread, command string) *client.Thread {
	t.Helper()
	followed, err := c.Follow(t.Context(), thread, nil)
	if err != nil {
		t.Fatal(err)
	}
	end, err := followed.Say(command).Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(client.Asked(end)) == 0 {
		t.Fatalf("%s asks nothing", command)
	}
	return followed
}

func waiting(t *testing.T, in *client.Inbox, q client.InboxQuery) (list []client.Waiting) {
	t.Helper()
	for w, err := range in.Waiting(t.Context(), q) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, w)
	}
	return list
}

func TestInbox(t *testing.T) {
	n := serve(t, &server.Options{ThreadsPerSocket: 100})
	_, through := over(t, n)
	opts := &client.Options{HTTPClient: through}
	c, err := client.Dial(t.Context(), n.url(), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	in := client.NewInbox(n.http.URL+"/", opts)
	if list := waiting(t, in, client.InboxQuery{}); len(list) != 0 {
		t.Fatalf("%+v", list)
	}

	text := strings.Repeat("long ", 5_000) // which lists summarise
	ask(t, c, "long", "/confirm "+text)
	ask(t, c, "two", "/parallel 2")
	for i := range 60 { // more than a page
		ask(t, c, fmt.Sprint("many ", i), "/confirm Go?")
	}
	list := waiting(t, in, client.InboxQuery{})
	if len(list) != 62 || list[0].Thread != "long" || list[1].Thread != "two" || list[61].Thread != "many 59" {
		t.Fatalf("%d wait", len(list))
	}
	if got := list[0].Interrupts[0].Interrupt.Message; !strings.Contains(got, strings.TrimSpace(text)) {
		t.Errorf("a summary: %d bytes", len(got))
	}
	two := list[1]
	if two.Since.IsZero() || two.Label == "" || len(two.Interrupts) != 2 || two.Interrupts[0].Call.Name != "task_1" || two.Interrupts[0].Call.Arguments != `{"number":1}` {
		t.Errorf("%+v", two)
	}
	if list := waiting(t, in, client.InboxQuery{Tool: "task_2"}); len(list) != 1 || list[0].Thread != "two" {
		t.Errorf("of a tool: %+v", list)
	}

	var refused *client.RefusedError
	first, second := two.Interrupts[0].Interrupt, two.Interrupts[1].Interrupt
	if _, err := in.Answer(t.Context(), two, client.Resolve(first, `{"approved":7}`)); !errors.As(err, &refused) || refused.Code != "interrupt_payload_invalid" || len(refused.Fields) != 1 {
		t.Errorf("a wrong answer: %v", err)
	}
	missing, err := in.Answer(t.Context(), two, client.Resolve(first, `{"approved":true}`))
	if err != nil || len(missing) != 1 || missing[0] != second.ID {
		t.Errorf("one of two: %v %v", missing, err)
	}
	if list := waiting(t, in, client.InboxQuery{Tool: "task_2"}); list[0].Interrupts[0].Draft == nil || string(list[0].Interrupts[0].Draft.Payload) != `{"approved":true}` {
		t.Errorf("no draft: %+v", list)
	}
	for range 2 { // the second time it is a repeat
		if missing, err = in.Answer(t.Context(), two, client.Withdraw(second)); err != nil || len(missing) != 0 {
			t.Errorf("both: %v %v", missing, err)
		}
	}
	if _, err := in.Answer(t.Context(), two, client.Resolve(second, `{"approved":true}`)); !errors.As(err, &refused) || refused.Status == 0 {
		t.Errorf("another answer: %v", err)
	}
	if list := waiting(t, in, client.InboxQuery{}); len(list) != 61 {
		t.Errorf("%d wait", len(list))
	}
	for _, err := range in.Waiting(t.Context(), client.InboxQuery{Reason: strings.Repeat("x", 100_000)}) {
		if err == nil {
			t.Error("it has taken too long a reason")
		}
	}
}

func TestInboxOfNoServer(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	through := &http.Client{Transport: &http.Transport{}}
	defer through.CloseIdleConnections()
	for _, err := range client.NewInbox(s.URL, &client.Options{HTTPClient: through}).Waiting(t.Context(), client.InboxQuery{}) {
		var refused *client.RefusedError
		if !errors.As(err, &refused) || refused.Status != http.StatusNotFound || !strings.Contains(err.Error(), "is it an aguiws server") {
			t.Errorf("got %v", err)
		}
	}
}

// roundTrips answers requests without a network.
type roundTrips func(*http.Request) (*http.Response, error)

func (f roundTrips) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answerWith(status int, text string) *http.Response {
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text))}
}

// An answer that is lost is sent again under the same key, and one that is refused is not.
func TestInboxAnswersAgain(t *testing.T) {
	const taken = `{"items":[{"resolved":{"missing":[]}}]}`
	lost := errors.New("lost")
	for name, c := range map[string]struct {
		answers []any // an error, a status, or a text
		want    string
	}{
		"taken":                     {[]any{taken}, ""},
		"lost, then taken":          {[]any{lost, lost, taken}, ""},
		"away, then taken":          {[]any{503, 429, taken}, ""},
		"one of them away":          {[]any{`{"items":[{"error":{"status":503,"code":"store_unavailable","detail":"later","details":{"retryAfterMs":1000}}}]}`, taken}, ""},
		"always lost":               {[]any{lost, lost, lost, lost, lost}, "lost"},
		"refused":                   {[]any{403}, "refused with 403"},
		"refused by name":           {[]any{`{"items":[{"error":{"status":409,"code":"interrupt_conflict","detail":"no"}}]}`}, "interrupt_conflict"},
		"nothing said":              {[]any{`{"items":[{}]}`, `{"items":[]}`, `{`, taken}, ""},
		"its own time of a request": {[]any{nil, taken}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var bodies [][]byte
				transport := roundTrips(func(r *http.Request) (*http.Response, error) {
					body, err := io.ReadAll(r.Body)
					if err != nil || r.Header.Get("Authorization") != "Bearer fresh" {
						t.Errorf("%v %v", r.Header, err)
					}
					bodies = append(bodies, body)
					if len(bodies) > len(c.answers) {
						return nil, errors.New("once too often")
					}
					switch a := c.answers[len(bodies)-1].(type) {
					case error:
						return nil, a
					case int:
						return answerWith(a, ""), nil
					case string:
						return answerWith(http.StatusOK, a), nil
					default:
						<-r.Context().Done()
						return nil, r.Context().Err()
					}
				})
				in := client.NewInbox("http://server", &client.Options{
					HTTPClient: &http.Client{Transport: transport},
					Authorize:  func(_ context.Context, h http.Header) error { h.Set("Authorization", "Bearer fresh"); return nil },
				})
				began := time.Now()
				_, err := in.Answer(t.Context(), client.Waiting{Thread: "trip"})
				if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
					t.Errorf("got %v", err)
				}
				if len(bodies) != len(c.answers) || time.Since(began) > time.Minute {
					t.Errorf("%d requests in %s", len(bodies), time.Since(began))
				}
				for _, b := range bodies {
					if !bytes.Equal(b, bodies[0]) || !bytes.Contains(b, []byte("idempotencyKey")) {
						t.Errorf("sent %s, then %s", bodies[0], b)
					}
				}
			})
		})
	}
}

// Nobody waits for an answer longer than they want to.
func TestInboxStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := client.NewInbox("http://server", &client.Options{HTTPClient: &http.Client{Transport: roundTrips(func(*http.Request) (*http.Response, error) {
			return answerWith(http.StatusServiceUnavailable, `{"code":"store_unavailable","detail":"later","retryAfterMs":60000}`), nil
		})}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		var refused *client.RefusedError
		if _, err := in.Answer(ctx, client.Waiting{}); !errors.As(err, &refused) || refused.RetryAfter != time.Minute || time.Since(began) != time.Second {
			t.Errorf("got %v after %s", err, time.Since(began))
		}
	})
}
