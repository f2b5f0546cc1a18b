package protocol_test

import (
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/protocol"
)

func ExampleEncode() {
	data, err := protocol.Encode(&protocol.TextMessageContent{MessageID: "m1", Delta: "Hello"})
	fmt.Println(string(data), err)
	// Output: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Hello"} <nil>
}

func ExampleDecode() {
	e, err := protocol.Decode([]byte(`{"type":"STEP_STARTED","stepName":"plan","sinceVersion":"1.2"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	switch e := e.(type) {
	case *protocol.StepStarted:
		fmt.Println(e.StepName, string(e.Extra["sinceVersion"]))
	}
	_, err = protocol.Decode([]byte(`{"type":"STEP_STARTED","stepName":7}`))
	fmt.Println(err)
	// Output:
	// plan "1.2"
	// protocol: /stepName: expected a string, found a number
}

func ExampleSequence() {
	var s protocol.Sequence
	for _, e := range []protocol.Event{
		&protocol.RunStarted{ThreadID: "t", RunID: "r"},
		&protocol.TextMessageStart{MessageID: "m1"},
		&protocol.RunFinished{ThreadID: "t", RunID: "r"},
	} {
		if err := s.Check(e); err != nil {
			fmt.Println(err)
		}
	}
	// Output: protocol: event 2 breaks left-open: RUN_FINISHED while text messages are open: "m1"
}

// A client that attaches in mid-run is told what is, and what is open.
func ExampleFold() {
	fold := protocol.NewFold(nil, json.RawMessage(`{"count":1}`))
	for _, e := range []protocol.Event{
		&protocol.RunStarted{ThreadID: "t", RunID: "r"},
		&protocol.StateDelta{Delta: json.RawMessage(`[{"op":"replace","path":"/count","value":2}]`)},
		&protocol.TextMessageStart{MessageID: "m1"},
		&protocol.TextMessageContent{MessageID: "m1", Delta: "Hel"},
	} {
		if err := fold.Apply(e); err != nil {
			fmt.Println(err)
		}
	}
	messages, _ := json.Marshal(fold.Messages())
	fmt.Println(string(fold.State()), string(messages))
	for _, e := range fold.Openings() {
		data, _ := protocol.Encode(e)
		fmt.Println(string(data))
	}
	// Output:
	// {"count":2} [{"id":"m1","role":"assistant","content":"Hel"}]
	// {"type":"TEXT_MESSAGE_START","messageId":"m1"}
}

func ExampleProfile_Apply() {
	sent, losses := protocol.ProfileOf("").Apply(&protocol.RunFinished{
		ThreadID: "t", RunID: "r", Outcome: &protocol.RunOutcome{Type: protocol.OutcomeCancelled},
	})
	data, _ := protocol.Encode(sent)
	fmt.Println(string(data), losses)
	// Output: {"type":"RUN_ERROR","message":"The run was cancelled.","code":"cancelled"} [{/outcome before 1.0 a cancelled run can only be an error}]
}
