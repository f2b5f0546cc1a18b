// Package hostile has no code, only tests: users and strangers who want a server down,
// each at its limit, while somebody of another tenant goes on working.
//
//	go test -count=1 -v ./conformance/hostile
//
// Each way in has a server of its own, a process with the default limits but for how
// often a user may put an input. Its attacker has one token and one address. A victim
// puts small inputs over HTTP and over a socket and asks whether the server is ready:
// before the attack, and while it goes on. None of that may be refused. The process may
// take what it may hold for clients and 200 MiB, and what else must hold of that way is
// counted.
//
// How long the victim waits is printed and kept among the artifacts. It fails a test
// only if it is beyond what a machine that does much else could make of it.
//
// Beside that each operation of the control API is asked for with a thousand times the usual
// data: that it succeeds, what the process holds for it, and that it counts for who asks. An
// operation that the table of operations_test.go does not have fails the test.
package hostile
