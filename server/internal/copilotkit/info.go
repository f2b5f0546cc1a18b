package copilotkit

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/aguiws/aguiws/internal/build"
)

// describing bounds how long agents are asked what they can do, all together.
const describing = 2 * time.Second

// info tells a page what the runtime can do. It claims no licence and no
// feature that is not here.
func (k *call) info() {
	ctx, cancel := context.WithTimeout(k.r.Context(), describing)
	defer cancel()
	agents := map[string]agentJSON{defaultAgent: k.describe(ctx, defaultAgent, "")}
	for _, name := range k.streams.Options.Agents {
		agents[name] = k.describe(ctx, name, name)
	}
	k.answer(http.StatusOK, infoJSON{
		Version: build.Version(), Mode: "sse", Agents: agents, Suggestions: true, TelemetryDisabled: true,
	})
}

type infoJSON struct {
	Version                       string               `json:"version"`
	Mode                          string               `json:"mode"`
	Agents                        map[string]agentJSON `json:"agents"`
	AudioFileTranscriptionEnabled bool                 `json:"audioFileTranscriptionEnabled"`
	// Absent ones would count as supported.
	ThreadEndpoints struct {
		List             bool `json:"list"`
		Inspect          bool `json:"inspect"`
		Mutations        bool `json:"mutations"`
		RealtimeMetadata bool `json:"realtimeMetadata"`
	} `json:"threadEndpoints"`
	// Suggestions is true even when nobody makes any: a page that does not
	// find it true asks for them as a run of a thread that it never uses again.
	Suggestions       bool `json:"suggestions"`
	TelemetryDisabled bool `json:"telemetryDisabled"`
}

type agentJSON struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	ClassName    string          `json:"className"`
	Capabilities json.RawMessage `json:"capabilities"`
}

// describe tells of an agent, by what a page calls it and what it is called here.
func (k *call) describe(ctx context.Context, called, name string) agentJSON {
	description, capabilities := k.config.Describe(ctx, name)
	return agentJSON{Name: called, Description: description, ClassName: "HttpAgent", Capabilities: capabilities}
}
