package copilotkit

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/downgrade"
)

// dialect is how a page is told what a thread asks.
type dialect struct {
	event   bool // by the event of pages before 1.61.2
	outcome bool // by AG-UI's outcome of the run
}

// interruptEvent is the name of the event. Its value is what such a page draws, and sends
// back with the answer.
const interruptEvent = "on_interrupt"

// dialectOf is the dialect of an input's page. How old it is does not show. Pages from
// 1.61.2 on take the outcome where there is one, and those before 1.60.0 do not know it:
// both can be told by both. Pages between the two take the question from the event, and
// refuse to answer it once they have seen the outcome: such a page has to say so.
func dialectOf(in *protocol.RunAgentInput) dialect {
	var props struct {
		InterruptDialect string `json:"interruptDialect"`
	}
	// Any other shape of forwarded properties is the application's own.
	if json.Unmarshal(in.ForwardedProps, &props) != nil {
		props.InterruptDialect = ""
	}
	switch props.InterruptDialect {
	case "legacy":
		return dialect{event: true}
	case "standard":
		return dialect{outcome: true}
	}
	return dialect{event: downgrade.ProfileOf(in.ProtocolVersion) == downgrade.Profile0, outcome: true}
}

// tell makes of a RUN_FINISHED what the page is sent for it.
func (d dialect) tell(finished []byte) ([][]byte, error) {
	if !d.event {
		return [][]byte{finished}, nil
	}
	e, err := protocol.Decode(finished)
	if err != nil {
		return nil, fmt.Errorf("copilotkit: end of a run: %w", err)
	}
	end, ok := e.(*protocol.RunFinished)
	if !ok || end.Outcome == nil || len(end.Outcome.Interrupts) == 0 {
		return [][]byte{finished}, nil
	}
	asks, err := asking(end.Outcome.Interrupts)
	if err == nil && !d.outcome {
		end.Outcome = nil
		finished, err = protocol.Encode(end)
	}
	return [][]byte{asks, finished}, err
}

// asking is the event that asks. A page keeps the last one of a run alone: one tells all,
// as the first of them, with the whole list where there are several.
func asking(interrupts []protocol.Interrupt) ([]byte, error) {
	first := interrupts[0]
	if len(interrupts) > 1 {
		all, err := json.Marshal(interrupts)
		if err != nil {
			return nil, fmt.Errorf("copilotkit: interrupts: %w", err)
		}
		first.Extra = maps.Clone(first.Extra)
		if first.Extra == nil {
			first.Extra = map[string]json.RawMessage{}
		}
		first.Extra["interrupts"] = all
	}
	value, err := json.Marshal(first)
	if err != nil {
		return nil, fmt.Errorf("copilotkit: interrupt: %w", err)
	}
	return protocol.Encode(&protocol.Custom{Name: interruptEvent, Value: value})
}

// answersByCommand tells an input of a page that has put its question away to answer it.
func answersByCommand(in *protocol.RunAgentInput) bool {
	var props struct {
		Command struct {
			Resume json.RawMessage `json:"resume"`
		} `json:"command"`
	}
	return len(in.Resume) == 0 && json.Unmarshal(in.ForwardedProps, &props) == nil && props.Command.Resume != nil
}

// askAgain is what puts the question again to a page whose answer is refused: the
// beginning of a run, of which the refusal is the end.
func askAgain(thread, label string, open []json.RawMessage) ([][]byte, error) {
	if len(open) == 0 {
		return nil, nil
	}
	interrupts := make([]protocol.Interrupt, len(open))
	for i, text := range open {
		if err := json.Unmarshal(text, &interrupts[i]); err != nil {
			return nil, fmt.Errorf("copilotkit: open interrupt: %w", err)
		}
	}
	begins, err := protocol.Encode(&protocol.RunStarted{ThreadID: thread, RunID: label})
	if err != nil {
		return nil, err
	}
	asks, err := asking(interrupts)
	return [][]byte{begins, asks}, err
}
