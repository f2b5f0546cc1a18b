// Package frontends is the lane of other people's frontends: published CopilotKit
// and published assistant-ui, in Chromium, run the script agent through the
// WebSocketAgent of web/client, over a network that fails.
package frontends

import (
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
)

func TestMain(m *testing.M) { os.Exit(command.Main(m)) }

func TestFrontends(t *testing.T) {
	suite.Full(t)
	packages(t)
	browser := command.Chromium(t)
	in(t, ".", nil, "node", "bundle.mjs")
	server := command.Start(t, command.Options{Args: []string{"--agent", "script", "--upstream", "weather=" + weather(t)}})
	strict := command.Start(t, command.Options{Args: []string{"--agent", "script", "--auth", "tokens", "--token-file", tokensFile(t), "--separate-duties", "--origins", "http://127.0.0.1:*"}})
	for _, page := range []string{"copilotkit", "assistant", "assistant-0.0.56", "questions", "quickstart", "decision", "hooks", "duties"} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			// Every version of a frontend is asked the same.
			frontend, _, _ := strings.Cut(page, "-")
			behind := server
			if page == "duties" {
				behind = strict
			}
			// A network of its own, so that cutting it disturbs nobody else.
			line := newNetwork(t, behind.URL(), "build")
			pages := httptest.NewServer(line.pages())
			t.Cleanup(pages.Close)
			control := httptest.NewServer(line.control())
			t.Cleanup(control.Close)

			command.NodeTests(t, []string{
				"AGUIWS_PAGES=" + pages.URL,
				"AGUIWS_CONTROL=" + control.URL,
				"AGUIWS_EFFECTS=" + behind.EffectsFile(),
				"AGUIWS_BROWSER=" + browser,
				"AGUIWS_SHOTS=" + command.Artifacts(t),
				"AGUIWS_PAGE=" + page,
				"AGUIWS_TOKEN=" + token,
			}, frontend+".test.mjs")
		})
	}
}

// packages ends the test where the packages of this folder are not installed.
func packages(t *testing.T) { command.Node(t, "conformance/frontends") }
