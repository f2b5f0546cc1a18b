package adapter

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// ReasonUncertainStep is the reason of the interrupt that asks what became of
// a step that was started and not recorded.
const ReasonUncertainStep = "aguiws:uncertain_step"

// uncertainSchema is what the answer to ReasonUncertainStep looks like.
var uncertainSchema = protocol.Any(`{"type":"object","properties":{` +
	`"action":{"type":"string","enum":["rerun","done","fail"],` +
	`"description":"rerun: run the step again. done: it took effect, with this result. fail: treat it as failed."},` +
	`"result":{"description":"with done: what the step returned"}},` +
	`"required":["action"],"additionalProperties":false}`)

// uncertainty is what a human said of an uncertain step.
type uncertainty struct {
	Action string // rerun, done, fail
	Result string // JSON; with done
}

func readUncertainty(entry protocol.ResumeEntry) uncertainty {
	if entry.Status == protocol.ResumeCancelled {
		return uncertainty{Action: "fail"}
	}
	var answer struct {
		Action string          `json:"action"`
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(entry.Payload, &answer); err != nil || answer.Action == "" {
		return uncertainty{Action: "fail"}
	}
	return uncertainty{Action: answer.Action, Result: string(answer.Result)}
}

// uncertainInterrupt asks about one step, of which why says what has happened, without a
// full stop.
func (x *execution) uncertainInterrupt(ref store.StepRef, about *store.StepAbout, why string) protocol.Interrupt {
	if about == nil {
		about = &store.StepAbout{}
	}
	args := redactions(x.node.options.RedactLists).in(about.Call, about.Args)
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
	step, _ := json.Marshal(own) // of texts
	answers, _ := json.Marshal([]map[string]any{
		{"label": cmp.Or(about.Rerun, "Run it again"), "payload": map[string]string{"action": "rerun"}},
		{"label": cmp.Or(about.Done, "It took effect"), "payload": map[string]string{"action": "done"}},
		{"label": cmp.Or(about.Fail, "Treat it as failed"), "payload": map[string]string{"action": "fail"}},
	})
	return protocol.Interrupt{
		Reason: ReasonUncertainStep, Message: strings.Join(lines, "\n"), ResponseSchema: uncertainSchema,
		Metadata: protocol.Metadata{lifecycle.MetadataKey: step, "answers": answers},
	}
}

func sortRefs(refs []store.StepRef) {
	slices.SortFunc(refs, func(a, b store.StepRef) int {
		return cmp.Or(cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Key, b.Key))
	})
}
