package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// The model asks for all three tools at once: the free one waits for nobody, and both
// questions come together.
func TestAssistant(t *testing.T) {
	var asked atomic.Int64
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if asked.Add(1) > 1 {
			fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"Both are done."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
			return
		}
		for i, call := range []string{`"clock","arguments":"{}"`, `"refund","arguments":"{\"order\":\"4711\",\"cents\":20}"`, `"ship","arguments":"{\"City\":\"Paris\"}"`} {
			fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"c%d","function":{"name":%s}}]}}]}`+"\n\n", i, i, call)
		}
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer model.Close()
	t.Setenv("MODEL_URL", model.URL+"/v1")
	t.Setenv("MODEL", "small")
	served := httptest.NewServer(handler())
	defer served.Close()

	post := func(members string) string {
		t.Helper()
		response, err := http.Post(served.URL+"/agui", "application/json", strings.NewReader(`{"threadId":"t",`+members+`,"tools":[],"context":[],"state":{},"forwardedProps":{}}`))
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	said := post(`"runId":"a","messages":[{"id":"m","role":"user","content":"pay 4711 back and send it again"}]`)
	_, outcome, _ := strings.Cut(said, `"type":"RUN_FINISHED"`)
	ids := strings.Split(outcome, `"id":"`)
	if len(ids) != 3 {
		t.Fatalf("asked %s", said)
	}
	for i := range ids {
		ids[i], _, _ = strings.Cut(ids[i], `"`)
	}
	said = post(`"runId":"b","messages":[],"resume":[{"interruptId":"` + ids[1] + `","status":"resolved","payload":{"approved":true}},` +
		`{"interruptId":"` + ids[2] + `","status":"resolved","payload":{"Street":"Rue 1","City":"Paris"}}]`)
	for _, want := range []string{"paid for 4711", "sent to Paris", "Both are done.", "RUN_FINISHED"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in %s", want, said)
		}
	}
}
