package fold_test

import (
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// A client that attaches in mid-run is told what is, and what is open.
func ExampleFold() {
	held := fold.New(nil, json.RawMessage(`{"count":1}`))
	for _, e := range []protocol.Event{
		&protocol.RunStarted{ThreadID: "t", RunID: "r"},
		&protocol.StateDelta{Delta: json.RawMessage(`[{"op":"replace","path":"/count","value":2}]`)},
		&protocol.TextMessageStart{MessageID: "m1"},
		&protocol.TextMessageContent{MessageID: "m1", Delta: "Hel"},
	} {
		if err := held.Apply(e); err != nil {
			fmt.Println(err)
		}
	}
	messages, _ := json.Marshal(held.Messages())
	fmt.Println(string(held.State()), string(messages))
	for _, e := range held.Openings() {
		data, _ := protocol.Encode(e)
		fmt.Println(string(data))
	}
	// Output:
	// {"count":2} [{"id":"m1","role":"assistant","content":"Hel"}]
	// {"type":"TEXT_MESSAGE_START","messageId":"m1"}
}
