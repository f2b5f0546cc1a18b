package server

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/budget"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/ws"
)

func largeInput(run string, bytes int) string {
	return fmt.Sprintf(`{"threadId":"t","runId":%q,"messages":[{"id":"m","role":"user","content":%q}]}`, run, strings.Repeat("x", bytes))
}

// What a plain socket sends while a run goes on counts until it was judged, and a socket
// of which much waits is not read.
func TestWaitingInputsCount(t *testing.T) {
	b := newFake()
	ts := newTestServer(t, b, nil)
	c := ts.connect("/agui/ws", plainMode)
	c.send(input("t", "r0"))
	c.wants(runStarted("t", "r0"))
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for i := range 6 {
			c.send(largeInput(fmt.Sprint("r", i+1), 3<<20))
		}
	}()
	one := frames.Weigh([]byte(largeInput("r1", 3<<20)))
	eventually(t, "one waits", func() bool { return ts.gate.Budget.Held() == one })
	for i := range 6 {
		b.log(localThread, runFinished("t", fmt.Sprint("r", i)))
		c.wants(runFinished("t", fmt.Sprint("r", i)), runStarted("t", fmt.Sprint("r", i+1)))
		if held := ts.gate.Budget.Held(); held > 4*one {
			t.Errorf("%d bytes are held for 6 inputs of %d", held, one)
		}
	}
	<-sent
	b.log(localThread, runFinished("t", "r6"))
	c.wants(runFinished("t", "r6"))
	eventually(t, "nothing is held", func() bool { return ts.gate.Budget.Held() == 0 })
}

// The body of a request counts as it comes, and its input until it was judged.
func TestBodiesCount(t *testing.T) {
	b := newFake()
	judging, goOn := make(chan struct{}), make(chan struct{})
	b.submit = func(_ context.Context, in admission.Input) (admission.Admitted, error) {
		close(judging)
		<-goOn
		return b.start(in), nil
	}
	ts := newTestServer(t, b, nil)
	conn, err := net.Dial("tcp", ts.http.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := largeInput("r", 2<<20)
	fmt.Fprintf(conn, "POST /agui HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body))
	if held := ts.gate.Budget.Held(); held != 0 {
		t.Errorf("%d bytes are held for a body that has not come", held)
	}
	if _, err := io.WriteString(conn, body[:1<<20]); err != nil {
		t.Fatal(err)
	}
	eventually(t, "half of it counts", func() bool { return ts.gate.Budget.Held() >= 2<<20 })
	if _, err := io.WriteString(conn, body[1<<20:]); err != nil {
		t.Fatal(err)
	}
	<-judging
	if held := ts.gate.Budget.Held(); held != frames.Weigh([]byte(body)) {
		t.Errorf("%d bytes are held for an input of %d", held, len(body))
	}
	close(goOn)
	eventually(t, "nothing is held", func() bool { return ts.gate.Budget.Held() == 0 })
	b.log(localThread, runFinished("t", "r"))
}

// Lists are refused when there is no room for them, and threads are read within it.
func TestV1Overload(t *testing.T) {
	ts := newV1With(t, &Options{CallTimeout: 400 * time.Millisecond}).ts
	ann := http.Header{"Authorization": {"Bearer " + annsToken}}
	release := ts.fill(budget.Replies)
	status, header, body := ts.get("/v1/inbox", ann, "")
	if header.Get("Retry-After") == "" || status != http.StatusServiceUnavailable {
		t.Errorf("got %d, %v, %v", status, header, body)
	}
	release()
	if status, _, _ := ts.get("/v1/inbox", ann, ""); status != http.StatusOK {
		t.Errorf("got %d", status)
	}
}

// A thread may be larger than its user's share: neither the frame that asks for it, however
// large, nor another tab that holds little keeps it from being read.
func TestThreadLargerThanShare(t *testing.T) {
	b := newFake()
	b.stored = 20 << 20
	b.log(store.ThreadKey{Namespace: "ann", Thread: "t"}, custom("1"))
	b.submit = func(ctx context.Context, in admission.Input) (admission.Admitted, error) {
		if err := store.Room(ctx, b.stored); err != nil {
			return admission.Admitted{}, err
		}
		return admission.Admitted{Disposition: admission.Refused, Refusal: &protocol.RunError{Message: "no", Code: "thread_busy"}}, nil
	}
	tokens := newTokens(t, []identity.Token{{Token: annsToken, User: "ann"}})
	ts := newTestServer(t, b, &Options{Auth: tokens})
	tab := ts.gate.Budget.Open(budget.Replies, "\x00ann", "")
	defer tab.Close()
	if err := tab.Take(t.Context(), budget.Small); err != nil {
		t.Fatal(err)
	}
	c := ts.connect("/agui/ws", bearer(annsToken, ws.Subprotocol))
	c.expect("ws.hello")
	c.follow("t")
	c.send(largeInput("r", 3<<20))
	c.expect("ws.run")
	c.expect("ws.stream")
	if got := c.expect("RUN_ERROR"); got["code"] != "thread_busy" {
		t.Errorf("a socket's input: %v", got)
	}
	s := ts.post(largeInput("r", 3<<20), "Authorization", "Bearer "+annsToken)
	s.fails("thread_busy")
}
