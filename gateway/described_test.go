package gateway

import (
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// A human is told what is asked, wherever the agent's framework says it.
func TestInterruptsAreDescribed(t *testing.T) {
	for name, c := range map[string]struct {
		dialect  Dialect
		metadata string
		want     string
	}{
		"mastra":                  {DialectMastra, `{"type":"mastra_suspend","toolName":"pay","suspendPayload":{"message":"Pay 30?"},"args":{"amount":30}}`, "Pay 30?\npay {\"amount\":30}"},
		"mastra, by CUSTOM":       {DialectMastra, `{"value":{"toolName":"pay","suspendPayload":"Pay 30?","args":{"amount":30}}}`, "Pay 30?\npay {\"amount\":30}"},
		"mastra, without a word":  {DialectMastra, `{"toolName":"pay","args":{"amount":12345678901234567890}}`, `pay {"amount":12345678901234567890}`},
		"mastra, a reason":        {DialectMastra, `{"toolName":"pay","suspendPayload":{"reason":"Approval required."},"args":{"amount":30}}`, "Approval required.\npay {\"amount\":30}"},
		"mastra, more than words": {DialectMastra, `{"toolName":"pay","suspendPayload":{"question":"Pay?","reason":"A policy.","fee":1},"args":{"amount":30}}`, "Pay?\nfee: 1\nreason: A policy.\npay {\"amount\":30}"},
		"mastra, no words":        {DialectMastra, `{"toolName":"pay","suspendPayload":{"fee":1}}`, "fee: 1\npay"},
		"mastra, empty":           {DialectMastra, `{"toolName":"pay","suspendPayload":{}}`, "pay"},
		"langgraph, to be edited": {DialectLangGraph, `{"value":{"instruction":"Review this","content":"Dear Ann"}}`, "Review this\ncontent: Dear Ann"},
		"langgraph, a reason":     {DialectLangGraph, `{"value":{"question":"Pay?","reason":"a_policy","fee":1}}`, "Pay?\nfee: 1"},
		"mastra, nothing":         {DialectMastra, `{}`, ""},
		"mastra, something else":  {DialectMastra, `[1]`, ""},
		"langgraph, an object":    {DialectLangGraph, `{"value":{"amount":30}}`, `{"amount":30}`},
		"langgraph, nothing":      {DialectLangGraph, `{}`, ""},
		"plain says nothing more": {DialectPlain, `{"toolName":"pay"}`, ""},
		"long":                    {DialectMastra, `{"suspendPayload":"` + strings.Repeat("é", maxDescribed) + `"}`, strings.Repeat("é", maxDescribed/2) + "…"},
	} {
		r := &relay{dialect: c.dialect}
		if got := r.described(protocol.Interrupt{Reason: protocol.ReasonConfirmation, Metadata: protocol.Metadata{string(c.dialect): []byte(c.metadata)}}, false); got != c.want {
			t.Errorf("%s: %.200q, want %.200q", name, got, c.want)
		}
	}
	if got := (&relay{dialect: DialectMastra}).described(protocol.Interrupt{Reason: protocol.ReasonConfirmation}, false); got != "" {
		t.Errorf("nothing is %q", got)
	}
}
