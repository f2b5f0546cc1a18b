package gateway

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
)

// requestOf is how large the request of a turn is whose thread has so many messages, and
// how many bytes are allocated to make it.
func requestOf(t *testing.T, history History, messages int) (size, allocated int64) {
	t.Helper()
	up, err := New("http://agent/", &Options{History: history})
	if err != nil {
		t.Fatal(err)
	}
	defer up.Close(context.Background())
	st, err := redisstore.Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	admitted, made := make(chan struct{}), make(chan error, 1)
	runs, err := runner.New(st, &runner.Options{Agents: map[string]adapter.Agent{"": adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		c := &call{u: up, run: run, ctx: ctx, thread: up.threadID(run)}
		r := request{ids: ids{c.thread, run.NewID()}}
		<-admitted
		run.Messages() // which the thread has as a slice from here on
		for range 5 {  // others of the process allocate too, now and then
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			body, _, err := r.body(c)
			runtime.ReadMemStats(&after)
			if err != nil {
				made <- err
				return err
			}
			if n := int64(after.TotalAlloc - before.TotalAlloc); allocated == 0 || n < allocated {
				size, allocated = body.Size(), n
			}
		}
		made <- nil
		return nil
	})}})
	if err != nil {
		t.Fatal(err)
	}
	defer shutdown(runs)
	in := &protocol.RunAgentInput{ThreadID: "thread", RunID: "run"}
	for i := range messages {
		role := protocol.RoleUser
		if i%2 == 1 {
			role = protocol.RoleAssistant
		}
		in.Messages = append(in.Messages, protocol.Message{ID: fmt.Sprintf("message-%06d", i), Role: role, Content: protocol.Text(strings.Repeat("word ", 40))})
	}
	in.Messages = append(in.Messages, protocol.Message{ID: "latest", Role: protocol.RoleUser, Content: protocol.Text("go")})
	a, err := runs.Submit(t.Context(), admission.Input{Namespace: "test", Run: in})
	close(admitted)
	if err != nil || a.Disposition != admission.Started {
		t.Fatalf("%v %+v", err, a)
	}
	if err := <-made; err != nil {
		t.Fatal(err)
	}
	return size, allocated
}

// A request with the whole history is as large as that, and is made once: nothing is copied
// as it grows. One with what is new is as large as what is new.
func TestRequestGrowsWithItsHistory(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures, and takes seconds under the race detector")
	}
	const few, many = 100, 5000
	small, made := requestOf(t, HistoryWhole, few)
	large, madeLarge := requestOf(t, HistoryWhole, many)
	t.Logf("whole: %d bytes of %d messages, %d allocated; %d bytes of %d messages, %d allocated", small, few, made, large, many, madeLarge)
	perSmall, perLarge := float64(small)/few, float64(large)/many
	if perLarge > 1.3*perSmall || perSmall > 1.3*perLarge {
		t.Errorf("a message takes %.0f bytes of a small request, %.0f of a large one", perSmall, perLarge)
	}
	if float64(madeLarge)/many > 1.3*float64(made)/few {
		t.Errorf("a message allocates %.0f bytes in a small request, %.0f in a large one", float64(made)/few, float64(madeLarge)/many)
	}
	if float64(madeLarge) > 1.5*float64(large) {
		t.Errorf("%d bytes are allocated for a request of %d", madeLarge, large)
	}
	small, made = requestOf(t, HistoryNew, few)
	large, madeLarge = requestOf(t, HistoryNew, many)
	t.Logf("new: %d bytes of %d messages, %d allocated; %d bytes of %d messages, %d allocated", small, few, made, large, many, madeLarge)
	if large != small || madeLarge > made+4096 {
		t.Errorf("a request of what is new has %d bytes and allocates %d in a thread of %d messages, %d and %d in one of %d", small, made, few, large, madeLarge, many)
	}
}
