package server

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/ws"
)

// Inputs count for the users that send them, through whichever binding, and refusals
// say what is used up.
func TestQuotasOfUsers(t *testing.T) {
	began, leave := make(chan struct{}, 10), make(chan struct{})
	holding := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		m := run.Input().Messages
		if m[len(m)-1].Content.String() != "hold" {
			return nil
		}
		began <- struct{}{}
		select {
		case <-leave:
		case <-ctx.Done():
		}
		return nil
	})
	r := newRunner(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"": holding},
		MaxRunsPerUser: 1, MaxThreadsPerUser: 2, MaxInputs: 1, InputBurst: 4, StoreTimeout: 10 * time.Minute})
	auth := byToken{"a": {User: "a", Namespace: "a"}, "b": {User: "b", Namespace: "b"}}
	srv := newTestServer(t, running(r), &Options{Auth: auth})
	dial := func(who string) *tab {
		c := srv.connect("/agui/ws", bearer(who, ws.Subprotocol))
		c.expect("ws.hello")
		return newTab(c)
	}
	on := func(thread, run, text string) string {
		return strings.Replace(says(run, text), `"threadId":"t"`, `"threadId":"`+thread+`"`, 1)
	}
	ask := func(who, thread, text string) protocol.Event {
		tb := dial(who)
		tb.send(on(thread, "r-"+thread, text))
		return tb.until()
	}
	holds := dial("a")
	holds.send(on("one", "r", "hold"))
	<-began
	wantCode(t, ask("a", "two", "hi"), "too_many_runs")
	wantSuccess(t, ask("b", "one", "hi"))
	wantSuccess(t, ask("b", "two", "hi"))
	wantCode(t, ask("b", "three", "hi"), "thread_quota")
	srv.post(on("four", "r", "hi"), "Authorization", "Bearer b").fails("thread_quota")
	wantCode(t, ask("b", "two", "hi"), "rate_limited")
	close(leave)
	wantSuccess(t, holds.until())
}

// A thread that is made counts as one of its user's threads and inputs.
func TestQuotasOfMadeThreads(t *testing.T) {
	agent := script.New(script.Options{})
	r := newRunner(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"": agent}, MaxThreadsPerUser: 3, MaxInputs: 1, InputBurst: 6, StoreTimeout: 10 * time.Minute})
	v := newV1On(t, r, &Options{RequestBurst: 1000, InputBurst: 1000})
	for _, id := range []string{"a", "b", "c"} {
		v.call("createThread", 201, "/threads", `{"threadId":"`+id+`"}`)
	}
	v.fails("createThread", 409, "thread_quota", "/threads", `{"threadId":"d"}`)
	if got := v.call("getQuotas", 200, "/quotas", "")["threads"].(map[string]any)["used"]; got != 3.0 {
		t.Errorf("%v threads are used", got)
	}
	v.call("addInput", 202, "/threads/a/input", say("/say hello"))
	v.fails("addInput", 409, "thread_quota", "/threads/e/input", say("/say hello"))
	v.fails("createThread", 429, "rate_limited", "/threads", `{"threadId":"f"}`)
}
