package gateway

import "net/http"

// pass adds the headers of the caller that go along. What the configuration sets stays.
func (c *call) pass(h http.Header) {
	if len(c.u.options.PassHeaders) == 0 {
		return
	}
	of := c.run.Headers()
	for _, name := range c.u.options.PassHeaders {
		if value := of[name]; value != "" && h.Get(name) == "" && plainText(value) {
			h.Set(name, value)
		}
	}
}

// plainText reports whether a header may have the value.
func plainText(value string) bool {
	for _, c := range []byte(value) {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
