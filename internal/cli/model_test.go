package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

const hiddenKey = "sk-hidden-4711"

// model stands in for an endpoint that has one model, and wants a key.
type model struct {
	*httptest.Server
	mu   sync.Mutex
	keys []string
}

func newModel(t *testing.T) *model {
	m := new(model)
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Authorization")
		m.mu.Lock()
		m.keys = append(m.keys, key)
		m.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if key != "Bearer "+hiddenKey {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"message":"no key like %s"}}`, key)
			return
		}
		switch r.URL.Path {
		case "/v1/models":
			io.WriteString(w, `{"object":"list","data":[{"id":"small"}]}`)
		case "/v1/chat/completions":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"Hello."},"finish_reason":"stop"}]}`, "\n\ndata: [DONE]\n\n")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(m.Close)
	return m
}

func (m *model) asked() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.keys...)
}

// Without what it needs the command says what to set, at start and in check.
func TestModelSettings(t *testing.T) {
	for want, c := range map[string]struct {
		env  environment
		args []string
	}{
		"needs a model: --model NAME":     {env(), []string{"--agent", "assistant"}},
		"AGUIWS_AGENT assistant: needs a": {env("AGUIWS_AGENT", "assistant"), nil},
		"--model-url: needs --model":      {env(), []string{"--model-url", "http://127.0.0.1:1/v1"}},
		"OpenAI wants a key":              {env(), []string{"--model", "small"}},
		"expected the address":            {env("AGUIWS_MODEL_KEY", hiddenKey), []string{"--model", "small", "--model-url", "localhost:11434"}},
		"neither credentials nor a query": {env(), []string{"--model", "small", "--model-url", "https://ann:" + hiddenKey + "@example.com/v1"}},
		"unknown flag --model-key":        {env(), []string{"--model-key", hiddenKey}},
	} {
		for _, command := range []string{"serve", "check"} {
			var out, log strings.Builder
			err := run(context.Background(), append([]string{command, "--addr", "127.0.0.1:0"}, c.args...), c.env, &out, &log)
			if err == nil || !strings.Contains(err.Error()+out.String(), want) {
				t.Errorf("%s: %v, want %s", command, err, want)
				continue
			}
			if strings.Contains(err.Error()+out.String()+log.String(), hiddenKey) {
				t.Errorf("%s tells the key: %v %s %s", command, err, &out, &log)
			}
		}
	}
}

// Check says whether the endpoint answers and has the model, and no key.
func TestCheckModel(t *testing.T) {
	m := newModel(t)
	at := []string{"--model-url", m.URL + "/v1", "--model"}
	for name, c := range map[string]struct {
		env   environment
		args  []string
		lines []string
		fails bool
	}{
		"has it":   {env("AGUIWS_MODEL_KEY", hiddenKey), append(at, "small"), []string{"ok    model: " + m.Listener.Addr().String() + " has small"}, false},
		"another":  {env("AGUIWS_MODEL_KEY", hiddenKey), append(at, "large"), []string{"FAIL  model: " + m.Listener.Addr().String() + " has no large: it has small"}, true},
		"no key":   {env(), append(at, "small"), []string{"FAIL  model: "}, true},
		"OpenAI's": {env("OPENAI_API_KEY", hiddenKey), append(at, "small"), []string{"warn  model: no key is sent", "FAIL  model: "}, true},
		"nobody":   {env("AGUIWS_MODEL_KEY", hiddenKey), []string{"--model", "small", "--model-url", "http://127.0.0.1:1/v1"}, []string{"FAIL  model: llm: http://127.0.0.1:1/v1 cannot be reached: "}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var out, log strings.Builder
			err := run(t.Context(), append([]string{"check", "--addr", "127.0.0.1:0"}, c.args...), c.env, &out, &log)
			if (err != nil) != c.fails {
				t.Errorf("%v", err)
			}
			wantLines(t, out.String(), c.lines...)
			if strings.Contains(fmt.Sprint(err)+out.String()+log.String(), hiddenKey) {
				t.Errorf("it tells the key:\n%s", &out)
			}
		})
	}
}

// OpenAI's own key goes nowhere else.
func TestOpenAIsKeyStaysThere(t *testing.T) {
	for address, want := range map[string]string{
		"https://api.openai.com/v1": hiddenKey, "https://api.openai.com.example/v1": "", "http://api.openai.com/v1": "", "http://127.0.0.1:11434/v1": "",
	} {
		s := newSettings()
		s.model.name, s.model.url, s.model.openai = "small", address, hiddenKey
		if got := s.modelSecret(); got != want {
			t.Errorf("%s: %q", address, got)
		}
	}
}

// The assistant answers under its name, and says who it is.
func TestAssistantIsServed(t *testing.T) {
	m := newModel(t)
	c := start(t, env("AGUIWS_MODEL_KEY", hiddenKey), "--agent", "assistant", "--model", "small", "--model-url", m.URL+"/v1")
	for _, route := range []string{"/agui", "/agui/assistant"} {
		response, err := http.Get("http://" + c.addr + route + "/capabilities")
		if err != nil {
			t.Fatal(err)
		}
		var told struct {
			Identity struct{ Name, Type, Description string }
		}
		err = json.NewDecoder(response.Body).Decode(&told)
		response.Body.Close()
		if err != nil || told.Identity.Name != "assistant" || !strings.Contains(told.Identity.Description, "small") {
			t.Errorf("%s: %+v %v", route, told, err)
		}
		response, err = http.Post("http://"+c.addr+route, "application/json", strings.NewReader(
			`{"threadId":"t`+strings.ReplaceAll(route, "/", "-")+`","runId":"r","messages":[{"id":"m","role":"user","content":"hi"}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || !strings.Contains(string(text), `"delta":"Hello."`) || !strings.Contains(string(text), "RUN_FINISHED") {
			t.Errorf("%s: %s %v", route, text, err)
		}
	}
	c.end()
	if len(m.asked()) != 2 || strings.Contains(c.log.String()+strings.Join(c.said, ""), hiddenKey) {
		t.Errorf("asked %d times; the log is %s", len(m.asked()), c.log)
	}
	if strings.Contains(c.log.String(), "MODEL_KEY is no setting") {
		t.Errorf("the key's variable is called a stray: %s", c.log)
	}
}
