package downgrade_test

import (
	"fmt"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/downgrade"
)

func ExampleProfile_Apply() {
	sent, losses := downgrade.ProfileOf("").Apply(&protocol.RunFinished{
		ThreadID: "t", RunID: "r", Outcome: &protocol.RunOutcome{Type: protocol.OutcomeCancelled},
	})
	data, _ := protocol.Encode(sent)
	fmt.Println(string(data), losses)
	// Output: {"type":"RUN_ERROR","message":"The run was cancelled.","code":"cancelled"} [{/outcome before 1.0 a cancelled run can only be an error}]
}
