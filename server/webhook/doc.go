// Package webhook tells programs of others what becomes true of threads, by POST
// requests to the targets that are configured.
//
// docs/webhooks.md tells what a receiver must know: the body, the headers, how to
// verify, and when a failure is tried again.
//
// A Sender has a line for each target: it takes what the target is owed from the store,
// and some workers send it. Lines share nothing that one could use up, so that a target
// that is slow or dead delays no other. A webhook that was taken is held for a while:
// should the process die meanwhile, it is another's then. Everything is therefore sent at
// least once, and notices of one thread may come in any order.
//
// The address to which a target's name leads is not trusted, each time anew: see guard.
package webhook
