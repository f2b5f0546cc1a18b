package protocol_test

import (
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
