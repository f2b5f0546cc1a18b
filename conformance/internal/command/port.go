package command

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

// FreePort finds a port below those that the system hands out by itself, so that
// nobody gets it by chance while nothing listens there. No other call of the
// process gets it again.
func FreePort(t testing.TB) int {
	t.Helper()
	given.Lock()
	defer given.Unlock()
	if given.ports == nil {
		given.ports = map[int]bool{}
	}
	for range 100 {
		port := 10_000 + rand.IntN(20_000)
		if given.ports[port] {
			continue
		}
		l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err != nil {
			continue
		}
		l.Close()
		given.ports[port] = true
		return port
	}
	t.Fatal("command: no free port")
	return 0
}
