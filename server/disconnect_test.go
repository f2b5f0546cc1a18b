package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestOnDisconnectIsChecked(t *testing.T) {
	for name, c := range map[string]struct {
		on   map[string]Disconnect
		says []string
	}{
		"a route that there is not":  {map[string]Disconnect{"/v1": DisconnectStop}, []string{`"/v1"`, "/agui, /copilotkit, default, helper"}},
		"an agent that there is not": {map[string]Disconnect{"nobody": DisconnectStop}, []string{`"nobody"`, "/agui, /copilotkit, default, helper"}},
		"a policy that there is not": {map[string]Disconnect{"helper": "maybe"}, []string{"helper", `"maybe"`, "stop or finish"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newServer(newFake(), nil, &Options{Agents: []string{"helper"}, OnDisconnect: c.on})
			if err == nil {
				t.Fatal("it was taken")
			}
			for _, part := range c.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %s", err, part)
				}
			}
		})
	}
}

// Each agent's capabilities tell what becomes of its runs.
func TestCapabilitiesTellOfDisconnects(t *testing.T) {
	ts := newTestServer(t, newFake(), &Options{Agents: []string{"helper"}, DisconnectGrace: 1500 * time.Millisecond,
		OnDisconnect: map[string]Disconnect{"helper": DisconnectFinish}})
	const stop, finish = `{"/agui":"stop","/copilotkit":"finish","graceMs":1500}`, `{"/agui":"finish","/copilotkit":"finish","graceMs":1500}`
	for path, want := range map[string]string{"/agui/capabilities": stop, "/agui/helper/capabilities": finish} {
		_, _, body := ts.get(path, nil, "")
		told(t, path, body, want)
	}
	var info struct {
		Agents map[string]struct{ Capabilities map[string]any }
	}
	if err := json.NewDecoder(ts.ask(http.MethodGet, "/copilotkit/info", "").resp.Body).Decode(&info); err != nil {
		t.Fatal(err)
	}
	told(t, "info of the default agent", info.Agents["default"].Capabilities, stop)
	told(t, "info of another", info.Agents["helper"].Capabilities, finish)
}

func told(t *testing.T, where string, caps map[string]any, want string) {
	t.Helper()
	custom, _ := caps["custom"].(map[string]any)
	own, _ := custom["aguiws"].(map[string]any)
	got, err := json.Marshal(own["onDisconnect"])
	if err != nil || !sameJSON(t, got, []byte(want)) {
		t.Errorf("%s: %s, want %s", where, got, want)
	}
}
