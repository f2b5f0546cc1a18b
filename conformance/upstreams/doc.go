// Package upstreams is the lane of agents that others have made, behind two gateways:
// LangGraph, Mastra, TanStack AI and AGUIMock as npm has them are driven through an
// unmodified HttpAgent, the chat page and CopilotKit's runtimeUrl, while gateways die.
// What their tools have done is counted where they did it.
//
// Agents in Node and Python that somebody wrote who knows AG-UI alone ask without a schema,
// and are answered on the page, in the inbox and by inbox-cli.
//
// AGUIWS_TARGETS names the targets, as in AGUIWS_TARGETS=langgraph,mastra; without it
// those are tried that are small. A target is skipped where its packages are not installed.
package upstreams
