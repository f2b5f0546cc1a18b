package gateway

import (
	"net/http"
	"strconv"
	"strings"
)

// pass adds the headers of the caller that go along. A header that the configuration sets
// stays.
func (c *call) pass(h http.Header) {
	of := c.run.Headers()
	h.Set(HopsHeader, strconv.Itoa(1+hops(of[strings.ToLower(HopsHeader)])))
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
