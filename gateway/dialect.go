package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/protocol"
)

// Dialect says which framework's habits an agent has.
type Dialect string

// The dialects. A dialect is as plain AG-UI in everything that is not said of it.
const (
	// DialectAuto is each of the others, as the agent's events tell in each run: Heard.
	DialectAuto Dialect = "auto"
	// DialectPlain is AG-UI as it is specified; so are other gateways and AGUIMock.
	DialectPlain Dialect = "plain"
	// DialectLangGraph asks by CUSTOM on_interrupt, unless it is told to emit outcomes.
	DialectLangGraph Dialect = "langgraph"
	// DialectMastra asks by CUSTOM on_interrupt, and by outcomes unless it is told not to.
	DialectMastra Dialect = "mastra"
	// DialectTanStack names its runs after the provider's.
	DialectTanStack Dialect = "tanstack"
)

// Dialects are all there are.
var Dialects = []Dialect{DialectAuto, DialectPlain, DialectLangGraph, DialectMastra, DialectTanStack}

// manners are what a dialect does in its own way.
type manners struct {
	// legacy makes an interrupt of a CUSTOM on_interrupt; nil: such an event means nothing.
	// n tells it apart from others of the run.
	legacy func(e *protocol.Custom, runID string, n int) protocol.Interrupt
	// command is how such interrupts are answered: by forwardedProps.command.
	command func(asked []protocol.Interrupt, answers []protocol.ResumeEntry) map[string]any
	// severalByCommand: so are several at once that came by an outcome, because each would
	// be given all of a resume[].
	severalByCommand bool
	// single: a resume[] is read as far as its first entry, so each answer has a request
	// of its own.
	single bool
	// turnsAway: a message may come with cancellations of what is open. Others would leave
	// the message aside.
	turnsAway bool
	// insists: what is open is asked again, and the message left aside, until it is answered.
	// The message is therefore refused before.
	insists bool

	// yes and no are what its agents take for one in a question without a schema, and no for
	// a cancellation, which they would take for an answer; nil: they know what that is.
	yes, no json.RawMessage

	// These are as the Options of the same names.
	ownMetadata, separateDuties bool
}

var mannersOf = map[Dialect]manners{
	DialectAuto:      {turnsAway: true},
	DialectPlain:     {turnsAway: true},
	DialectLangGraph: {legacy: langGraphInterrupt, command: langGraphCommand, severalByCommand: true, insists: true, yes: json.RawMessage("true"), no: json.RawMessage("false")},
	DialectMastra:    {legacy: mastraInterrupt, command: mastraCommand, single: true},
	DialectTanStack:  {turnsAway: true},
}

// onInterrupt is the name of the CUSTOM event that says what outcomes say since.
const onInterrupt = "on_interrupt"

// keptValue is where an interrupt that was made of a CUSTOM event has its value.
const keptValue = "value"

// customValue is the value of an on_interrupt: JSON that may stand in a string.
func customValue(e *protocol.Custom) json.RawMessage {
	var text string
	if json.Unmarshal(e.Value, &text) == nil && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return e.Value
}

// objectOf is the value's members, none when it is no object.
func objectOf(value json.RawMessage) map[string]json.RawMessage {
	members := map[string]json.RawMessage{}
	_ = json.Unmarshal(value, &members) // what is no object has no members
	return members
}

