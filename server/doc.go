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
// # One socket
//
// A socket has a reader and a session. The reader takes frames off the wire,
// checks them and puts them into a short queue. The session answers them one
// after the other and, between them, moves its cursors forward and writes what
// they find. It alone knows what was written to the socket, so nothing about
// positions needs a lock. Its output is gathered and goes out in one system call a turn.
//
// Both have a goroutine only while there is something to do. On Linux the
// connections of idle sockets are watched by one for all of them; elsewhere, and
// under TLS, the reader keeps its own.
//
// The server keeps nothing in memory for a socket that reads slowly: its cursors stay
// behind and read the log from the store later. A queue that is full holds up the reader,
// and thereby the sender.
//
// A stream over HTTP has the request's goroutine and nothing else: a cursor that
// writes what it finds, as a plain socket does.
//
// # What is checked before anything is believed
//
// The server checks the Host against an allow-list, then the Origin, then the credential.
// It checks each frame for size, UTF-8, depth and names that come twice. It bounds how many
// frames come in a second, how many bytes of them are worked on at once in the process, and
// how many sockets there are. The limits are in Options. internal/edge bounds what a
// connection may take before that, and besides.
package server
