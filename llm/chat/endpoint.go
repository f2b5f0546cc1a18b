package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Endpoint is where the API is served. It may be used concurrently.
type Endpoint struct {
	// URL is what the paths of the API are put behind, such as
	// http://127.0.0.1:11434/v1.
	URL string
	// Key is sent as a bearer's token; "" sends none.
	Key string
	// Client carries the requests.
	Client *http.Client
	// Retries is how often a request is sent again that found nobody, or was answered
	// by 408, 409, 429 or 5xx.
	Retries int
	// MaxDelay is how long the endpoint may ask to wait before that. An endpoint that
	// asks for more is not asked again.
	MaxDelay time.Duration
}

// Error is an answer by a status of 400 or more.
type Error struct {
	StatusCode          int
	Header              http.Header
	Message, Type, Code string // what the body says; "" if it does not
}

func (e *Error) Error() string {
	return fmt.Sprintf("%d %s: %s", e.StatusCode, http.StatusText(e.StatusCode), e.Message)
}

// Stream asks for an answer, and returns when its headers are there. The error is an
// *Error, a *url.Error if nobody was reached, or ctx's.
func (e *Endpoint) Stream(ctx context.Context, r Request) (*Stream, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	response, err := e.send(ctx, http.MethodPost, "/chat/completions", body)
	if err != nil {
		return nil, err
	}
	return newStream(response), nil
}

// Models returns the ids of the endpoint's models. listed is false if it answered and
// lists none.
func (e *Endpoint) Models(ctx context.Context) (ids []string, listed bool, err error) {
	response, err := e.send(ctx, http.MethodGet, "/models", nil)
	if err != nil {
		return nil, false, err
	}
	defer response.Body.Close()
	var page struct {
		Data *[]struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.NewDecoder(response.Body).Decode(&page); err != nil {
		return nil, false, err
	}
	if page.Data == nil {
		return nil, false, nil
	}
	for _, m := range *page.Data {
		ids = append(ids, m.ID)
	}
	return ids, true, nil
}

// send returns an answer whose status is less than 400.
func (e *Endpoint) send(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	for attempt := 0; ; attempt++ {
		request, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(e.URL, "/")+path, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		if body != nil {
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Accept", "text/event-stream")
		}
		if e.Key != "" {
			request.Header.Set("Authorization", "Bearer "+e.Key)
		}
		response, err := e.Client.Do(request)
		if err == nil {
			bound(response)
			if response.StatusCode < 400 {
				return response, nil
			}
		}
		delay, again := e.delay(response, attempt)
		if err == nil {
			err = errorOf(response)
		}
		if !again || ctx.Err() != nil {
			return nil, err
		}
		timer := time.NewTimer(delay)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		case <-timer.C:
		}
	}
}

// errorOf reads what the endpoint says of its refusal, and closes the answer.
func errorOf(response *http.Response) error {
	defer response.Body.Close()
	e := &Error{StatusCode: response.StatusCode, Header: response.Header}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	var body struct {
		Error json.RawMessage `json:"error"`
	}
	var object struct {
		Message, Type string
		Code          any
	}
	if json.Unmarshal(text, &body) != nil {
		return e
	}
	if json.Unmarshal(body.Error, &object) != nil {
		_ = json.Unmarshal(body.Error, &e.Message) // some endpoints write a string
		return e
	}
	e.Message, e.Type = object.Message, object.Type
	if code, ok := object.Code.(string); ok {
		e.Code = code
	}
	return e
}

// delay says whether a request is sent again, and when. A nil response stands for nobody
// who answered.
func (e *Endpoint) delay(response *http.Response, attempt int) (time.Duration, bool) {
	if attempt >= e.Retries {
		return 0, false
	}
	delay := 500 * time.Millisecond << min(attempt, 4)
	delay -= rand.N(delay / 4)
	if response == nil {
		return delay, true
	}
	switch code := response.StatusCode; {
	case code == http.StatusRequestTimeout, code == http.StatusConflict, code == http.StatusTooManyRequests, code >= 500:
	default:
		return 0, false
	}
	if asked, ok := retryAfter(response.Header); ok {
		return asked, asked <= e.MaxDelay
	}
	return delay, true
}

// retryAfter is how long an endpoint asks to wait.
func retryAfter(h http.Header) (time.Duration, bool) {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 && ms < 1e12 {
		return time.Duration(ms * float64(time.Millisecond)), true
	}
	told := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(told, 64); err == nil && seconds >= 0 && seconds < 1e9 {
		return time.Duration(seconds * float64(time.Second)), true
	}
	if at, err := http.ParseTime(told); err == nil && time.Until(at) > 0 {
		return time.Until(at), true
	}
	return 0, false
}
