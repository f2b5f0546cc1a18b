//go:build !linux || noepoll

package conn

// Parks tells whether idle connections hold no goroutine on this system.
const Parks = false

// Parking would watch connections that wait for their peers. It cannot on this system, and
// each keeps its goroutine.
type Parking struct{}

func (*Parking) register(*Conn) int32   { return 0 }
func (*Parking) forget(int32)           {}
func (*Parking) watch(*Conn, bool) bool { return false }

// Close does nothing.
func (*Parking) Close() {}
