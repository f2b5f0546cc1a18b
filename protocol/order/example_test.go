package order_test

import (
	"fmt"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/order"
)

func ExampleSequence() {
	var s order.Sequence
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
