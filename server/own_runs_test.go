package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/order"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/ws"
)

const (
	runOnly  = "0123456789abcdef-run-only"
	runOnly2 = "0123456789abcdef-run-only-2"
)

// newOwnRuns is a server on which ann has a thread, in a namespace that she shares with
// two who may run and not read.
func newOwnRuns(t *testing.T) *walk {
	r := newRunner(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{})}})
	tokens := newTokens(t, []identity.Token{
		{Token: annsToken, User: "ann", Namespace: "team"},
		{Token: runOnly, User: "bob", Namespace: "team", Scopes: []string{identity.ScopeRun}},
		{Token: runOnly2, User: "cid", Namespace: "team", Scopes: []string{identity.ScopeRun}},
	})
	w := &walk{testServer: newTestServer(t, running(r), &Options{Auth: tokens, FrameBurst: 1000, InputBurst: 1000, RequestBurst: 10_000})}
	w.ann(t, "r-ann", "/say "+canary)
	w.ann(t, "r-state", `/state {"secret":"`+canary+`"}`)
	return w
}

func saysOn(thread, run, text string) string {
	return fmt.Sprintf(`{"threadId":%q,"runId":%q,"messages":[{"id":"m-%s","role":"user","content":%q}],"tools":[],"context":[],"state":{},"forwardedProps":{},"protocolVersion":"1.0"}`,
		thread, run, run, text)
}

func answers(run, interrupt string) string {
	return fmt.Sprintf(`{"threadId":"shared","runId":%q,"messages":[],"tools":[],"context":[],"state":{},"forwardedProps":{},"protocolVersion":"1.0","resume":[{"interruptId":%q,"status":"resolved","payload":{"approved":true}}]}`,
		run, interrupt)
}

func (w *walk) ann(t *testing.T, run, text string) {
	t.Helper()
	if said := w.request(t, http.MethodPost, "/agui", annsToken, saysOn("shared", run, text)); !strings.Contains(said, "RUN_FINISHED") {
		t.Fatal(said)
	}
}

// ownOnly holds what came for inputs to the rule: well-formed runs of these labels, and
// nothing of ann's.
func ownOnly(t *testing.T, came string, labels ...string) (interrupt string) {
	t.Helper()
	if strings.Contains(came, canary) || strings.Contains(came, "r-ann") || strings.Contains(came, "SNAPSHOT") || strings.Contains(came, `"positions":{"`) {
		t.Errorf("what is ann's came with it: %s", came)
	}
	var sequence order.Sequence
	for line := range strings.Lines(came) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "data: ")
		if !strings.HasPrefix(line, `{"type":"`) || strings.HasPrefix(line, `{"type":"ws.`) {
			continue
		}
		e, err := protocol.Decode([]byte(line))
		if err == nil {
			err = sequence.Check(e)
		}
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
		switch e := e.(type) {
		case *protocol.RunStarted:
			if len(labels) == 0 || e.RunID != labels[0] {
				t.Fatalf("run %s, want %q, in %s", e.RunID, labels, came)
			}
			labels = labels[1:]
		case *protocol.RunFinished:
			if e.Outcome != nil && len(e.Outcome.Interrupts) > 0 {
				interrupt = e.Outcome.Interrupts[0].ID
			}
		}
	}
	if len(labels) > 0 {
		t.Errorf("%q did not come: %s", labels, came)
	}
	return interrupt
}

