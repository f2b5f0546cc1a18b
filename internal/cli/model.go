package cli

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/aguiws/aguiws/llm"
	"github.com/aguiws/aguiws/llm/demo"
	"github.com/aguiws/aguiws/protocol"
)

// assistant is the agent with a model, by its name.
const assistant = "assistant"

const (
	modelKey  = "AGUIWS_MODEL_KEY"
	openaiKey = "OPENAI_API_KEY"
)

// readModelKey takes what the environment says of keys, which no flag does: command lines
// can be read by others.
func (s *settings) readModelKey(env environment) {
	s.model.key, s.model.openai = strings.TrimSpace(env.get(modelKey)), strings.TrimSpace(env.get(openaiKey))
}

// hasAssistant reports whether the assistant is served.
func (s *settings) hasAssistant() bool { return s.model.name != "" || s.agent == assistant }

// validateModel judges what depends on one another.
func (s *settings) validateModel() error {
	m := s.model
	switch {
	case s.agent == assistant && m.name == "":
		return fmt.Errorf("%s %s: needs a model: --model NAME, --model-url for any endpoint but OpenAI's, such as http://127.0.0.1:11434/v1 for Ollama, and the endpoint's key, if it wants one, in %s",
			s.named("agent"), assistant, modelKey)
	case m.name == "" && s.from["model-url"] != "":
		return fmt.Errorf("%s: needs --model", s.named("model-url"))
	case m.name != "" && m.url == llm.DefaultURL && m.key == "" && m.openai == "":
		return fmt.Errorf("%s %s: OpenAI wants a key: in %s or %s; or name another endpoint by --model-url, such as http://127.0.0.1:11434/v1 for Ollama",
			s.named("model"), m.name, openaiKey, modelKey)
	}
	return nil
}

// modelSecret is the key that is sent. OpenAI's own goes to OpenAI alone.
func (s *settings) modelSecret() string {
	m := s.model
	if m.key == "" && isOpenAI(m.url) {
		return m.openai
	}
	return m.key
}

// isOpenAI reports whether an address is OpenAI's.
func isOpenAI(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Scheme == "https" && u.Hostname() == "api.openai.com"
}

// newAssistant makes the agent. It asks nobody for anything.
func (s *settings) newAssistant() (*llm.Agent, error) {
	a, err := demo.New(llm.Options{URL: s.model.url, Model: s.model.name, Key: s.modelSecret()}, s.effects)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.named("model-url"), err)
	}
	return a, nil
}

func (s *settings) assistantIdentity() protocol.IdentityCapabilities {
	return demo.Identity(s.model.name)
}

// model says whether the endpoint answers, and has the model.
func (r *report) model(ctx context.Context, s *settings) {
	if !s.hasAssistant() {
		return
	}
	a, err := s.newAssistant()
	if err != nil {
		return // that is said of the agents
	}
	key := s.modelSecret()
	u, err := url.Parse(s.model.url)
	if err == nil && u.Scheme == "http" && key != "" && !isLoopback(u.Hostname()) {
		r.say("warn", "model-url", "the key goes to %s without TLS: whoever is between can read it", u.Host)
	}
	if key == "" && s.model.openai != "" {
		r.say("warn", "model", "no key is sent: that in %s is for OpenAI alone, and one for %s goes into %s", openaiKey, u.Host, modelKey)
	}
	found, err := a.Check(ctx)
	switch {
	case err != nil:
		r.fail("model", err)
	case !found.Listed:
		r.say("warn", "model", "%s answers, and does not list its models: whether it has %s shows when it is asked", u.Host, s.model.name)
	case !found.Has && len(found.Others) == 0:
		r.fail("model", fmt.Errorf("%s has no model", u.Host))
	case !found.Has:
		r.fail("model", fmt.Errorf("%s has no %s: it has %s", u.Host, s.model.name, strings.Join(found.Others, ", ")))
	default:
		r.say("ok", "model", "%s has %s", u.Host, s.model.name)
	}
}
