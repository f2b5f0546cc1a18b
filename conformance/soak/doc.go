// Package soak has no code, only a test: two servers on one Redis, worked for as
// long as is wanted, and looked at when nothing is going on.
//
//	go test -count=1 -timeout=0 -v ./conformance/soak -for 10m
//
// A crowd of people, each in two tabs, lives one thread after another: streams,
// approvals sent twice, queued inputs, lost sockets, stop buttons, rewinds, plain
// sockets, Server-Sent Events, and at its end the thread's deletion. Every few
// seconds they pause. Then each server is asked for its goroutines, its heap
// after a collection, its resident memory and its file descriptors, and Redis for
// its keys and its memory, and for what the largest key of each kind holds, and the
// next lap begins. A third server is another process in each lap, and some threads,
// diaries, are never deleted: every run of one has the same runId. What grows from lap to lap
// behind the warm-up, beyond what chance makes of it, fails the test; so does
// whatever the tabs find wrong, and an approved effect that took place twice or
// not at all. A table and a verdict are printed.
//
// Thread ids are used again, because a deleted thread leaves a record for a day:
// so the number of keys must stay what it is once each id has been used.
//
// Without -for the soak is a few seconds long, which shows that it works; of
// growth it judges goroutines and files alone. AGUIWS_SEED repeats what was done, as far as the machine does.
package soak
