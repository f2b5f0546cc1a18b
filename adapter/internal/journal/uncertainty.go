package journal

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// UncertainSchema is what the answer to ReasonUncertainStep looks like.
var UncertainSchema = protocol.Any(`{"type":"object","properties":{` +
	`"action":{"type":"string","enum":["rerun","done","fail"],` +
	`"description":"rerun: do it again. done: it was done, with this result. fail: give up."},` +
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

func sortRefs(refs []store.StepRef) {
	slices.SortFunc(refs, func(a, b store.StepRef) int {
		return cmp.Or(cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Key, b.Key))
	})
}
