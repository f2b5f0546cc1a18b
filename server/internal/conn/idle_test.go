package conn

import (
	"context"
	"io"
	"net"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"

	"github.com/aguiws/aguiws/server/internal/conn/conntest"
)

// held is what a connection holds on this side of it, beside the network's.
type held struct{ heap, stack, goroutines int }

func (h held) bytes() int { return h.heap + h.stack }

// idle opens connections, each of which has been pinged once, and returns what
// each of them holds. serve serves one, and returns what ends that.
func idle(t testing.TB, connections int, serve func(network net.Conn) (end func())) held {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	peers, served := make([]net.Conn, connections), make([]net.Conn, connections)
	for i := range peers {
		if peers[i], err = net.Dial("tcp", l.Addr().String()); err != nil {
			t.Fatal(err)
		}
		if served[i], err = l.Accept(); err != nil {
			t.Fatal(err)
		}
	}
	ends := make([]func(), connections)
	before := holding()
	for i := range ends {
		ends[i] = serve(served[i])
	}
	ping := conntest.Frame(true, 9, []byte("there?"))
	pong := make([]byte, 2+len("there?"))
	for _, peer := range peers {
		if _, err := peer.Write(ping); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(peer, pong); err != nil {
			t.Fatal(err)
		}
	}
	after := holding()
	for i := range peers {
		peers[i].Close()
		ends[i]()
	}
	each := func(a, b int) int { return (b - a) / connections }
	return held{each(before.heap, after.heap), each(before.stack, after.stack), each(before.goroutines, after.goroutines)}
}

func holding() held {
	for range 3 { // a stack shrinks by half a collection
		debug.FreeOSMemory()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return held{int(m.HeapAlloc), int(m.StackInuse), runtime.NumGoroutine()}
}

// ours serves a connection as a server does.
func ours(t testing.TB, parking *Parking) func(net.Conn) func() {
	return func(network net.Conn) func() {
		var c *Conn
		var pongs atomic.Bool
		ended := make(chan struct{})
		c = accept(t, network, &Options{Parking: parking,
			Gathered: func() {
				if !pongs.Swap(true) {
					go func() { _ = c.Flush() }()
				}
			},
			Reader: func() {
				if _, err := c.Read(); err == ErrIdle {
					c.Await()
				} else {
					close(ended)
				}
			},
		})
		c.Await()
		return func() {
			<-ended
			c.Close(0, "")
		}
	}
}

// bare serves one as the library's users do.
func bare(t testing.TB) func(net.Conn) func() {
	return func(network net.Conn) func() {
		r := httptest.NewRequest("GET", "/", nil)
		upgrade(r)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			c, err := websocket.Accept(handler{httptest.NewRecorder(), network}, r, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer c.CloseNow()
			for err == nil {
				_, _, err = c.Read(context.Background())
			}
		}()
		return func() { <-ended }
	}
}

func measure(t testing.TB, connections int) (parked, waiting, library held) {
	var parking, full Parking
	defer parking.Close()
	full.Close() // it takes none
	parked = idle(t, connections, ours(t, &parking))
	waiting = idle(t, connections, ours(t, &full))
	library = idle(t, connections, bare(t))
	return parked, waiting, library
}

// An idle connection holds no goroutine, and less than half of what the library
// would hold by itself; with a goroutine that waits it holds more than that.
func TestIdle(t *testing.T) {
	if !Parks {
		t.Skip("connections are not watched here")
	}
	parked, waiting, library := measure(t, 300)
	t.Logf("parked %+v, waiting %+v, the library alone %+v", parked, waiting, library)
	if parked.goroutines != 0 || waiting.goroutines != 1 {
		t.Errorf("%d goroutines a parked connection, %d a waiting one", parked.goroutines, waiting.goroutines)
	}
	if 2*parked.bytes() > library.bytes() {
		t.Errorf("%d bytes a connection, the library holds %d", parked.bytes(), library.bytes())
	}
	if parked.bytes() >= waiting.bytes() {
		t.Errorf("parking saves nothing: %d bytes, %d without", parked.bytes(), waiting.bytes())
	}
}

func BenchmarkIdle(b *testing.B) {
	for range b.N {
		parked, waiting, library := measure(b, 5000)
		b.ReportMetric(float64(parked.bytes()), "parked-B/conn")
		b.ReportMetric(float64(waiting.bytes()), "waiting-B/conn")
		b.ReportMetric(float64(library.bytes()), "library-B/conn")
	}
}
