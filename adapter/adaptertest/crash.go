package adaptertest

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// EachCrash plays a conversation in a subtest for each write of the store: the worker dies
// before the write, in others behind it, and another node goes on. The conversation makes what
// the agent has effects on, and its Bench from the t that it is given. The conversation
// itself must check, at its end, that each effect has taken place once. Every fifth write is tried with -short. EachCrash
// ends with the first subtest that fails.
//
// The Bench does meanwhile what people would. It sends again what was not taken, or was lost
// before a step had begun. It answers the question about an uncertain step by what became of
// it: with its result, or by having it run again if it had not run. An agent that another one
// calls fails if it is lost before a step: let it be adapter.Restartable.
func EachCrash(t *testing.T, conversation func(t testing.TB)) {
	t.Helper()
	every := 1
	if testing.Short() {
		every = 5
	}
	for _, behind := range []bool{false, true} {
		for write, lived, skipped := 1, false, 0; !lived && skipped < mostSkipped; write += every {
			when := "before"
			if behind {
				when = "behind"
			}
			skipped++
			passed := t.Run(fmt.Sprint(when, " write ", write), func(t *testing.T) {
				skipped = 0
				c := &crash{TB: t, write: write, behind: behind}
				if conversation(c); !c.planned {
					t.Fatal("the conversation has made no Bench of the t that it was given")
				}
				lived = c.node == nil
			})
			if !passed {
				return
			}
		}
	}
}

// mostSkipped ends EachCrash when -run has selected other subtests.
const mostSkipped = 1000

// crash is the test of a conversation in which a worker dies.
type crash struct {
	testing.TB
	write   int // the one at which it dies
	behind  bool
	planned bool  // a Bench has it
	node    *node // that has died; nil: none has
}

// recover does what a person would about a run that a planned death has kept from its end.
// It returns the runId that goes on.
func (b *Bench) recover(r *Run) (label string, goesOn bool) {
	b.t.Helper()
	if b.deaths == nil || b.deaths.node == nil {
		return "", false
	}
	if r.Failed != nil && r.Failed.Code == adapter.CodeWorkerLost && len(b.input.Resume) == 0 {
		again := *b.input
		again.RunID = ""
		return b.submit(b.key.Thread, &again), true
	}
	var entries []protocol.ResumeEntry
	thread := b.key.Thread
	for _, i := range r.interrupts {
		if i.Reason != adapter.ReasonUncertainStep {
			return "", false
		}
		below, isBelow := b.below[i.ID]
		if isBelow {
			thread = below
		}
		entries = append(entries, protocol.ResumeEntry{InterruptID: i.ID, Status: protocol.ResumeResolved, Payload: protocol.Any(b.json(b.deaths.node.became(thread, i)))})
	}
	if len(entries) == 0 {
		return "", false
	}
	label = b.submit(thread, &protocol.RunAgentInput{Resume: entries})
	if thread != b.key.Thread {
		label = ""
	}
	return label, true
}

// became is the answer to the question what became of a step.
func (n *node) became(thread string, asked protocol.Interrupt) map[string]any {
	var step struct{ Step, Branch string }
	_ = json.Unmarshal(asked.Metadata["aguiws"], &step) // it is the server's
	n.mu.Lock()
	defer n.mu.Unlock()
	switch e, ended := n.unheard[stepOf{thread, store.StepRef{Scope: step.Branch, Key: step.Step}}]; {
	case !ended:
		return map[string]any{"action": "rerun"}
	case e.Failed != nil:
		return map[string]any{"action": "fail"}
	default:
		return map[string]any{"action": "done", "result": e.Result}
	}
}
