package redistest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"testing"
)

// given are the ports that FreePort has given away: a server that is down between
// two lives keeps its own.
var given struct {
	sync.Mutex
	ports map[int]bool
}

// FreePort finds a port that is free, as is the one 10,000 above it, on which a
// Cluster's servers talk to each other. Both are below those that the system hands
// out by itself, so that nobody gets them by chance while nothing listens there. No
// other call of the process gets it again. It may be called concurrently.
func FreePort(t testing.TB) int {
	t.Helper()
	given.Lock()
	defer given.Unlock()
	if given.ports == nil {
		given.ports = map[int]bool{}
	}
	for range 100 {
		port := 10_000 + rand.IntN(10_000)
		if !given.ports[port] && free(port) && free(port+10_000) {
			given.ports[port] = true
			return port
		}
	}
	t.Fatal("redistest: no two ports are free")
	return 0
}

func free(port int) bool {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	_ = l.Close()
	return true
}
