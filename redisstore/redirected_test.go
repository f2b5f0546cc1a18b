package redisstore

import (
	"testing"

	"github.com/aguiws/aguiws/redisstore/internal/link"
)

type refusal string

func (r refusal) Error() string { return string(r) }
func (refusal) RedisError()     {}

func TestRedirected(t *testing.T) {
	for answer, want := range map[string]bool{
		"MOVED 1 127.0.0.1:1": true,
		"ASK 1 127.0.0.1:1":   true,
		"TRYAGAIN Multiple keys request during rehashing of slot": true,
		"NOSCRIPT No matching script":                             false,
		"ERR no":                                                  false,
	} {
		if link.Redirected(refusal(answer)) != want {
			t.Errorf("%q is redirected: %t", answer, !want)
		}
	}
	if link.Redirected(nil) {
		t.Error("no error is redirected")
	}
}
