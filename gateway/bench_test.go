package gateway

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
)

// benchEvents is how many deltas a run has.
const benchEvents = 2000

func benchDelta(n int) string { return fmt.Sprintf("word %d of an answer ", n) }

// BenchmarkRun runs 2,000 deltas through a runner: of an agent in the process, and of one
// behind a connection, whose own work is to write what it has made before. What is reported
// is the CPU of this process for an event, of both ends together.
func BenchmarkRun(b *testing.B) {
	in := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		id := run.NewID()
		if err := run.Emit(&protocol.TextMessageStart{MessageID: id, Role: protocol.RoleAssistant}); err != nil {
			return err
		}
		for n := range benchEvents {
			if err := run.Emit(&protocol.TextMessageContent{MessageID: id, Delta: benchDelta(n)}); err != nil {
				return err
			}
		}
		return run.Emit(&protocol.TextMessageEnd{MessageID: id})
	})
	b.Run("own", func(b *testing.B) { benchRuns(b, in) })
	b.Run("gateway", func(b *testing.B) {
		up, err := New("http://agent/", &Options{dial: benchPeer(b), MaxRunBytes: 1 << 30})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { up.Close(context.Background()) })
		benchRuns(b, up)
	})
}

// benchPeer answers on connections within the process.
func benchPeer(b *testing.B) func(context.Context, string, string) (net.Conn, error) {
	var stream strings.Builder
	put := func(format string, args ...any) { fmt.Fprintf(&stream, "data: "+format+"\n\n", args...) }
	put(`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`)
	put(`{"type":"TEXT_MESSAGE_START","messageId":"message","role":"assistant"}`)
	for n := range benchEvents {
		put(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"message","delta":%q}`, benchDelta(n))
	}
	put(`{"type":"TEXT_MESSAGE_END","messageId":"message"}`)
	put(`{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, stream.String())
	}))
	b.Cleanup(s.Close)
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", s.Listener.Addr().String())
	}
}

func benchRuns(b *testing.B, agent adapter.Agent) {
	st, err := redisstore.Embedded(nil)
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	r, err := runner.New(st, &runner.Options{Agents: map[string]adapter.Agent{"": agent}})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Shutdown(context.Background())
	woken := make(chan struct{}, 1)
	before := cpu(b)
	n := 0
	for b.Loop() {
		n++
		key := store.ThreadKey{Namespace: "bench", Thread: fmt.Sprint("t", n)}
		f := r.Follow(key, func() {
			select {
			case woken <- struct{}{}:
			default:
			}
		})
		if _, err := f.Attach(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
		in := user("go")
		in.ThreadID, in.RunID = key.Thread, "run"
		if _, err := r.Submit(b.Context(), admission.Input{Namespace: key.Namespace, Run: in}); err != nil {
			b.Fatal(err)
		}
		for events := 0; events < benchEvents+4; {
			page, err := f.Next(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			if events += len(page.Events); len(page.Events) == 0 {
				<-woken
			}
		}
		f.Close()
	}
	runtime.KeepAlive(r)
	b.ReportMetric(float64(cpu(b)-before)/float64(n*benchEvents), "cpu-ns/event")
}

// cpu is what the process has used.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
