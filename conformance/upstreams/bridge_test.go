package upstreams

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// The bridge that the docs show puts a graph of LangGraph's own server behind a gateway: a
// yes is carried out once, a no and a cancel are not.
func TestLangGraphBridge(t *testing.T) {
	suite.Full(t)
	installed(t, "langgraph")
	effects, port := filepath.Join(t.TempDir(), "effects"), redistest.FreePort(t)
	graph := exec.Command("node", "langgraph/server.mjs", "0", effects)
	graph.Env = append(os.Environ(), "GRAPHS=asking.mjs", fmt.Sprintf("LANGGRAPH_PORT=%d", port))
	ready(t, graph)
	bridge := exec.Command("node", "langgraph/bridge.mjs")
	bridge.Env = append(os.Environ(), "PORT=0", fmt.Sprintf("LANGGRAPH_URL=http://127.0.0.1:%d", port))
	// LangGraph's server has TypeScript look at the graph before its first answer.
	upstream := fmt.Sprintf("langgraph+%s#first-byte-timeout=%s", ready(t, bridge), patience)
	gateway := command.Start(t, command.Options{Args: []string{"--upstream", upstream}})

	c, err := client.Dial(t.Context(), strings.Replace(gateway.URL(), "http", "ws", 1)+"/agui/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for name, answer := range map[string]func(protocol.Interrupt) protocol.ResumeEntry{
		"yes":    func(i protocol.Interrupt) protocol.ResumeEntry { return client.Resolve(i, "true") },
		"no":     func(i protocol.Interrupt) protocol.ResumeEntry { return client.Resolve(i, "false") },
		"cancel": client.Withdraw,
	} {
		thread, err := c.Follow(t.Context(), name, nil)
		if err != nil {
			t.Fatal(err)
		}
		end, err := thread.Say("approve " + name).Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		asked := client.Asked(end)
		if len(asked) != 1 || asked[0].Message != "Send to "+name+"?" {
			t.Fatalf("%s: it asks %v", name, asked)
		}
		if _, err := thread.Answer(answer(asked[0])).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if done := command.Effects(t, effects); len(done) != 1 || !strings.Contains(string(done[0].Args), `"yes"`) {
		t.Errorf("carried out: %v", done)
	}
}
