package gateway

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/internal/tracing"
)

// pass adds the headers of the caller that go along, and the trace context of the step. A
// header that the configuration sets stays.
func (c *call) pass(h http.Header) {
	of := c.run.Headers()
	h.Set(HopsHeader, strconv.Itoa(1+hops(of[strings.ToLower(HopsHeader)])))
	if h.Get(tracing.Traceparent) == "" {
		if parent, state := tracing.Context(c.step); parent != "" {
			h.Set(tracing.Traceparent, parent)
			if h.Del(tracing.Tracestate); state != "" {
				h.Set(tracing.Tracestate, state)
			}
		}
	}
	if name := c.u.options.UserHeader; name != "" {
		if h.Del(name); c.run.User() != "" {
			h.Set(name, asHeader(c.run.User()))
		}
	}
	for _, name := range c.u.options.PassHeaders {
		if value := of[name]; value != "" && h.Get(name) == "" && plainText(value) {
			h.Set(name, value)
		}
	}
}

// asHeader is a name as a header has it: what is not printable ASCII is percent-encoded, and so is %.
func asHeader(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if c <= ' ' || c >= 0x7f || c == '%' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
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
