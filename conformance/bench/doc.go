// Package bench measures this server beside others, in one run on one machine.
//
//	go test ./conformance/bench -run '^$' -bench IdleSockets -benchtime 1x
//
// measures what an idle attached socket costs in memory, against a server that
// does nothing but accept with coder/websocket and wait for a message in the
// handler. Each socket has a thread of its own and has been pinged. It needs
// redis-server, and in each process a descriptor a socket: ulimit -n 11000 for
// the default of 10,000. AGUIWS_SOCKETS sets another number. With -tags noepoll
// each socket of this server keeps a goroutine that waits for its peer.
package bench
