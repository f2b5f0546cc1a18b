// Package foreign holds the harness to servers that are not ours: one of
// @ag-ui/encoder on Node, one of AG-UI's community Go SDK. They are written as such
// servers are, by people who have read the SDK and not this project.
//
// What they fail at is written down in failures.txt, each with its reason, and the
// test compares: a harness that finds less has gone blind, one that finds more has
// become unjust.
//
// The SDK's own example server is a module of its own that no module proxy has, so
// the Go server here stands on the SDK's packages and does what that example is known
// for.
//
// The SDK's client, which is a client of ours like any other, is let loose on the server
// of this module.
//
// A third server, node/binding.mjs, was written from docs/binding, without the source of our
// server. It passes every case of the profiles that it announces. pageclient is a client
// that was written from docs/binding alone. It is cut off again and again, and in the end
// holds what the thread has.
package foreign
