package execution

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/decision"
	"github.com/aguiws/aguiws/adapter/internal/journal"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// mayAsk reports whether the run can suspend at a step of the scope.
func (x *execution) mayAsk(s *scope) bool { return !x.blocking() && !s.branch && x.forks == 0 }

// askWhatBecame suspends the run with the question after a step that broke off.
func (x *execution) askWhatBecame(ref store.StepRef, start *store.JournalEntry, about *store.StepAbout, why *adapter.UncertainError) error {
	return x.suspend(&store.JournalEntry{
		Kind: store.EntryAsk, Scope: journal.SystemScope, Key: journal.OrdinalKey(journal.BreakKey, x.journal.Asks+1), Steps: []store.StepRef{ref},
	}, []protocol.Interrupt{x.uncertainInterrupt(ref, about, why.Message)}, nil, start)
}

// breakOff hands the run on at a step that broke off after it had emitted something. Who goes
// on with the run takes that back, and then asks.
func (x *execution) breakOff(s *scope, ref store.StepRef, about *store.StepAbout, why *adapter.UncertainError) error {
	start := &store.JournalEntry{Kind: store.EntryStart, Scope: ref.Scope, Key: ref.Key, About: about, BrokeOff: why.Message}
	if err := x.record(s, start); err != nil {
		return err
	}
	x.leaving = true
	return ErrHandBack
}

// uncertainInterrupt asks about one step, of which why says what has happened, without a
// full stop.
func (x *execution) uncertainInterrupt(ref store.StepRef, about *store.StepAbout, why string) protocol.Interrupt {
	if about == nil {
		about = &store.StepAbout{}
	}
	args := decision.Redactions(x.node.Options.RedactLists).In(about.Call, about.Args)
	did := "The step " + ref.Key + " was begun"
	if about.Call != "" {
		did = "The call of " + about.Call + " was begun"
	}
	lines := []string{cmp.Or(about.Did, did) + ", and nobody knows whether it took effect: " + why + "."}
	own := map[string]any{"step": ref.Key, "branch": ref.Scope}
	if about.Call != "" {
		lines = append(lines, "Call: "+strings.TrimSpace(about.Call+" "+string(args)))
		own["call"] = protocol.ToolFunction{Name: about.Call, Arguments: string(args)}
	}
	if about.Key != "" {
		lines = append(lines, "Idempotency key: "+about.Key)
		own["idempotencyKey"] = about.Key
	}
	if about.AgentRun != "" {
		lines = append(lines, "Agent's run: "+about.AgentRun+". Look for it in the agent's log before you choose.")
		own["agentRun"] = about.AgentRun
	}
	step, _ := json.Marshal(own) // of texts
	answers, _ := json.Marshal([]map[string]any{
		{"label": cmp.Or(about.Rerun, "Do it again"), "payload": map[string]string{"action": "rerun"}},
		{"label": "It was done", "payload": map[string]string{"action": "done"}},
		{"label": "Give up", "payload": map[string]string{"action": "fail"}},
	})
	return protocol.Interrupt{
		Reason: adapter.ReasonUncertainStep, Message: strings.Join(lines, "\n"), ResponseSchema: journal.UncertainSchema,
		Metadata: protocol.Metadata{lifecycle.MetadataKey: step, "answers": answers},
	}
}
