package browser

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
)

// gateway starts a server that stands before two agents, of which the first says what it is
// for. Both greet, each in its way, under ids of their own, which is put right; they ask or
// fail when they are told to.
func gateway(t *testing.T) *command.Server {
	t.Helper()
	var run atomic.Int64
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/agui/capabilities":
			fmt.Fprint(w, `{"identity":{"name":"weather","description":"Tells the weather."}}`)
			return
		case r.Method != http.MethodPost:
			http.NotFound(w, r)
			return
		}
		asked, err := io.ReadAll(r.Body)
		if err != nil || strings.Contains(string(asked), "fail now") {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if asks(w, asked) {
			return
		}
		id, greeting := run.Add(1), "Good morning."
		if r.URL.Path == "/travel" {
			greeting = "Good evening."
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range []string{
			`{"type":"RUN_STARTED","threadId":"mine","runId":"run-%d"}`,
			`{"type":"TEXT_MESSAGE_START","messageId":"said-%d","role":"assistant"}`,
			`{"type":"TEXT_MESSAGE_CONTENT","messageId":"said-%d","delta":"` + greeting + `"}`,
			`{"type":"TEXT_MESSAGE_END","messageId":"said-%d"}`,
			`{"type":"RUN_FINISHED","threadId":"mine","runId":"run-%d","usage":[{"model":"m","inputTokens":1234,"outputTokens":56}]}`,
		} {
			fmt.Fprintf(w, "data: "+event+"\n\n", id)
		}
	}))
	t.Cleanup(far.Close)
	return command.Start(t, command.Options{Args: []string{
		"--upstream", "weather=" + far.URL + "/agui", "--upstream", "the-travel-planner-of-the-whole-company=" + far.URL + "/travel",
	}})
}
