package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/server/internal/ws"
)

// eventsServer is a server whose agent says how an event is called and waits for it, when
// it may; a socket of ann's that follows the thread t, and what asks the control API without
// a credential.
func eventsServer(t *testing.T, waits <-chan struct{}) (v, stranger *v1Server, c *client) {
	schema := json.RawMessage(`{"type":"object","properties":{"amount":{"type":"integer"}},"required":["amount"]}`)
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		e, err := run.Event(ctx, "paid", schema)
		if err != nil {
			return err
		}
		if err := run.Say(e.URL); err != nil {
			return err
		}
		<-waits
		payload, err := e.Wait(ctx, run.Now().Add(time.Hour))
		if errors.Is(err, adapter.ErrWaitCancelled) {
			return run.Say("cancelled")
		} else if err != nil {
			return err
		}
		return run.Say(string(payload))
	})
	r := newRunner(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"script": agent}, Default: "script", PublicURL: publicURL + "/"})
	v = newV1On(t, r, &Options{FrameBurst: 1000, InputBurst: 1000, RequestBurst: 10_000})
	nobody := *v
	nobody.token = ""
	c = v.ts.connect("/agui/ws", bearer(annsToken, ws.Subprotocol))
	c.expect("ws.hello")
	return v, &nobody, c
}

// until reads frames to the one that contains a text.
func (c *client) until(text string) string {
	c.t.Helper()
	for {
		if data := string(c.read()); strings.Contains(data, text) {
			return data
		}
	}
}

// eventPath is the path of the event whose URL is said next, under /v1.
func (c *client) eventPath() string {
	c.t.Helper()
	said := c.until(publicURL)
	_, url, _ := strings.Cut(said, publicURL+"/v1")
	path, _, _ := strings.Cut(url, `"`)
	return path
}

func TestEventIsPosted(t *testing.T) {
	waits := make(chan struct{})
	v, stranger, c := eventsServer(t, waits)
	c.send(says("r1", "go"))
	path := c.eventPath()
	early := stranger.fails("sendEvent", http.StatusTooEarly, adapter.CodeEventEarly, path, `{"amount":7}`)
	if _, _, header := stranger.send("POST", path, `{"amount":7}`, nil); header.Get("Retry-After") == "" {
		t.Errorf("without Retry-After: %v", early)
	}
	close(waits)
	c.until(`"reason":"aguiws:event"`)
	if one := items(v.call("listThreads", 200, "/threads", ""))[0]; one["waitsOn"] != adapter.ReasonEvent || one["waitsUntil"] == nil {
		t.Errorf("the list says %v", one)
	}

	stranger.fails("sendEvent", 404, "event_not_found", path+"A", `{"amount":7}`)
	stranger.fails("sendEvent", 400, "invalid_input", path, `{"amount":`)
	stranger.fails("sendEvent", 400, "invalid_input", path, `{"amount":7,"amount":8}`)
	stranger.fails("sendEvent", 400, "invalid_input", path, strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000))
	stranger.fails("sendEvent", 413, "body_too_large", path, `"`+strings.Repeat("x", 1<<20)+`"`)
	wrong := stranger.fails("sendEvent", 422, adapter.CodePayloadInvalid, path, `{"amount":"7"}`)
	if told := fmt.Sprint(wrong["fields"]); !strings.Contains(told, "pointer:/amount") || strings.Contains(told, "nterrupt") {
		t.Errorf("where it is wrong: %v", wrong)
	}
	stranger.fails("sendEvent", 422, adapter.CodePayloadInvalid, path, "")

	if answer := stranger.call("sendEvent", 200, path, `{"amount":7}`); answer["repeat"] != false {
		t.Errorf("%v", answer)
	}
	c.until("RUN_STARTED")
	c.until(`{\"amount\":7}`)
	c.until("RUN_FINISHED")
	if answer := stranger.call("sendEvent", 200, path, ` {"amount": 7}`); answer["repeat"] != true {
		t.Errorf("%v", answer)
	}
	stranger.fails("sendEvent", 409, adapter.CodeEventConflict, path, `{"amount":8}`)
}

// Whoever may cancel the run, or the interrupt, ends the wait: the run ends as cancelled, or
// its agent is told.
func TestWaitIsCancelled(t *testing.T) {
	waits := make(chan struct{})
	close(waits)
	for name, cancel := range map[string]func(v *v1Server, c *client, asked string){
		"by ws.cancel": func(_ *v1Server, c *client, _ string) {
			c.send(`{"type":"ws.cancel","id":"x","threadId":"t","runId":"r1"}`)
			c.until(`"outcome":{"type":"cancelled"}`)
		},
		"by cancelRun": func(v *v1Server, c *client, _ string) {
			v.call("cancelRun", 200, "/threads/t/runs/"+v.call("getThread", 200, "/threads/t", "")["openRun"].(string)+"/cancel", `{}`)
			c.until(`"outcome":{"type":"cancelled"}`)
		},
		"by its interrupt": func(v *v1Server, c *client, asked string) {
			v.call("resolveInterrupts", 200, "/threads/t/interrupts/resolve", fmt.Sprintf(`{"entries":[{"interruptId":%q,"status":"cancelled"}]}`, asked))
			c.until(`"delta":"cancelled"`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			v, stranger, c := eventsServer(t, waits)
			c.send(says("r1", "go"))
			path := c.eventPath()
			c.until(`"reason":"aguiws:event"`)
			open := items(v.call("listInterrupts", 200, "/threads/t/interrupts", ""))
			asked := open[0]["interrupts"].([]any)[0].(map[string]any)["id"].(string)
			v.fails("resolveInterrupts", 400, adapter.CodeInvalidInput, "/threads/t/interrupts/resolve", fmt.Sprintf(`{"entries":[{"interruptId":%q,"status":"resolved","payload":{"amount":7}}]}`, asked))
			cancel(v, c, asked)
			stranger.fails("sendEvent", 410, adapter.CodeEventOver, path, `{"amount":7}`)
		})
	}
}
