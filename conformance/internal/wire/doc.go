// Package wire is a client of the WebSocket binding for tests: strict where a
// real one is lenient.
//
// A Tab holds one thread as a browser tab does. It attaches, counts positions,
// folds what it gets, connects again after every loss and asks for what it
// missed; an input that was not answered it sends again. Whatever the binding
// promises and a stream does not keep is an error of the test: a position out of
// turn, an event that is not exact or not in order, a run without or with a
// second end, a restatement that was not needed.
package wire
