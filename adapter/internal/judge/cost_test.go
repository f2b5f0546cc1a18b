package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/folded"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// atRest is a store of a thread of which a node may hold all that there is.
type atRest struct{}

func (atRest) Read(_ context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	return &store.ThreadView{Thread: key, Version: 1, Epoch: "e", Base: 1, Seq: 1, Snapshot: store.Snapshot{At: 1}, From: 1, Held: q.Have != nil}, nil
}

// What an input of some megabytes holds takes time in proportion, whoever makes it: the
// bound is a hundred times what that is, and a tenth of its square.
func TestLargeInputs(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes large inputs; -short leaves it out")
	}
	const n, bound = 100_000, 30 * time.Second
	list := func(format string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	calls := make([]protocol.ToolCall, n)
	for i := range calls {
		calls[i] = protocol.ToolCall{ID: fmt.Sprint("c", i), Function: protocol.ToolFunction{Name: "f", Arguments: "{}"}}
	}
	many := protocol.Messages{{ID: "m", Role: protocol.RoleAssistant, ToolCalls: calls}}
	held := fold.New(many, nil)
	known := protocol.Messages{{ID: "known", Role: protocol.RoleUser, Content: protocol.Text("x")}}
	fresh := make(protocol.Messages, n)
	for i := range fresh {
		fresh[i] = protocol.Message{ID: fmt.Sprint("m", i), Role: protocol.RoleUser, Content: protocol.Text("x")}
	}
	unnamed := Named(&protocol.RunAgentInput{RunID: "r", Messages: append(slices.Repeat(protocol.Messages{{Role: protocol.RoleUser, Content: protocol.Text("x")}}, n), protocol.Message{Role: protocol.RoleAssistant, Content: protocol.Text("y")})})
	of := store.ThreadKey{Thread: "t"}
	for name, judges := range map[string]func(){
		"a command for many questions": func() {
			c := CommandOf(&protocol.RunAgentInput{ForwardedProps: protocol.Any(`{"command":{"resume":{` + list(`"i%d":1`) + `},"interruptEvent":{"interrupts":[` + list(`{"id":"i%d"}`) + `]}}}`)})
			if got := len(c.payloads(c.Named())); got != n {
				t.Errorf("%d answers", got)
			}
		},
		"many messages beside one that the node holds": func() {
			threads, f := folded.New(1<<20), fold.New(known, nil)
			threads.Keep(of, store.Position{Epoch: "e", Seq: 1}, 1, 1, folded.Thread{Fold: f, Snapshot: f})
			input := &protocol.RunAgentInput{Messages: append(known[:1:1], fresh...)}
			if j, err := Read(t.Context(), atRest{}, threads, nil, of, input); err != nil || j.Fold.Len() != 1 {
				t.Errorf("%v", err)
			}
		},
		"many messages without ids": func() {
			view := thread()
			view.Queue = make([]store.QueuedRun, 1)
			view.Queue[0].Record = []byte(`{"msgs":["` + unnamed.Messages[0].ID + `"]}`)
			if again := placed(unnamed, fold.New(fresh, nil), view.Queue); again.Messages[0].ID != "m0" || again.Messages[n].ID == "" {
				t.Errorf("%+v", again.Messages[0])
			}
		},
		"a message with many calls": func() { behind(many, held) },
		"many calls, recognised":    func() { recognised(&protocol.RunAgentInput{Messages: many}, held) },
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			judges()
			if took := time.Since(began); took > bound {
				t.Errorf("it takes %v", took)
			}
		})
	}
}
