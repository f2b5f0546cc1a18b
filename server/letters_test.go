package server

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// An answer is no HTML: a letter of that takes one byte, whoever has put it into a thread.
func TestV1AnswersAreNoHTML(t *testing.T) {
	v := newV1(t)
	bearing := []string{"Authorization", "Bearer " + annsToken}
	v.ts.ask(http.MethodPost, "/agui", inputOn("t", "/tool pay {\"note\":\"<&>\"}"), bearing...).opened().rest()
	v.rests("t")
	for _, path := range []string{"/threads/t", "/threads/t/messages", "/threads/t/messages?limit=9", "/threads/t/interrupts"} {
		text, err := io.ReadAll(v.ts.ask(http.MethodGet, "/v1"+path, "", bearing...).resp.Body)
		if err != nil || !strings.Contains(string(text), "<&>") || strings.Contains(string(text), `\u003c`) {
			t.Errorf("%s: %s %v", path, text, err)
		}
	}
}
