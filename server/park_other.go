//go:build !linux

package server

import "net"

// parking would watch connections for sockets that wait for their peer. Where
// it cannot, each keeps its goroutine.
type parking struct{}

func (*parking) register(*socket, net.Conn) int32 { return 0 }
func (*parking) forget(int32)                     {}
func (*parking) watch(*socket, bool) bool         { return false }
func (*parking) close()                           {}
