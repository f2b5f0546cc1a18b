// Package noderuntime is the lane of CopilotKit's runtime for Node, as published, with
// the command for its agent. It needs no browser.
package noderuntime

import (
	"os"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
)

func TestMain(m *testing.M) { os.Exit(command.Main(m)) }

func TestCopilotKitNodeRuntime(t *testing.T) {
	suite.Full(t)
	command.Node(t, "conformance/frontends/noderuntime")
	const token = "the-token-that-ada-has"
	server := command.Start(t, command.Options{Args: []string{"--auth", "tokens", "--tokens", `[{token: ` + token + `, user: ada}]`}})
	command.NodeTests(t, []string{
		"AGUIWS_SERVER=" + server.URL(),
		"AGUIWS_EFFECTS=" + server.EffectsFile(),
		"AGUIWS_TOKEN=" + token,
		"COPILOTKIT_TELEMETRY_DISABLED=true",
		"DO_NOT_TRACK=1",
	}, "noderuntime.test.mjs")
}
