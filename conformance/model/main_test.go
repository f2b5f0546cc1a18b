package model

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/aguiws/aguiws/conformance/internal/command"
)

func TestMain(m *testing.M) { os.Exit(command.Main(m)) }

// patience is how long a process may take to do what it must, also on a machine that
// does much else.
const patience = time.Minute

// lease is short, so that a dead worker is noticed soon.
const lease = 2 * time.Second

const key = "lane-key"

// endpoint is aimock, in a process of its own.
type endpoint struct {
	t   *testing.T
	url string
}

func startEndpoint(t *testing.T) *endpoint {
	t.Helper()
	command.Node(t, "conformance/model/node")
	cmd := exec.Command("node", "server.mjs")
	cmd.Dir = "node"
	return &endpoint{t, command.Said(t, cmd, "listening")}
}

// args are the command's arguments for an assistant of the endpoint's.
func (e *endpoint) args(t *testing.T) []string {
	t.Helper()
	t.Setenv("AGUIWS_MODEL_KEY", key)
	return []string{"--agent", "assistant", "--model", "gpt-4o", "--model-url", e.url + "/v1"}
}

// asked is how often the endpoint was asked for an answer.
func (e *endpoint) asked() int {
	e.t.Helper()
	request, err := http.NewRequest(http.MethodGet, e.url+"/__aimock/journal?path=/v1/chat/completions", nil)
	if err != nil {
		e.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	client := &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		e.t.Fatal(err)
	}
	defer response.Body.Close()
	var entries []struct{ Path string }
	if err := json.NewDecoder(response.Body).Decode(&entries); err != nil {
		e.t.Fatalf("%s: %v", response.Status, err)
	}
	return len(entries)
}
