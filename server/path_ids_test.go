package server

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// What is taken as the id of a thread or a run can be reached by a URL of it; what no URL
// carries is refused wherever it comes in, and the refusal says so.
func TestIDsThatURLsCarry(t *testing.T) {
	ts, _ := endToEnd(t)
	text := func(s *sseStream) string {
		var b strings.Builder
		if _, err := s.lines.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, id := range []string{".", "..", "/"} {
		thread, run := fmt.Sprintf(`{"threadId":%q,"runId":"r","messages":[]}`, id), fmt.Sprintf(`{"threadId":"t","runId":%q,"messages":[]}`, id)
		for at, body := range map[string]string{
			"/agui":                         thread,
			"/agui ":                        run,
			"/copilotkit/agent/default/run": thread,
			"/v1/threads":                   fmt.Sprintf(`{"threadId":%q}`, id),
			"/v1/threads ":                  fmt.Sprintf(`{"threadId":"x","parentThreadId":%q}`, id),
			"/v1/inbox/resolve":             fmt.Sprintf(`{"idempotencyKey":"k","items":[{"threadId":%q}]}`, id),
		} {
			s := ts.ask(http.MethodPost, strings.TrimSpace(at), body)
			if said := text(s); s.resp.StatusCode != http.StatusBadRequest || !strings.Contains(said, "which no URL can carry") {
				t.Errorf("%q to %s: %d %s", id, at, s.resp.StatusCode, said)
			}
		}
		plain := ts.connect("/agui/ws", plainMode)
		for _, body := range []string{thread, run} {
			plain.send(body)
			if said := plain.expect("RUN_ERROR")["message"].(string); !strings.Contains(said, "which no URL can carry") {
				t.Errorf("%s: %s", body, said)
			}
		}
		bound := newTestClient(ts)
		bound.expect("ws.hello")
		for _, frame := range []string{thread, run, fmt.Sprintf(`{"type":"ws.attach","threadId":%q}`, id), fmt.Sprintf(`{"type":"ws.cancel","threadId":"t","runId":%q}`, id)} {
			bound.send(frame)
			if said := string(bound.read()); !strings.Contains(said, "which no URL can carry") {
				t.Errorf("%s: %s", frame, said)
			}
		}
		if CheckAgentName(id) == nil {
			t.Errorf("an agent may be named %q", id)
		}
	}
	for _, id := range []string{"...", ".a", "a/../b", "%2e", "%2F", "//", "/a", "\\", "a b", " ", "?", "#", "\x00", "ä😀", ";", "+", "__proto__"} {
		name := strings.NewReplacer("\x00", `\u0000`, `\`, `\\`).Replace(id)
		ts.ask(http.MethodPost, "/agui", fmt.Sprintf(`{"threadId":"%s","runId":"r","messages":[{"id":"m","role":"user","content":"/say hi"}]}`, name)).opened().rest()
		for _, path := range []string{"/agui/threads/" + url.PathEscape(id) + "/events", "/v1/threads/" + url.PathEscape(id)} {
			if s := ts.ask(http.MethodGet, path, ""); s.resp.StatusCode != http.StatusOK {
				t.Errorf("%q: %s: %d", id, path, s.resp.StatusCode)
			}
		}
	}
}
