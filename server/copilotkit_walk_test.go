package server

import "fmt"

func init() {
	bodies["POST /copilotkit/agent/{agent}/run"] = inputTo
	bodies["POST /copilotkit/agent/{agent}/connect"] = inputTo
	bodies["POST /copilotkit/agent/{agent}/suggest"] = inputTo
	bodies["POST /copilotkit/agent/{agent}/stop/{thread}"] = func(i ids) string { return fmt.Sprintf(`{"runId":%q}`, i.run) }
	bodies["POST /copilotkit"] = func(i ids) string {
		return fmt.Sprintf(`{"method":"agent/stop","params":{"agentId":"script","threadId":%q}}`, i.thread)
	}
	bodies["POST /copilotkit/{agent...}"] = bodies["POST /copilotkit"]
}
