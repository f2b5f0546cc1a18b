package downgrade

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/problem"
)

// Apply returns what a peer of the profile is sent for e: e itself where it can
// be, else a changed copy, or nil for an event that the peer would fail on. The
// losses say what the peer is not told, each with a pointer into e; the caller
// logs them. Apply repairs and invents nothing.
//
// Chunks and everything else that a profile does not name pass as they are.
// Before 1.0 there is no way to say that a run was cancelled: it becomes a
// RUN_ERROR of code "cancelled", because it must not look like a success.
func (p Profile) Apply(e protocol.Event) (sent protocol.Event, losses []problem.Problem) {
	if p == ProfileCurrent {
		return e, nil
	}
	d := &downgrade{profile: p}
	return d.event(e), d.losses
}

// Keeps reports, by a look at an event's JSON, that a peer of the profile is sent it as
// it is. False: Apply says.
func (p Profile) Keeps(event []byte) bool {
	if p == ProfileCurrent {
		return true
	}
	rest, ok := bytes.CutPrefix(event, []byte(`{"type":"`))
	end := bytes.IndexByte(rest, '"')
	if !ok || end < 0 {
		return false
	}
	switch protocol.EventType(rest[:end]) {
	case protocol.TypeTextMessageContent:
		// A quote within a string is escaped, so this is a member: the only one that can be
		// empty, if there is one of that name.
		if p != Profile0 {
			return true
		}
		before, delta, _ := bytes.Cut(rest, []byte(`"delta":"`))
		if len(delta) == 0 || delta[0] == '"' || bytes.Contains(before, []byte(`"delta"`)) {
			return false
		}
		// A relayed event may spell it otherwise.
		if bytes.Contains(rest, []byte(`\u00`)) {
			return false
		}
		// Mostly it is the last.
		end := bytes.IndexByte(delta, '"')
		return end == len(delta)-2 && delta[end+1] == '}' || !bytes.Contains(delta, []byte(`"delta"`))
	case protocol.TypeTextMessageStart, protocol.TypeTextMessageEnd, protocol.TypeTextMessageChunk, protocol.TypeToolCallStart, protocol.TypeToolCallArgs, protocol.TypeToolCallEnd, protocol.TypeToolCallChunk,
		protocol.TypeReasoningStart, protocol.TypeReasoningEnd, protocol.TypeReasoningMessageStart, protocol.TypeReasoningMessageContent, protocol.TypeReasoningMessageEnd, protocol.TypeReasoningMessageChunk,
		protocol.TypeStepStarted, protocol.TypeStepFinished, protocol.TypeStateDelta, protocol.TypeCustom:
		return true
	}
	return false
}

type downgrade struct {
	profile Profile
	losses  []problem.Problem
}

func (d *downgrade) lose(pointer, format string, args ...any) {
	d.losses = append(d.losses, problem.Problem{Pointer: pointer, Message: fmt.Sprintf(format, args...)})
}

func (d *downgrade) event(e protocol.Event) protocol.Event {
	switch e := e.(type) {
	case *protocol.RunStarted:
		return d.runStarted(e)
	case *protocol.MessagesSnapshot:
		if messages := d.messages(e.Messages, "/messages"); messages != nil {
			c := *e
			c.Messages = messages
			return &c
		}
		return e
	case *protocol.ReasoningEncryptedValue:
		if e.EncryptedValueType == "" {
			return e
		}
		d.lose("/encryptedValueType", "1.0 has no encryptedValueType")
		c := *e
		c.EncryptedValueType = ""
		return &c
	}
	if d.profile != Profile0 {
		return e
	}
	switch e := e.(type) {
	case *protocol.RunFinished:
		return d.runFinished(e)
	case *protocol.RunError:
		if usage := d.usage(e.Usage); usage != nil {
			c := *e
			c.Usage = usage
			return &c
		}
	case *protocol.ToolCallResult:
		if text, flat := d.flat(&e.Content, "/content"); flat {
			c := *e
			c.Content = *text
			return &c
		}
	case *protocol.TextMessageContent:
		if e.Delta == "" {
			return d.withheld(e, e.Metadata != nil, "an empty delta")
		}
	case *protocol.SubagentStarted, *protocol.SubagentFinished, *protocol.SubagentError:
		return d.withheld(e, true, string(e.Type()))
	case *protocol.Unknown:
		return d.withheld(e, true, string(e.Type()))
	}
	return e
}

func (d *downgrade) withheld(e protocol.Event, lossy bool, what string) protocol.Event {
	if lossy {
		d.lose("", "releases before 1.0 fail on %s", what)
	}
	return nil
}

// runStarted declares what is sent, which is not what the agent speaks.
func (d *downgrade) runStarted(e *protocol.RunStarted) protocol.Event {
	c := *e
	switch {
	case d.profile == Profile0:
		c.ProtocolVersion = ""
	case e.ProtocolVersion != "":
		c.ProtocolVersion = protocol.Version10
	}
	if e.Input != nil {
		if messages := d.messages(e.Input.Messages, "/input/messages"); messages != nil {
			in := *e.Input
			in.Messages = messages
			c.Input = &in
		}
	}
	if c.ProtocolVersion == e.ProtocolVersion && c.Input == e.Input {
		return e
	}
	return &c
}

func (d *downgrade) runFinished(e *protocol.RunFinished) protocol.Event {
	c := *e
	if usage := d.usage(e.Usage); usage != nil {
		c.Usage = usage
	}
	if o := e.Outcome; o != nil {
		switch {
		case o.Type == protocol.OutcomeCancelled:
			d.lose("/outcome", "before 1.0 a cancelled run can only be an error")
			return &protocol.RunError{Base: e.Base, Message: "The run was cancelled.", Code: "cancelled", Usage: c.Usage}
		case o.Type != protocol.OutcomeSuccess && o.Type != protocol.OutcomeInterrupt:
			d.lose("/outcome", "before 1.0 there is no outcome %q", o.Type)
			c.Outcome = nil
		case len(o.PendingToolCallIDs) > 0 || len(o.Extra) > 0:
			d.lose("/outcome", "before 1.0 an outcome has no other members")
			fallthrough
		case o.PendingToolCallIDs != nil:
			c.Outcome = &protocol.RunOutcome{Type: o.Type, Interrupts: o.Interrupts}
		}
	}
	if c.Outcome == e.Outcome && len(c.Usage) == len(e.Usage) && (len(c.Usage) == 0 || &c.Usage[0] == &e.Usage[0]) {
		return e
	}
	return &c
}

// usage returns the counts as they were before 1.0, nil if they are so already.
func (d *downgrade) usage(usage []protocol.TokenUsage) []protocol.TokenUsage {
	var out []protocol.TokenUsage
	for i, u := range usage {
		if u.CacheWriteInputTokens == nil {
			continue
		}
		if out == nil {
			out = slices.Clone(usage)
		}
		d.lose(fmt.Sprintf("/usage/%d/cacheWriteInputTokens", i), "before 1.0 there is no such count")
		out[i].CacheWriteInputTokens = nil
	}
	return out
}
