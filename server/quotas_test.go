package server

import (
	"context"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
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
	r, err := adapter.NewRunner(embedded(t), &adapter.Options{Agents: map[string]adapter.Agent{"": holding},
		MaxRunsPerUser: 1, MaxThreadsPerUser: 2, MaxInputs: 1, InputBurst: 4})
	if err != nil {
		t.Fatal(err)
	}
	auth := byToken{"a": {User: "a", Namespace: "a"}, "b": {User: "b", Namespace: "b"}}
	srv := newTestServer(t, runner{r}, &Options{Auth: auth})
	dial := func(who string) *tab {
		c := srv.connect("/agui/ws", bearer(who, Subprotocol))
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
