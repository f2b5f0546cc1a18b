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

// gateway starts a server that stands before two agents: one that greets under ids of its
// own, which is put right, asks or fails when it is told to; and one that nobody asks.
func gateway(t *testing.T) *command.Server {
	t.Helper()
	var run atomic.Int64
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost { // what it can do
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
		id := run.Add(1)
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range []string{
			`{"type":"RUN_STARTED","threadId":"mine","runId":"run-%d"}`,
			`{"type":"TEXT_MESSAGE_START","messageId":"said-%d","role":"assistant"}`,
			`{"type":"TEXT_MESSAGE_CONTENT","messageId":"said-%d","delta":"Good morning."}`,
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
