// Package wire is a client of the WebSocket binding for tests: strict where a
// real one is lenient.
//
// A Tab holds one thread as a browser tab does, with the client that programs in Go
// use: it connects again after every loss, asks for what it missed, and sends an input
// again that was not answered. A judge beside it sees every frame. Whatever the binding
// promises and a stream does not keep is an error of the test: a position out of
// turn, an event that is not exact or not in order, a run without or with a
// second end, a restatement that was not needed.
package wire
