package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// counted is a run that counts what is relayed to it.
type counted struct{ events int }

func (c *counted) Relay(protocol.Event, []byte) error { c.events++; return nil }
func (*counted) Emit(...protocol.Event) error         { return nil }

func (*counted) Message(string) (protocol.Message, bool)   { return protocol.Message{}, false }
func (*counted) Role(string) (protocol.Role, bool)         { return "", false }
func (*counted) ToolCall(string) (protocol.ToolCall, bool) { return protocol.ToolCall{}, false }
func (*counted) Answered(string) bool                      { return false }
func (*counted) Messages() protocol.Messages               { return nil }
func (*counted) NewID() string                             { return "new" }

func (*counted) Askable(ctx context.Context, i protocol.Interrupt) error        { return nil }
func (*counted) Fits(context.Context, protocol.Interrupt, json.RawMessage) bool { return true }

// What is open costs with each event that opens or closes something, so that there is an end
// to it; and so with what is asked.
func TestBoundsOfARun(t *testing.T) {
	many := func(n int, format string) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf(format, i))
		}
		return list
	}
	long := strings.Repeat("x", 1000)
	interrupts := func(n int) string {
		return asks(strings.Join(many(n, `{"id":"%d","reason":"confirmation"}`), ","))
	}
	custom := `{"type":"CUSTOM","name":"on_interrupt","value":%d}`
	for name, test := range map[string]struct {
		dialect Dialect
		events  []string
		code    string // "": none
		relayed int    // at most
	}{
		"messages":   {events: many(3000, `{"type":"TEXT_MESSAGE_START","messageId":"m%d","role":"assistant"}`), code: CodeTooLarge, relayed: maxOpen},
		"calls":      {events: many(3000, `{"type":"TOOL_CALL_START","toolCallId":"c%d","toolCallName":"x"}`), code: CodeTooLarge, relayed: maxOpen},
		"steps":      {events: many(3000, `{"type":"STEP_STARTED","stepName":"s%d"}`), code: CodeTooLarge, relayed: maxOpen},
		"chunks":     {events: many(3000, `{"type":"TOOL_CALL_CHUNK","toolCallId":"c%d","toolCallName":"x"}`), relayed: 6000},
		"long names": {events: many(200, `{"type":"STEP_STARTED","stepName":"`+long+`%d"}`), code: CodeTooLarge, relayed: 70},
		"long names of subagents": {events: append([]string{`{"type":"SUBAGENT_STARTED","subagentRunId":"` + long + `","name":"a"}`},
			many(200, `{"type":"STEP_STARTED","stepName":"%d","subagentRunId":"`+long+`"}`)...), code: CodeTooLarge, relayed: 70},
		"as many as there may be":  {events: many(maxOpen, `{"type":"STEP_STARTED","stepName":"s%d"}`), relayed: maxOpen},
		"one after the other":      {events: strings.Split(strings.Join(many(1000, `{"type":"STEP_STARTED","stepName":"s%d"}`+"\n"+`{"type":"STEP_FINISHED","stepName":"s%[1]d"}`), "\n"), "\n"), relayed: 2000},
		"interrupts":               {events: []string{interrupts(maxInterrupts + 1)}, code: CodeTooLarge},
		"all interrupts":           {events: []string{interrupts(maxInterrupts)}},
		"custom interrupts":        {dialect: DialectLangGraph, events: append(many(20000, custom), done), code: CodeTooLarge},
		"one interrupt, and again": {events: []string{asks(strings.Repeat(`{"id":"1","reason":"confirmation"},`, maxInterrupts-1) + `{"id":"1","reason":"confirmation"}`)}},
	} {
		t.Run(name, func(t *testing.T) {
			to := &counted{}
			r := newRelay(t.Context(), to, mannersOf[test.dialect], test.dialect, ids{})
			var err error
			for _, e := range test.events {
				if _, err = takes(r, []byte(e)); err != nil {
					break
				}
			}
			if code := codeOf(err); code != test.code {
				t.Errorf("ended with %q: %v", code, err)
			}
			if to.events > test.relayed {
				t.Errorf("%d events are relayed", to.events)
			}
		})
	}
}
