package protocol

import (
	"strconv"

	"github.com/aguiws/aguiws/protocol/internal/wire"
)

// laid is how an event of few members is written without its shape: what comes before
// its members, and the member that is its item's id. A delta has one more. The general
// encoder decides what is right: FuzzLaidIsGeneral.
//
// encoding/json would not do, nor its second version (an experiment that whoever builds
// must ask for): both are reflection again, and neither has a place for "type".
type laid struct{ open, id string }

var (
	laidText      = laid{`{"type":"TEXT_MESSAGE_CONTENT"`, `,"messageId":`}
	laidArgs      = laid{`{"type":"TOOL_CALL_ARGS"`, `,"toolCallId":`}
	laidReasoning = laid{`{"type":"REASONING_MESSAGE_CONTENT"`, `,"messageId":`}

	laidTextEnd      = laid{`{"type":"TEXT_MESSAGE_END"`, `,"messageId":`}
	laidCallEnd      = laid{`{"type":"TOOL_CALL_END"`, `,"toolCallId":`}
	laidReasoningEnd = laid{`{"type":"REASONING_MESSAGE_END"`, `,"messageId":`}
	laidSpan         = laid{`{"type":"REASONING_START"`, `,"messageId":`}
	laidSpanEnd      = laid{`{"type":"REASONING_END"`, `,"messageId":`}
)

// laidEvent is what there is to write of an event that is laid by hand.
type laidEvent struct {
	as    *laid
	base  *Base
	owner *string
	id    string
	delta *string // nil but for deltas
}

// layOut finds what is to be written by hand; false for events that have to go by their
// shape.
func layOut(e Event) (l laidEvent, ok bool) {
	switch e := e.(type) {
	case *TextMessageContent:
		if e != nil {
			l = laidEvent{&laidText, &e.Base, e.SubagentRunID, e.MessageID, &e.Delta}
		}
	case *ToolCallArgs:
		if e != nil {
			l = laidEvent{&laidArgs, &e.Base, e.SubagentRunID, e.ToolCallID, &e.Delta}
		}
	case *ReasoningMessageContent:
		if e != nil {
			l = laidEvent{&laidReasoning, &e.Base, e.SubagentRunID, e.MessageID, &e.Delta}
		}
	case *TextMessageEnd:
		if e != nil {
			l = laidEvent{&laidTextEnd, &e.Base, e.SubagentRunID, e.MessageID, nil}
		}
	case *ToolCallEnd:
		if e != nil {
			l = laidEvent{&laidCallEnd, &e.Base, e.SubagentRunID, e.ToolCallID, nil}
		}
	case *ReasoningMessageEnd:
		if e != nil {
			l = laidEvent{&laidReasoningEnd, &e.Base, e.SubagentRunID, e.MessageID, nil}
		}
	case *ReasoningStart:
		if e != nil {
			l = laidEvent{&laidSpan, &e.Base, e.SubagentRunID, e.MessageID, nil}
		}
	case *ReasoningEnd:
		if e != nil {
			l = laidEvent{&laidSpanEnd, &e.Base, e.SubagentRunID, e.MessageID, nil}
		}
	}
	return l, l.as != nil && l.base.bare()
}

// bare reports whether an event carries nothing that seldom comes, nor a timestamp that
// cannot be written.
func (b *Base) bare() bool {
	return len(b.RawEvent) == 0 && b.Metadata == nil && len(b.Extra) == 0 && b.Timestamp <= wire.MaxInteger && b.Timestamp >= wire.MinInteger
}

// size is enough for nearly every event, and not much more: the bytes of an event are
// kept for as long as somebody reads them.
func (l laidEvent) size() int {
	const timestamp, rest = len(`,"timestamp":1764000000000000`), len(`"","delta":""}`)
	n := len(l.as.open) + timestamp + len(l.as.id) + len(l.id) + rest
	if l.owner != nil {
		n += len(`,"subagentRunId":""`) + len(*l.owner)
	}
	switch {
	case l.as == &laidArgs: // JSON: its quotes are escaped
		n += len(*l.delta) * 5 / 4
	case l.delta != nil:
		n += len(*l.delta) * 33 / 32
	}
	return n
}

func (l laidEvent) appendTo(dst []byte) []byte {
	dst = append(dst, l.as.open...)
	if l.base.Timestamp != 0 {
		dst = strconv.AppendInt(append(dst, `,"timestamp":`...), l.base.Timestamp, 10)
	}
	if l.owner != nil {
		dst = wire.AppendString(append(dst, `,"subagentRunId":`...), *l.owner)
	}
	dst = wire.AppendString(append(dst, l.as.id...), l.id)
	if l.delta != nil {
		dst = wire.AppendString(append(dst, `,"delta":`...), *l.delta)
	}
	return append(dst, '}')
}
