package adapter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/aguiws/aguiws/adapter"
)

type refund struct {
	Order string `json:"order" jsonschema:"the order's number"`
	Cents int    `json:"cents"`
}

// A tool with typed arguments. Small refunds are paid; others a human sees, may
// change and must approve.
func ExampleTool() {
	tool, err := adapter.Tool[refund, string]{
		Name:        "refund",
		Description: "Pays money back.",
		Policy: func(in refund) adapter.Policy {
			if in.Cents <= 1000 {
				return adapter.PolicyAllow
			}
			return adapter.PolicyAsk
		},
		Do: func(_ context.Context, call adapter.Invocation, in refund) (string, error) {
			// call.IdempotencyKey is the same on every attempt.
			return fmt.Sprintf("paid %d cents for %s", in.Cents, in.Order), nil
		},
	}.Define()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(tool.Schema().Parameters)) // for the model

	// In an agent, what the model proposes becomes a call, and CallTools carries
	// calls out: adapter.CallTools(ctx, run, call).
	for _, proposed := range []string{`{"order":"4711","cents":500}`, `{"order":"4712","cents":50000}`, `{"cents":"all"}`} {
		call, err := tool.Call(json.RawMessage(proposed))
		if err != nil {
			fmt.Println("the model is told that it cannot be called so")
			continue
		}
		fmt.Println(call.Name, "asks a human:", call.Policy == adapter.PolicyAsk)
	}

	// Output:
	// {"type":"object","properties":{"order":{"type":"string","description":"the order's number"},"cents":{"type":"integer"}},"required":["order","cents"],"additionalProperties":false}
	// refund asks a human: false
	// refund asks a human: true
	// the model is told that it cannot be called so
}
