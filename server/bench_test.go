package server

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/aguiws/aguiws/server/internal/ws"
)

// BenchmarkDelivery is the way of an event from a thread's log to a client
// that follows it, in batches as a worker commits them.
func BenchmarkDelivery(b *testing.B) {
	for _, batch := range []int{1, 16, 256} {
		b.Run(fmt.Sprint(batch), func(b *testing.B) {
			f := newFake()
			f.page = 256
			s, err := newServer(f, nil, nil)
			if err != nil {
				b.Fatal(err)
			}
			l, err := s.Listen("127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			served := make(chan error, 1)
			go func() { served <- s.Serve(l) }()
			ctx := context.Background()
			ws, _, err := websocket.Dial(ctx, "ws://"+l.Addr().String()+"/agui/ws", &websocket.DialOptions{Subprotocols: []string{ws.Subprotocol}})
			if err != nil {
				b.Fatal(err)
			}
			if err := ws.Write(ctx, websocket.MessageText, []byte(`{"type":"ws.attach","threadId":"t"}`)); err != nil {
				b.Fatal(err)
			}
			for _, want := range []string{"ws.hello", "ws.attached", "ws.live"} {
				if _, data, err := ws.Read(ctx); err != nil || !strings.Contains(string(data), want) {
					b.Fatalf("%s, %v", data, err)
				}
			}
			event := fmt.Sprintf(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":%q}`, strings.Repeat("x", 40))
			events := make([]string, batch)
			for i := range events {
				events[i] = event
			}
			b.ReportAllocs()
			b.ResetTimer()
			done := make(chan error, 1)
			go func() {
				for range b.N + 1 { // and the ws.stream
					if _, _, err := ws.Read(ctx); err != nil {
						done <- err
						return
					}
				}
				done <- nil
			}()
			for sent := 0; sent < b.N; sent += batch {
				f.log(localThread, events[:min(batch, b.N-sent)]...)
			}
			if err := <-done; err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			ws.CloseNow()
			if err := s.Shutdown(ctx); err != nil {
				b.Fatal(err)
			}
			if err := <-served; err != nil {
				b.Fatal(err)
			}
		})
	}
}
