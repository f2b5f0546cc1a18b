package llm_test

import (
	"context"
	"log"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/llm"
)

type zone struct {
	Name string `json:"name" jsonschema:"such as Europe/Paris"`
}

// An agent of a model that Ollama serves, with a tool that nobody needs to approve. Without
// Policy somebody would be asked about each call.
func ExampleNew() {
	agent, err := llm.New(llm.Options{
		URL: "http://127.0.0.1:11434/v1", Model: "qwen3", Instructions: "Be brief.",
		Tools: []llm.Tool{llm.Define(adapter.Tool[zone, string]{
			Name: "current_time", Description: "Tells the time", Policy: llm.NeverAsk[zone],
			Do: func(_ context.Context, _ adapter.Invocation, z zone) (string, error) {
				at, err := time.LoadLocation(z.Name)
				if err != nil {
					return "", err // the model reads it
				}
				return time.Now().In(at).String(), nil
			},
		})},
	})
	if err != nil {
		log.Fatal(err)
	}
	_ = runner.Options{Agents: map[string]adapter.Agent{"": agent}}
}
