package llm

import (
	"net/http"
	"time"
)

// maxRetryDelay is how long an endpoint may ask to wait before a request is sent again:
// if longer, those who wait are told instead.
const maxRetryDelay = 20 * time.Second

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
