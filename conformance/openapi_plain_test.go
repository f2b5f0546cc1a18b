package conformance_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
	"github.com/aguiws/aguiws/server/login"
)

// fragment begins a text that leaves its subject to the name of the member beside it.
var fragment = regexp.MustCompile(`^(?:[a-z]|(?:How|Why|When|Which|By|For|To|Since|Only|Also|After|Before) )`)

// The OpenAPI document reads as the pages do, and each of its texts stands by itself.
func TestOpenAPIReadsPlainly(t *testing.T) {
	reply := httptest.NewRecorder()
	withAll(t).Handler().ServeHTTP(reply, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/v1/openapi.json", nil))
	var document any
	if err := json.Unmarshal(reply.Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	texts := map[string]bool{}
	textsOf(document, texts)
	if len(texts) < 300 {
		t.Fatalf("only %d texts were found", len(texts))
	}
	var all []string
	for text := range texts {
		if fragment.MatchString(text) || inverted.MatchString(text) {
			t.Errorf("it begins with another thing than its subject: %s", text)
		}
		all = append(all, sentences(text)...)
	}
	plainly(t, "the OpenAPI document", all)
}

// withAll makes a server that has each operation there is.
func withAll(t *testing.T) *server.Server {
	t.Helper()
	store, err := redisstore.Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	sealer, err := login.ParseKeys(base64.StdEncoding.EncodeToString(make([]byte, 32)))
	if err != nil {
		t.Fatal(err)
	}
	logins, err := login.New(store, login.Options{Sealer: sealer, PublicURL: "http://127.0.0.1:8080", OneUser: true})
	if err != nil {
		t.Fatal(err)
	}
	runs, err := runner.New(store, &runner.Options{Agents: map[string]adapter.Agent{"": adapter.AgentFunc(nil)}, Logins: logins})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { runs.Shutdown(context.Background()) })
	srv, err := server.New(runs, &server.Options{Logins: logins})
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// textsOf collects the summaries and descriptions of a document.
func textsOf(node any, into map[string]bool) {
	switch n := node.(type) {
	case map[string]any:
		for name, member := range n {
			if text, is := member.(string); is && (name == "summary" || name == "description") {
				into[text] = true
			}
			textsOf(member, into)
		}
	case []any:
		for _, member := range n {
			textsOf(member, into)
		}
	}
}
