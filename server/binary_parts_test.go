package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// What a client before 1.0 attaches is kept as today's part, which newer clients are
// shown, and is told to it as it came; one that cannot be read is refused where it stands.
func TestBinaryPartsOfOlderClients(t *testing.T) {
	const part = `{"type":"binary","mimeType":"image/png","data":"aGk=","filename":"a.png"}`
	sent := func(run, part, rest string) string {
		return fmt.Sprintf(`{"threadId":"t","runId":%q,"messages":[{"id":"m-%s","role":"user","content":[{"type":"text","text":"/say seen"},%s]}],"tools":null,"context":null,"state":null,"forwardedProps":null%s}`, run, run, part, rest)
	}
	ts, _ := endToEnd(t)
	told := func(path, input string) string {
		t.Helper()
		var all strings.Builder
		for s := ts.ask(http.MethodPost, path, input).opened(); ; {
			e, more := s.next()
			if !more {
				return all.String()
			}
			all.WriteString(e.data + "\n")
		}
	}
	for _, path := range []string{"/agui", "/copilotkit/agent/default/run"} {
		run := strings.ReplaceAll(path, "/", "-")
		for _, in := range []string{"RUN_STARTED", "MESSAGES_SNAPSHOT"} { // the latter of the repeat
			got := told(path, sent(run, part, ""))
			if !strings.Contains(got, in) || !strings.Contains(got, `{"type":"binary","data":"aGk=","filename":"a.png","mimeType":"image/png"}`) || strings.Contains(got, `"type":"image"`) {
				t.Errorf("%s tells %s", path, got)
			}
		}
		got := told(path, sent(run, part, `,"protocolVersion":"1.0"`)) // a repeat
		if strings.Contains(got, `"type":"binary"`) || !strings.Contains(got, `{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"}`) {
			t.Errorf("%s tells a newer client %s", path, got)
		}
	}
	tb := newTab(ts.dial())
	tb.send(`{"type":"ws.attach","threadId":"t"}`)
	for shown := ""; !strings.Contains(shown, `"type":"image"`); {
		if shown = string(tb.read()); strings.Contains(shown, `"type":"binary"`) || strings.Contains(shown, "ws.live") {
			t.Fatalf("the subprotocol shows %s", shown)
		}
	}
	m := ts.ask(http.MethodPost, "/agui", sent("bad", `{"type":"binary","mimeType":"image/png"}`, "")).refusedWith(400, "code", "invalid_input")
	if fields, _ := m["fields"].([]any); len(fields) != 1 || fields[0].(map[string]any)["pointer"] != "/messages/0/content/1" {
		t.Errorf("%v", m)
	}
}