// Who may run and not read is told of runs that their own inputs began, by each way.
func TestRunWithoutRead(t *testing.T) {
	socketOf := func(protocols ...string) func(*walk, *testing.T) func(string) string {
		return func(w *walk, t *testing.T) func(string) string {
			c := w.connect("/agui/ws", bearer(runOnly, protocols...))
			t.Cleanup(func() { c.ws.CloseNow() })
			if len(protocols) == 0 {
				return func(input string) string { return w.run(c, input) }
			}
			c.expect("ws.hello")
			return func(input string) string { return w.exchange(c, input) }
		}
	}
	posts := func(path string) func(*walk, *testing.T) func(string) string {
		return func(w *walk, t *testing.T) func(string) string {
			return func(input string) string { return w.request(t, http.MethodPost, path, runOnly, input) }
		}
	}
	for name, way := range map[string]func(*walk, *testing.T) func(string) string{
		"a socket": socketOf(ws.Subprotocol), "a plain socket": socketOf(), "a POST": posts("/agui"), "CopilotKit": posts("/copilotkit/agent/default/run"),
	} {
		t.Run(name, func(t *testing.T) {
			w := newOwnRuns(t)
			send := way(w, t)
			ownOnly(t, send(saysOn("shared", "own-1", "/say hello")), "own-1")
			w.ann(t, "r-ann-2", "/say again "+canary)
			interrupt := ownOnly(t, send(saysOn("shared", "own-2", `/tool pay {}`)), "own-2")
			if interrupt == "" {
				t.Fatal("the question did not come")
			}
			if came := send(answers("own-3", interrupt)); !strings.Contains(came, "TOOL_CALL_RESULT") {
				t.Errorf("the answer is followed by %s", came)
			} else {
				ownOnly(t, came, "own-3")
			}
			ownOnly(t, send(saysOn("shared", "own-4", `/state {"mine":1}`)), "own-4")
			w.ann(t, "r-ann-3", "/say again "+canary)

			again := send(saysOn("shared", "own-1", "/say hello"))
			if ownOnly(t, again, "own-1"); !strings.Contains(again, "RUN_FINISHED") {
				t.Errorf("a repeat of one's own: %s", again)
			}
			for _, run := range []string{"r-ann", "r-state"} { // ann's, by its label, and by what she said
				for _, input := range []string{saysOn("shared", run, "/say "+canary), strings.Replace(saysOn("shared", run, ""), `{"id":"m-`+run+`","role":"user","content":""}`, "", 1)} {
					if came := send(input); !strings.Contains(came, `"code":"forbidden"`) || strings.Contains(came, "RUN_STARTED") {
						t.Errorf("a repeat of ann's: %s", came)
					}
				}
			}
		})
	}
}

// An input that waits is told of when it runs, and of what runs before it nothing.
func TestRunWithoutReadThatWaits(t *testing.T) {
	w := newOwnRuns(t)
	ann := w.as(annsToken)
	defer ann.ws.CloseNow()
	ann.send(saysOn("shared", "r-ann-slow", "/slow 30 20"))
	for !strings.Contains(string(ann.read()), "RUN_STARTED") {
	}
	c := w.connect("/agui/ws", bearer(runOnly, ws.Subprotocol))
	defer c.ws.CloseNow()
	c.expect("ws.hello")
	c.send(saysOn("shared", "own-1", "/say hello"))
	c.send(saysOn("shared", "own-2", "/say hello"))
	c.send(saysOn("shared", "own-1", "/say hello")) // again
	var came strings.Builder
	for ends := 0; ends < 2; {
		frame := c.read()
		came.WriteString(string(frame) + "\n")
		if strings.Contains(string(frame), `"RUN_FINISHED"`) {
			ends++
		}
	}
	if ownOnly(t, came.String(), "own-1", "own-2"); !strings.Contains(came.String(), `"queued"`) {
		t.Errorf("nothing waited: %s", came.String())
	}
	var repeats, positions int
	for line := range strings.Lines(came.String()) {
		var frame struct {
			Disposition, Type string
			Seq               int64
		}
		if err := json.Unmarshal([]byte(line), &frame); err != nil {
			t.Fatal(err)
		}
		if frame.Disposition == "repeat" {
			repeats++
		}
		if frame.Type == "ws.stream" && frame.Seq != 0 || frame.Type == "ws.attached" {
			positions++
		}
	}
	if repeats != 1 || positions != 0 {
		t.Errorf("%d repeats, %d positions: %s", repeats, positions, came.String())
	}
}
