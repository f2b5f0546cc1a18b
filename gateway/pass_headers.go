package gateway

import "net/http"

// pass adds the headers of the caller that go along.
func (c *call) pass(h http.Header) {}
