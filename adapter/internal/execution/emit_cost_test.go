package execution

import (
	"context"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/journal"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// takesAll is a store that takes every batch.
type takesAll struct{}

func (takesAll) Commit(_ context.Context, b store.Batch) (store.CommitResult, error) {
	return store.CommitResult{Status: store.CommitOK, End: store.Position{Epoch: "e", Seq: b.Expect + int64(len(b.Events))}}, nil
}

// emitting is a run that can emit and no more, in which a text message, a message of
// reasoning and a call are open.
func emitting(t testing.TB) *line {
	ctx, cancel := context.WithCancel(context.Background())
	pipe := newPipeline(ctx, takesAll{}, nil, store.Claim{}, 1, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		pipe.Run()
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	j, err := journal.ReadJournal(nil)
	if err != nil {
		t.Fatal(err)
	}
	x := &execution{
		Activation: Activation{Ctx: ctx, Pipe: pipe}, id: "x",
		node:    &node.Node{Options: node.Settings{CheckpointBytes: 1 << 60, MaxStateBytes: 1 << 60}},
		journal: j, main: newScope(j, "", false), over: map[string]bool{}, fold: fold.New(nil, nil), room: 1 << 60,
	}
	begun := &protocol.RunStarted{ThreadID: "t", RunID: "r"}
	if err := x.sequence.Check(begun); err != nil {
		t.Fatal(err)
	}
	if err := x.fold.Apply(begun); err != nil {
		t.Fatal(err)
	}
	main := &line{x, x.main}
	err = main.Emit([]protocol.Event{
		&protocol.TextMessageStart{MessageID: "m", Role: protocol.RoleAssistant},
		&protocol.ReasoningMessageStart{MessageID: "r", Role: protocol.RoleReasoning},
		&protocol.ToolCallStart{ToolCallID: "c", ToolCallName: "send"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return main
}

var delta = strings.Repeat("x", 90)

var emissions = map[string]func(r *adapter.Run) error{
	"text": func(r *adapter.Run) error {
		return r.Emit(&protocol.TextMessageContent{Base: protocol.Base{Timestamp: 1764000000000}, MessageID: "m", Delta: delta})
	},
	"arguments": func(r *adapter.Run) error {
		return r.Emit(&protocol.ToolCallArgs{ToolCallID: "c", Delta: delta})
	},
	"reasoning": func(r *adapter.Run) error {
		return r.Emit(&protocol.ReasoningMessageContent{MessageID: "r", Delta: delta})
	},
	"state": func(r *adapter.Run) error {
		return r.Emit(&protocol.StateSnapshot{Snapshot: []byte(`{"a":1}`)})
	},
	"message": func(r *adapter.Run) error { return r.Say("hello") },
	"custom": func(r *adapter.Run) error {
		return r.Emit(&protocol.Custom{Name: "n", Value: []byte(`{"a":1}`)})
	},
}

func BenchmarkEmit(b *testing.B) {
	for name, emit := range emissions {
		b.Run(name, func(b *testing.B) {
			run := adapter.NewRun(emitting(b))
			b.ReportAllocs()
			for b.Loop() {
				if err := emit(run); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestTextAllocates has a model's tokens written: the text of the event, and a copy of
// what comes as bytes.
func TestTextAllocates(t *testing.T) {
	w, err := adapter.NewRun(emitting(t)).Text()
	if err != nil {
		t.Fatal(err)
	}
	token := []byte(" token")
	if n := testing.AllocsPerRun(2000, func() { _, _ = w.WriteString(delta) }); n > 1 {
		t.Errorf("a string: %v allocations", n)
	}
	if n := testing.AllocsPerRun(2000, func() { _, _ = w.Write(token) }); n > 2 {
		t.Errorf("bytes: %v allocations", n)
	}
}

// TestEmitAllocates counts what an event may allocate: the caller's event and its text,
// and for those that go by their shape what encoding/json does with what they carry.
func TestEmitAllocates(t *testing.T) {
	most := map[string]float64{"text": 2, "arguments": 2, "reasoning": 2, "state": 5, "custom": 5, "message": 40}
	for name, emit := range emissions {
		run := adapter.NewRun(emitting(t))
		if n := testing.AllocsPerRun(2000, func() { _ = emit(run) }); n > most[name] {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
