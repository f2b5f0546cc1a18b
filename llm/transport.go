package llm

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/openai/openai-go/v3/option"
)

// maxRetryDelay is how long an endpoint may ask to wait before a request is sent again:
// if longer, those who wait are told instead.
const maxRetryDelay = 20 * time.Second

// What an endpoint may send for one answer, told in chunks of some hundred bytes each.
const (
	maxBody = 256 << 20
	maxLine = 1 << 20
)

// errTooLong ends an answer that would not.
var errTooLong = errors.New("the endpoint's answer is longer than it may be")

// sharedClient keeps connections for many runs at once. It does not ask for compressed
// answers, which may be far larger than what came.
var sharedClient = &http.Client{Transport: func() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression, t.MaxIdleConnsPerHost = true, 64
	return t
}()}

// noRedirects is the client for an address that is meant as it was given: the key is for
// no other.
func noRedirects(client *http.Client) *http.Client {
	c := *client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// bounding bounds what is read of an answer.
func bounding(request *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	response, err := next(request)
	if response != nil && response.Body != nil {
		left := maxBody
		if response.StatusCode >= 400 {
			left = maxLine
		}
		response.Body = &bounded{ReadCloser: response.Body, left: left}
	}
	return response, err
}

// bounded is a body of lines.
type bounded struct {
	io.ReadCloser
	left, line int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.left -= n
	if at := bytes.LastIndexByte(p[:n], '\n'); at >= 0 {
		b.line = n - at - 1
	} else {
		b.line += n
	}
	if b.left < 0 || b.line > maxLine {
		return 0, errTooLong
	}
	return n, err
}
