package conformance_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/gateway"
	"github.com/aguiws/aguiws/protocol"
)

// A page that reads nothing of what an upstream says at length holds up neither another run
// of the upstream, nor its own, which comes to its end.
func TestPageThatReadsNothingBeforeAnUpstream(t *testing.T) {
	const piece, pieces = 32 << 10, 256 // 8 MiB, twice: more than connections hold
	quick := make(chan struct{})
	value := strings.Repeat("x", piece)
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		in, err := protocol.DecodeInput(body)
		if err != nil {
			t.Error(err)
			return
		}
		tell := func(format string, args ...any) { fmt.Fprintf(w, "data: "+format+"\n\n", args...) }
		tell(`{"type":"RUN_STARTED","threadId":%q,"runId":%q}`, in.ThreadID, in.RunID)
		if in.Messages[len(in.Messages)-1].Content.String() == "much" {
			for i := range 2 * pieces {
				if i == pieces {
					select {
					case <-quick:
					case <-r.Context().Done():
						return
					}
				}
				tell(`{"type":"CUSTOM","name":"much","value":%q}`, value)
			}
		}
		tell(`{"type":"RUN_FINISHED","threadId":%q,"runId":%q}`, in.ThreadID, in.RunID)
	}))
	defer far.Close()
	ended := make(chan gateway.Observation, 8)
	up, err := gateway.New(far.URL, &gateway.Options{Observe: func(o gateway.Observation) { ended <- o }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { up.Close(context.Background()) })
	url := serveAgents(t, map[string]adapter.Agent{"": up})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()

	deaf := deafPage(t, url)
	input := func(thread, run, text string) string {
		return fmt.Sprintf(`{"threadId":%q,"runId":%q,"messages":[{"id":"m-%[2]s","role":"user","content":%q}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`, thread, run, text)
	}
	frame := input("deaf", "deaf", "much")
	head := append([]byte{0x81, 0x80 | 126}, binary.BigEndian.AppendUint16(nil, uint16(len(frame)))...)
	if _, err := deaf.Write(append(append(head, 0, 0, 0, 0), frame...)); err != nil { // masked with zeroes
		t.Fatal(err)
	}

	run := func(thread, run string) {
		t.Helper()
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/agui", strings.NewReader(input(thread, run, "little")))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil || !strings.Contains(string(body), `"RUN_FINISHED"`) {
			t.Fatalf("%v\n%.2000s", err, body)
		}
	}
	wants := func(events int64) {
		t.Helper()
		select {
		case o := <-ended:
			if o.Code != "" || o.Events != events {
				t.Fatalf("%+v, not %d events", o, events)
			}
		case <-ctx.Done():
			t.Fatalf("no end of a run of %d events", events)
		}
	}
	run("other", "other")
	wants(2)
	close(quick)
	wants(2*pieces + 2)
	run("deaf", "next") // waits in the queue until the run before it is over
	wants(2)
}

// deafPage opens a WebSocket of which nothing is read behind the handshake's first bytes.
func deafPage(t *testing.T, url string) net.Conn {
	t.Helper()
	host := strings.TrimPrefix(url, "http://")
	c, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(c, "GET /agui/ws HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", host); err != nil {
		t.Fatal(err)
	}
	status := make([]byte, len("HTTP/1.1 101"))
	if _, err := io.ReadFull(c, status); err != nil || string(status) != "HTTP/1.1 101" {
		t.Fatalf("%q %v", status, err)
	}
	return c
}
