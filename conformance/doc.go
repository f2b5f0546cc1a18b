// Package conformance holds an AG-UI server to the protocol, over the wire, whoever
// wrote it. Its command is conformance/cmd/agui; README.md is for people who have a
// server to test.
//
// A Case is data: what a client sends, what must come, and the rule that this is
// about (RULES.md). Run carries cases out against a Target over one transport:
// WebSocket with the binding of docs/binding, WebSocket without a subprotocol,
// AG-UI's HTTP and Server-Sent Events, or CopilotKit's runtime protocol. Whatever a
// case is about, every event that comes is checked for its shape and its place, every
// run for its one end, and every position for being counted right.
//
// What a case needs of the agent behind the server is a command (Commands), which a
// Profile gives other names or takes away; what it needs of the server is a feature
// (Features). What is not there makes a case Skipped, which is not Passed.
//
// The package knows the protocol and nothing else of this module: servers are black
// boxes. Cases run concurrently, each on threads of its own, except those that replace
// the server's process.
package conformance
