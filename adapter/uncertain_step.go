package adapter

import (
	"cmp"
	"encoding/json"
	"slices"

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

// uncertainInterrupt asks about one step, of which why says what has happened.
func uncertainInterrupt(ref store.StepRef, why string) protocol.Interrupt {
	step, _ := json.Marshal(map[string]string{"step": ref.Key, "branch": ref.Scope})
	return protocol.Interrupt{
		Reason: ReasonUncertainStep,
		Message: why + " " +
			"It may or may not have taken effect. Run it again, take it as done, or take it as failed?",
		ResponseSchema: uncertainSchema,
		Metadata:       protocol.Metadata{"aguiws": step},
	}
}

func sortRefs(refs []store.StepRef) {
	slices.SortFunc(refs, func(a, b store.StepRef) int {
		return cmp.Or(cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Key, b.Key))
	})
}
