package server

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/server/internal/ws"
	"github.com/aguiws/aguiws/server/metrics"
)

func TestHeartbeatKeepsAnAnsweringPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c, _ := bubble(t, newFake(), nil, ws.Subprotocol)
		c.expect("ws.hello")
		ctx, gone := context.WithCancel(context.Background())
		go func() {
			c.ws.Receive(context.Background()) // reads, and so answers pings
			gone()
		}()
		time.Sleep(time.Hour)
		if ctx.Err() != nil || s.openSockets() != 1 {
			t.Error("the socket is gone")
		}
	})
}

func TestHeartbeatDropsASilentPeer(t *testing.T) {
	for _, protocols := range [][]string{{ws.Subprotocol}, nil} {
		synctest.Test(t, func(t *testing.T) {
			s, c, conn := bubble(t, newFake(), nil, protocols...)
			if protocols != nil {
				c.expect("ws.hello")
			}
			// The kernel would take the ping; nobody answers it.
			go discard(conn.Read)
			time.Sleep(34 * time.Second)
			if s.openSockets() != 1 {
				t.Error("dropped too early")
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if s.openSockets() != 0 {
				t.Error("not dropped 10 s after the ping")
			}
		})
	}
}

func discard(read func([]byte) (int, error)) {
	for buf := make([]byte, 4096); ; {
		if _, err := read(buf); err != nil {
			return
		}
	}
}

// A peer that takes nothing for the write timeout is cut off, whatever it has
// asked for; one that takes a little now and then is not.
func TestWriteTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newFake()
		m := metrics.New()
		s, c, _ := bubble(t, b, &Options{Heartbeat: 24 * time.Hour, Metrics: m}, ws.Subprotocol)
		c.expect("ws.hello")
		c.follow("t")
		b.log(localThread, custom("1"))
		time.Sleep(9 * time.Second)
		if s.openSockets() != 1 {
			t.Error("cut off too early")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n := s.openSockets(); n != 0 {
			t.Errorf("%d sockets are left", n)
		}
		if b.followers() != 0 {
			t.Error("the thread is still followed")
		}
		// No frame fits behind what was not taken: only the server knows the code.
		if value(t, m, "aguiws_sockets_closed_total", "4408") == 1 {
			saw("close 4408")
		}
	})
}

func TestSlowReaderIsNotClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newFake()
		s, c, conn := bubble(t, b, nil, ws.Subprotocol)
		c.expect("ws.hello")
		c.follow("t")
		big := fmt.Sprintf(`{"type":"CUSTOM","name":"big","value":%q}`, strings.Repeat("x", 2000))
		for range 200 {
			b.log(localThread, big)
		}
		// Ten minutes at a kilobyte a second.
		buf := make([]byte, 1024)
		for range 300 {
			time.Sleep(time.Second)
			if _, err := conn.Read(buf); err != nil {
				t.Fatalf("cut off: %v", err)
			}
		}
		if s.openSockets() != 1 {
			t.Error("closed")
		}
		conn.Close()
		synctest.Wait()
	})
}

// The slow socket of one client does not hold up another's.
func TestSlowReaderBlocksNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newFake()
		s, slow, _ := bubble(t, b, nil, ws.Subprotocol)
		slow.expect("ws.hello")
		slow.follow("t")
		_, quick, _ := bubble(t, b, nil, ws.Subprotocol)
		quick.expect("ws.hello")
		quick.follow("t")
		began := time.Now()
		for i := range 100 {
			b.log(localThread, custom(fmt.Sprint(i)))
		}
		quick.expect("ws.stream")
		for i := range 100 {
			quick.wants(custom(fmt.Sprint(i)))
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("the quick one waited for %v", took)
		}
		if s.openSockets() != 1 {
			t.Error("the slow one was closed")
		}
	})
}

// While the session is busy the reader waits, and reads no pong; that is not
// the peer's fault. When it is idle again a missing pong counts again.
func TestBusySessionIsNotASilentPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newFake()
		s, c, conn := bubble(t, b, nil) // plain: the inputs wait for the first one's run
		go discard(conn.Read)
		for range 1 + 8 + 1 { // one served, a full inbox, one in the reader's hands
			c.send(input("t", "r"))
		}
		time.Sleep(10 * time.Minute)
		if s.openSockets() != 1 {
			t.Error("dropped")
		}
		b.log(localThread, runFinished("t", "r"))
		time.Sleep(time.Minute)
		synctest.Wait()
		if s.openSockets() != 0 {
			t.Error("never dropped")
		}
	})
}

// A frame that takes its time is a sign of life.
func TestSlowUpload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newFake()
		b.submit = func(_ context.Context, in admission.Input) (admission.Admitted, error) { return b.start(in), nil }
		_, c, conn := bubble(t, b, nil, ws.Subprotocol)
		c.expect("ws.hello")
		frame := []byte(fmt.Sprintf(`{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":%q}]}`, strings.Repeat("x", 2<<20)))
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			conn.Write(binary.BigEndian.AppendUint64([]byte{0x81, 0x80 | 127}, uint64(len(frame))))
			conn.Write([]byte{0, 0, 0, 0}) // masked with zeroes
			for piece := range slices.Chunk(frame, 64<<10) {
				time.Sleep(2 * time.Second)
				conn.Write(piece)
			}
		}()
		// No pong can be sent in the middle of a frame, so read past the library.
		var got strings.Builder
		for buf := make([]byte, 4096); !strings.Contains(got.String(), "ws.run"); {
			n, err := conn.Read(buf)
			if err != nil {
				t.Fatalf("cut off: %v", err)
			}
			got.Write(buf[:n])
		}
		<-sent
		conn.Close()
		synctest.Wait()
	})
}
