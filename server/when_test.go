package server

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// steered goes through one step, and says what joined it by then.
func steered(let <-chan struct{}) adapter.Agent {
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if _, err := adapter.StepWith(ctx, run, "work", adapter.StepOptions{Idempotent: true}, func(ctx context.Context) (bool, error) {
			select {
			case <-let:
				return true, nil
			case <-ctx.Done():
				return false, context.Cause(ctx)
			}
		}); err != nil {
			return err
		}
		joined, err := run.Injected(ctx)
		if err != nil {
			return err
		}
		for _, m := range joined {
			if err := run.Say("heard " + m.Content.String()); err != nil {
				return err
			}
		}
		return nil
	})
}

// An input that joins comes by whatever way, and each sender is told how its own run ended.
func TestInputsJoin(t *testing.T) {
	let := make(chan struct{})
	ts := node(t, embedded(t), steered(let))
	c := ts.connect("/agui/ws", plainMode)
	c.send(`{"threadId":"t","runId":"r1","state":{},"tools":[],"context":[],"messages":[{"id":"m","role":"user","content":"hi"}],"forwardedProps":{}}`)
	c.expect(string(protocol.TypeRunStarted))

	post := func(run, when string) string {
		return `{"threadId":"t","runId":"` + run + `","state":{},"tools":[],"context":[],"messages":[{"id":"m-` + run +
			`","role":"user","content":"` + run + `"}],"forwardedProps":{"aguiws":{"when":` + when + `}}}`
	}
	for _, wrong := range []string{`"now"`, `1`, `{}`} {
		if _, last := ts.ask(http.MethodPost, "/agui", post("wrong", wrong)).rest(); last["code"] != "invalid_input" {
			t.Errorf("when %s: %v", wrong, last)
		}
	}
	s := ts.ask(http.MethodPost, "/agui", post("posted", `"step"`))
	v := &v1Server{t: t, ts: ts}
	thread := func() map[string]any {
		_, text, _ := v.send("GET", "/threads/t", "", nil)
		return objectIn(t, text)
	}
	eventually(t, "it waits", func() bool { return thread()["queued"] == 1.0 })
	if status, text, _ := v.send("POST", "/threads/t/input", `{"text":"by /v1","runId":"added","when":"step"}`, nil); status != http.StatusAccepted || objectIn(t, text)["disposition"] != "queued" {
		t.Errorf("%d %s", status, text)
	}
	if status, text, _ := v.send("POST", "/threads/t/input", `{"text":"x","when":"soon"}`, nil); status != http.StatusBadRequest {
		t.Errorf("%d %s", status, text)
	}
	if status, text, _ := v.send("POST", "/threads/t/input", `{"text":"x","when":"step","after":"m"}`, nil); status != http.StatusBadRequest {
		t.Errorf("%d %s", status, text)
	}
	close(let)
	_, last := s.rest()
	outcome, _ := json.Marshal(last["outcome"])
	result, _ := json.Marshal(last["result"])
	if last["type"] != "RUN_FINISHED" || string(outcome) != `{"type":"success"}` || string(result) != `{"joined":"r1"}` {
		t.Errorf("its sender is told %v", last)
	}
	eventually(t, "at rest", func() bool { return thread()["activeRun"] == nil })
	_, text, _ := v.send("GET", "/threads/t/messages", "", nil)
	var said []string
	for _, m := range objectIn(t, text)["items"].([]any) {
		said = append(said, m.(map[string]any)["content"].(string))
	}
	if got, _ := json.Marshal(said); string(got) != `["hi","posted","by /v1","heard posted","heard by /v1"]` {
		t.Errorf("%s", got)
	}
}
