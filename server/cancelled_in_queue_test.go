package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// An input that waits behind a question ends for its sender at once, however and
// on whichever node it is stopped, and whatever its sender speaks.
func TestTwoNodesCancelledInQueue(t *testing.T) {
	redis := redistest.Start(t, redistest.Options{})
	ask := make(chan struct{})
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		select {
		case <-ask:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		_, err := run.Ask(ctx, protocol.Interrupt{Reason: protocol.ReasonConfirmation, Message: "Really?"})
		return err
	})
	open := func() *testServer {
		store, err := redisstore.Open(t.Context(), redis.URL(), &redisstore.Options{Timeout: patience})
		if err != nil {
			t.Fatal(err)
		}
		closes(t, store)
		return node(t, store, agent)
	}
	near, far := open(), open()
	v := &v1Server{t: t, ts: far}
	ways := map[string]func(thread string){
		"ws.cancel": func(thread string) {
			c := far.dial()
			c.send(fmt.Sprintf(`{"type":"ws.cancel","threadId":%q,"runId":"r2"}`, thread))
			if f := c.expect("ws.cancelled"); f["stopped"] != true {
				t.Errorf("got %v", f)
			}
		},
		"stop": func(thread string) {
			far.ask(http.MethodPost, "/copilotkit/agent/default/stop/"+thread, `{"runId":"r2"}`)
		},
		"cancelRun": func(thread string) {
			_, text, _ := v.send("GET", "/threads/"+thread+"/runs?state=queued", "", nil)
			id := objectIn(t, text)["items"].([]any)[0].(map[string]any)["id"].(string)
			if status, text, _ := v.send("POST", "/threads/"+thread+"/runs/"+id+"/cancel", `{}`, nil); status != http.StatusOK {
				t.Errorf("got %d %s", status, text)
			}
		},
		"interruptThread": func(thread string) {
			if status, text, _ := v.send("POST", "/threads/"+thread+"/interrupt", `{}`, nil); status != http.StatusOK {
				t.Errorf("got %d %s", status, text)
			}
		},
	}
	senders := map[string]func(input string) (end func() protocol.EventType){
		"socket": func(input string) func() protocol.EventType {
			c := near.dial()
			c.send(input)
			return func() protocol.EventType { return endOf(c) }
		},
		"plain": func(input string) func() protocol.EventType {
			c := near.connect("/agui/ws", plainMode)
			c.send(input)
			return func() protocol.EventType { return endOf(c) }
		},
		"POST": func(input string) func() protocol.EventType {
			s := near.ask(http.MethodPost, "/agui", input).opened()
			return func() protocol.EventType {
				_, last := s.rest()
				if last["code"] == "cancelled" {
					return protocol.TypeRunFinished // what older clients are told
				}
				return protocol.EventType(kindOf(last))
			}
		},
	}
	type waiting struct {
		thread string
		stop   func(thread string)
		end    func() protocol.EventType
	}
	var all []waiting
	for way, stop := range ways {
		for who, send := range senders {
			w := waiting{thread: way + "-" + who, stop: stop}
			first := near.dial()
			first.send(fmt.Sprintf(`{"threadId":%q,"runId":"r1","messages":[{"id":"m1","role":"user","content":"one"}]}`, w.thread))
			first.expect("ws.run")
			w.end = send(fmt.Sprintf(`{"threadId":%q,"runId":"r2","messages":[{"id":"m2","role":"user","content":"two"}]}`, w.thread))
			all = append(all, w)
		}
	}
	view := func(thread string) map[string]any {
		_, text, _ := v.send("GET", "/threads/"+thread, "", nil)
		return objectIn(t, text)
	}
	for _, w := range all {
		eventually(t, w.thread+" waits", func() bool { return view(w.thread)["queued"] == 1.0 })
	}
	close(ask)
	for _, w := range all {
		t.Run(w.thread, func(t *testing.T) {
			eventually(t, "the question is open", func() bool { return len(view(w.thread)["interrupts"].([]any)) == 1 })
			w.stop(w.thread)
			if end := w.end(); end != protocol.TypeRunFinished {
				t.Errorf("it ended in %s", end)
			}
			// What ends one input leaves the question alone; what ends all ends it, too.
			if open := view(w.thread)["interrupts"].([]any); len(open) != map[bool]int{true: 0, false: 1}[strings.HasPrefix(w.thread, "interruptThread")] {
				t.Errorf("open: %v", open)
			}
		})
	}
}

// endOf reads frames until one ends run r2.
func endOf(c *client) protocol.EventType {
	for {
		f := c.expectAny()
		kind := protocol.EventType(kindOf(f))
		if kind == protocol.TypeRunFinished && f["runId"] == "r2" {
			return kind
		}
		if kind == protocol.TypeRunError {
			if f["code"] == "cancelled" {
				return protocol.TypeRunFinished // what older clients are told
			}
			return kind
		}
	}
}

func objectIn(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(body, &object); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return object
}
