// Package upstreams is the lane of agents that others have made, behind two gateways:
// LangGraph, Mastra, TanStack AI and AGUIMock as npm has them are driven through an
// unmodified HttpAgent, the chat page and CopilotKit's runtimeUrl, while gateways die.
// What their tools have done is counted where they did it.
//
// Unprepared agents ask in ways of their own: in Node and Python those of somebody who knows
// AG-UI alone, of LangGraph and Mastra those that their documents have. They are answered on
// the page, in the inbox, by inbox-cli and through CopilotKit.
//
// AGUIWS_TARGETS names the targets, as in AGUIWS_TARGETS=langgraph,mastra; without it
// those are tried that are small. The unprepared agents are always tried.
// A test is skipped if the packages of its agent are not installed.
package upstreams
