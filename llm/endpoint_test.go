package llm_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/aguiws/aguiws/llm"
)

// asked is what of a request the tests look at.
type asked struct {
	Model    string
	Messages []struct {
		Role       string
		Content    json.RawMessage
		ToolCalls  []json.RawMessage `json:"tool_calls"`
		ToolCallID string            `json:"tool_call_id"`
	}
	Tools []struct {
		Function struct {
			Name       string
			Parameters json.RawMessage
		}
	}
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	key string
}

// texts are the messages as role and content.
func (a asked) texts() string {
	var b strings.Builder
	for _, m := range a.Messages {
		fmt.Fprintf(&b, "%s %s", m.Role, m.Content)
		if len(m.ToolCalls) > 0 {
			fmt.Fprintf(&b, " +%d", len(m.ToolCalls))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// reply answers one request.
type reply func(w http.ResponseWriter, r *http.Request)

// endpoint stands in for a model: its replies are given one after the other.
type endpoint struct {
	t       *testing.T
	server  *httptest.Server
	mu      sync.Mutex
	replies []reply
	got     []asked
}

func newEndpoint(t *testing.T, replies ...reply) *endpoint {
	e := &endpoint{t: t, replies: replies}
	e.server = httptest.NewServer(http.HandlerFunc(e.serve))
	t.Cleanup(e.server.Close)
	return e
}

func (e *endpoint) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	a := asked{key: r.Header.Get("Authorization")}
	if err := json.Unmarshal(body, &a); err != nil || r.URL.Path != "/v1/chat/completions" {
		http.Error(w, "no request", http.StatusTeapot)
		return
	}
	e.mu.Lock()
	next := reply(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no more replies", http.StatusTeapot) })
	if len(e.got) < len(e.replies) {
		next = e.replies[len(e.got)]
	}
	e.got = append(e.got, a)
	e.mu.Unlock()
	next(w, r)
}

// requests are those so far.
func (e *endpoint) requests() []asked {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]asked(nil), e.got...)
}

// options are those of an agent of the endpoint's.
func (e *endpoint) options(tools ...llm.Tool) llm.Options {
	transport := &http.Transport{}
	e.t.Cleanup(transport.CloseIdleConnections)
	return llm.Options{
		URL: e.server.URL + "/v1", Model: "m-1", Key: secret, Instructions: "Be brief.", Tools: tools,
		Retries: -1, Client: &http.Client{Transport: transport},
	}
}

const secret = "sk-never-shown-1234"

func (e *endpoint) agent(tools ...llm.Tool) *llm.Agent { return newAgent(e.t, e.options(tools...)) }

func newAgent(t *testing.T, o llm.Options) *llm.Agent {
	t.Helper()
	a, err := llm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// delta is a chunk with one choice.
func delta(members string) string {
	return `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m-1-2026","choices":[{"index":0,"delta":{` + members + `},"finish_reason":null}]}`
}

func text(s string) string { return delta(`"content":` + quoted(s)) }

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func finish(reason string) string {
	return `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m-1-2026","choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

func used(in, out int) string {
	return fmt.Sprintf(`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m-1-2026","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`, in, out, in+out)
}

func toolCall(index int, id, name, args string) string {
	return delta(fmt.Sprintf(`"tool_calls":[{"index":%d,"id":%s,"type":"function","function":{"name":%s,"arguments":%s}}]`, index, quoted(id), quoted(name), quoted(args)))
}

func moreArgs(index int, args string) string {
	return delta(fmt.Sprintf(`"tool_calls":[{"index":%d,"function":{"arguments":%s}}]`, index, quoted(args)))
}

// stream sends chunks, each at once, without an end.
func stream(w http.ResponseWriter, chunks ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, c := range chunks {
		fmt.Fprintf(w, "data: %s\n\n", c)
		w.(http.Flusher).Flush()
	}
}

// chunks is a whole answer.
func chunks(list ...string) reply {
	return func(w http.ResponseWriter, _ *http.Request) { stream(w, append(list, "[DONE]")...) }
}

// answers says a text.
func answers(s string) reply { return chunks(text(s), finish("stop"), used(10, 2)) }

// calls calls tools, by names and arguments.
func calls(pairs ...string) reply {
	var list []string
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, toolCall(i/2, fmt.Sprintf("call_%d", i), pairs[i], ""), moreArgs(i/2, pairs[i+1]))
	}
	return chunks(append(list, finish("tool_calls"), used(20, 5))...)
}
