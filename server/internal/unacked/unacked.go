// Package unacked tells what a peer has not taken yet of what was written to it.
package unacked

import (
	"errors"
	"net"
)

// ErrStalled reports that a peer took nothing for the whole write timeout.
var ErrStalled = errors.New("conn: the peer does not read")

// Bytes returns how many bytes the kernel holds that the peer has not acknowledged, 0 if
// it cannot tell. A connection that wraps another, as TLS does, is looked through.
func Bytes(conn net.Conn) int {
	for {
		wrapped, ok := conn.(interface{ NetConn() net.Conn })
		if !ok {
			return queued(conn)
		}
		conn = wrapped.NetConn()
	}
}
