// Package server carries AG-UI runs over WebSockets and over HTTP.
//
//	browser ⇄ socket ─→ session ─→ runner.Runner ─→ store
//	                       ↑                           │
//	                       └──── followers: cursors ←──┘ over each thread's log
//
// docs/binding is the wire, frame by frame. New makes a Server
// of a Runner; its Handler serves
//
//	GET /agui/ws, /agui/{agent}/ws   the WebSocket binding, and plain mode
//	POST /agui, /agui/{agent}        a run, as Server-Sent Events
//	GET /agui/threads/{id}/events    a thread, as Server-Sent Events
//	GET /agui/capabilities           AgentCapabilities
//	/v1/…                            the control API; /v1/openapi.json describes it
//	/copilotkit/…                    CopilotKit's runtime protocol
//	GET /login/…                     where browsers begin logins, and come back
//	GET /metrics                     what Metrics count
//	GET /healthz, /readyz            is it alive; does it want traffic
//	everything else                  Options.Fallback
//
// and Serve runs it on a listener with sane limits:
//
//	s, err := server.New(runner, &server.Options{Fallback: web.Handler()})
//	…
//	go s.Serve(listener)
//	<-signals
//	s.Shutdown(ctx) // tells clients, ends or hands back the runs, closes with 1012
//
// # What is checked before anything is believed
//
// The server checks the Host against an allow-list, then the Origin, then the credential.
// It checks each frame for size, UTF-8, depth and names that come twice. It bounds how many
// frames come in a second, how many bytes of them are worked on at once in the process, and
// how many sockets there are. The limits are in Options. Serve also bounds what a
// connection may take before its request is read.
package server