func stringOf(members map[string]json.RawMessage, names ...string) string {
	for _, name := range names {
		var text string
		if json.Unmarshal(members[name], &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

// schemaOf is the first of the members that is an object, or is one as text.
func schemaOf(members map[string]json.RawMessage, names ...string) protocol.Any {
	for _, name := range names {
		value := members[name]
		var text string
		if json.Unmarshal(value, &text) == nil {
			value = json.RawMessage(text)
		}
		if value = bytes.TrimSpace(value); len(value) > 0 && value[0] == '{' && json.Valid(value) {
			return protocol.Any(value)
		}
	}
	return nil
}

// langGraphInterrupt reads what LangGraph's interrupt() was given: a text, or an object
// whose members are those of an interrupt if they have their names.
func langGraphInterrupt(e *protocol.Custom, runID string, n int) protocol.Interrupt {
	value := customValue(e)
	members := objectOf(value)
	i := protocol.Interrupt{
		ID:             stringOf(objectOf(json.RawMessage(e.RawEvent)), "id"),
		Reason:         stringOf(members, "reason"),
		Message:        stringOf(members, "message"),
		ToolCallID:     stringOf(members, "toolCallId", "tool_call_id"),
		ResponseSchema: schemaOf(members, "responseSchema", "response_schema"),
		ExpiresAt:      stringOf(members, "expiresAt", "expires_at"),
		Metadata:       kept(DialectLangGraph, value),
	}
	if i.ID == "" {
		i.ID = fmt.Sprintf("%s:%d", onInterrupt, n)
	}
	if i.Reason == "" {
		i.Reason = "langgraph:interrupt"
	}
	var text string
	if i.Message == "" && json.Unmarshal(value, &text) == nil {
		i.Message = text
	}
	return i
}

func kept(d Dialect, value json.RawMessage) protocol.Metadata {
	own, err := json.Marshal(map[string]json.RawMessage{keptValue: value})
	if err != nil {
		return nil
	}
	return protocol.Metadata{string(d): own}
}

// langGraphCommand answers what interrupt() returns: the answer itself, or one for each
// interrupt's id where several are open. A graph gets for a cancelled one what the package
// makes of it in a resume[].
func langGraphCommand(asked []protocol.Interrupt, answers []protocol.ResumeEntry) map[string]any {
	if len(answers) == 1 {
		return map[string]any{"resume": langGraphAnswer(answers[0], true)}
	}
	all := map[string]any{}
	for _, a := range answers {
		all[a.InterruptID] = langGraphAnswer(a, false)
	}
	return map[string]any{"resume": all}
}

func langGraphAnswer(a protocol.ResumeEntry, alone bool) any {
	if a.Status == protocol.ResumeCancelled {
		return map[string]any{"__agui_cancelled__": true, "interrupt_id": a.InterruptID}
	}
	// A string alone is read as JSON where it is JSON.
	var text string
	if alone && json.Unmarshal(a.Payload, &text) == nil && json.Valid([]byte(text)) {
		return string(a.Payload)
	}
	return json.RawMessage(orNull(a.Payload))
}

func orNull(payload protocol.Any) []byte {
	if payload.IsZero() {
		return []byte("null")
	}
	return payload
}

// mastraInterrupt reads a suspended tool call. Its id is what Mastra's own outcome has,
// so that both are one interrupt.
func mastraInterrupt(e *protocol.Custom, runID string, n int) protocol.Interrupt {
	value := customValue(e)
	members := objectOf(value)
	call := stringOf(members, "toolCallId")
	if own := stringOf(members, "runId"); own != "" {
		runID = own
	}
	i := protocol.Interrupt{
		ID:             runID + "::" + call,
		Reason:         "mastra:tool_suspend",
		ToolCallID:     call,
		ResponseSchema: schemaOf(members, "resumeSchema"),
		Metadata:       kept(DialectMastra, value),
	}
	if call == "" {
		i.ID = fmt.Sprintf("%s:%d", onInterrupt, n)
	}
	return i
}

// mastraCommand answers one suspended call; false is its no.
func mastraCommand(asked []protocol.Interrupt, answers []protocol.ResumeEntry) map[string]any {
	var resume any = false
	if answers[0].Status == protocol.ResumeResolved {
		resume = json.RawMessage(orNull(answers[0].Payload))
	}
	var own map[string]json.RawMessage
	_ = json.Unmarshal(asked[0].Metadata[string(DialectMastra)], &own)
	return map[string]any{"resume": resume, "interruptEvent": own[keptValue]}
}
