package conn

// A goroutine that waits for a peer costs a stack, which is most of what an
// idle socket holds. The WebSocket library can only be read by waiting: it
// answers control frames itself and goes on waiting for a message, however long
// that takes. If the system can watch connections for us (park_linux.go), a reader
// therefore leaves when its peer has said everything, and comes back when there is more.
// For that it must get out of the library between two messages: the library is told of an
// empty message there, and nobody else is (incoming.go). To come back costs as much as two
// or three messages, so a reader leaves when its peer has said nothing for Options.Quiet;
// one that came for a pong leaves at once.
//
// An idle attached socket of a server, of 5,000, holds 9.9 to 11.6 kB with this and 15.1 to
// 15.8 kB without, 4 kB of them a stack. One of the bare library in its handler holds 24.1
// kB, so that this is 0.41 to 0.48 of it, and 0.63 to 0.66 without. The half that is
// promised is kept with it only.
//
//	go run ./conformance/bench --only idle
//	go run -tags noepoll ./conformance/bench --only idle
//
// The build tag noepoll takes it out, to measure it and to test what other
// systems run; BenchmarkIdle compares the connections alone.

// Await makes Options.Reader come, in a goroutine of its own, when the peer has
// sent something or the connection has ended; where the connection cannot be
// watched, at once. The reader calls it when Read returns ErrIdle, and reads no more.
func (c *Conn) Await() {
	if c.number == 0 || c.out.in.early {
		go c.come()
		return
	}
	again := c.known
	c.known = true
	c.parked.Store(true)
	// A Close may have come too early to see that the reader has left.
	if c.closed.Load() || !c.parking.watch(c, again) {
		c.wake()
	}
}

// wake makes the reader come back, if it has left.
func (c *Conn) wake() {
	if c.parked.CompareAndSwap(true, false) {
		go c.come()
	}
}

func (c *Conn) come() {
	if c.number > 0 {
		c.out.mayLeave()
	}
	c.reader()
}
