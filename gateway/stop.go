package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/gateway/internal/wire"
)

const stopTimeout = 5 * time.Second

// stop tells the agent that nobody reads a run any more, and why not, if it has a URL for
// that and may go on. header is the request's. over is closed when it is told; nil: it is
// not.
func (u *Upstream) stop(as ids, header http.Header, why error) (over <-chan struct{}) {
	if u.options.StopURL == "" || !u.goesOn(why) {
		return nil
	}
	told := make(chan struct{})
	if !u.later(func() {
		defer close(told)
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		body, err := json.Marshal(map[string]string{"threadId": as.thread, "runId": as.run})
		if err != nil {
			return
		}
		response, err := u.ask(ctx, http.MethodPost, u.options.StopURL, header, body)
		if err != nil {
			u.options.Logger.Warn("a run could not be stopped at the agent", "upstream", u.options.Name, "error", err)
			return
		}
		defer response.Body.Close()
		_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, wire.Buffer))
		if response.StatusCode >= 300 {
			u.options.Logger.Warn("a run could not be stopped at the agent", "upstream", u.options.Name, "status", response.StatusCode)
		}
	}) {
		return nil
	}
	return told
}

// goesOn reports whether the agent may be busy with a run that has ended here.
func (u *Upstream) goesOn(why error) bool {
	f, ok := errors.AsType[*failure](why)
	switch {
	case !ok:
		// Another worker that has the run asks for it again, under the same id.
		return why == adapter.ErrStopped || !u.options.Idempotent
	case f.own:
		return false
	}
	switch f.Code {
	case CodeUnavailable, CodeRefused, CodeFailed, CodeContentType:
		return false
	}
	return true
}

// ask makes a request beside those of runs. Another host than the agent's gets no
// credentials.
func (u *Upstream) ask(ctx context.Context, method, target string, header http.Header, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return nil, withoutURL(err)
	}
	if originOf(request.URL) == u.origin {
		request.Header = header.Clone()
	}
	if request.Header == nil {
		request.Header = http.Header{}
	}
	request.Header.Del("Content-Type")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("Accept", "application/json")
	response, err := u.client.Do(request)
	return response, withoutURL(err)
}

// withoutURL is an error of a request without its URL, which may hold a secret.
func withoutURL(err error) error {
	if at, ok := errors.AsType[*url.Error](err); ok {
		return at.Err
	}
	return err
}
