package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// generator makes events out of few ids, so that they meet.
type generator struct {
	random *rand.Rand
	fold   *fold.Fold // what the stream so far makes
	run    int
}

func pick[T any](g *generator, from ...T) T { return from[g.random.IntN(len(from))] }

func (g *generator) chance(percent int) bool { return g.random.IntN(100) < percent }

func (g *generator) messageID() string { return fmt.Sprintf("m%d", g.random.IntN(5)) }
func (g *generator) callID() string    { return pick(g, "c0", "c1", "c2") }
func (g *generator) tool() string      { return pick(g, "search", "search", "search", "send") }
func (g *generator) step() string      { return pick(g, "plan", "act") }
func (g *generator) delta() string     { return pick(g, "", "a", "{", "é", "\"x\"") }

func (g *generator) maybe(s string) *string {
	if g.chance(50) {
		return nil
	}
	return &s
}

func (g *generator) subagent() string { return pick(g, "s0", "s1", "") }

func (g *generator) owner() protocol.Attributed {
	if g.chance(75) {
		return protocol.Attributed{}
	}
	id := g.subagent()
	return protocol.Attributed{SubagentRunID: &id}
}

func (g *generator) metadata() protocol.Metadata {
	if g.chance(80) {
		return nil
	}
	return protocol.Metadata{pick(g, "a", "b"): pick(g, json.RawMessage(`1`), json.RawMessage(`{"c":2}`), json.RawMessage(`null`))}
}

func (g *generator) base() protocol.Base {
	b := protocol.Base{Metadata: g.metadata()}
	if g.chance(5) {
		b.RawEvent = protocol.Any(`{"raw":true}`)
	}
	return b
}

// events makes what may come next: an event, or now and then the end of a run
// with everything closed before it, which chance would hardly find.
func (g *generator) events() []protocol.Event {
	_, id, active := g.fold.Run()
	if active && g.chance(3) {
		return append(g.fold.Closings(), &protocol.RunFinished{Base: g.base(), ThreadID: "t", RunID: id, Outcome: g.outcome()})
	}
	e := g.event()
	switch e.(type) {
	case *protocol.RunStarted, *protocol.RunError:
		if active && g.chance(85) { // so that runs grow
			e = g.event()
		}
	}
	return []protocol.Event{e}
}

func (g *generator) event() protocol.Event {
	b, a, id := g.base(), g.owner(), g.messageID()
	switch g.random.IntN(44) {
	case 0, 1:
		g.run++
		return &protocol.RunStarted{Base: b, ThreadID: "t", RunID: fmt.Sprintf("r%d", g.run), Input: g.input()}
	case 2:
		return &protocol.RunError{Base: b, Message: "m"}
	case 3, 4, 5:
		return &protocol.RunFinished{Base: b, ThreadID: "t", RunID: g.runID(), Outcome: g.outcome()}
	case 6, 7:
		return &protocol.StepStarted{Base: b, Attributed: a, StepName: g.step()}
	case 8, 9:
		return &protocol.StepFinished{Base: b, Attributed: a, StepName: g.step()}
	case 10, 11:
		return &protocol.TextMessageStart{Base: b, Attributed: a, MessageID: id, Role: g.role(), Name: pick(g, "", "", "n")}
	case 12, 13, 14:
		return &protocol.TextMessageContent{Base: b, Attributed: a, MessageID: id, Delta: g.delta()}
	case 15, 16:
		return &protocol.TextMessageEnd{Base: b, Attributed: a, MessageID: id}
	case 17:
		return &protocol.TextMessageChunk{Base: b, Attributed: a, MessageID: g.maybe(id), Role: pick(g, "", "", g.role()), Delta: g.maybe(g.delta())}
	case 18, 19:
		return &protocol.ToolCallStart{Base: b, Attributed: a, ToolCallID: g.callID(), ToolCallName: g.tool(), ParentMessageID: g.maybe(id)}
	case 20, 21:
		return &protocol.ToolCallArgs{Base: b, Attributed: a, ToolCallID: g.callID(), Delta: g.delta()}
	case 22, 23:
		return &protocol.ToolCallEnd{Base: b, Attributed: a, ToolCallID: g.callID()}
	case 24:
		return &protocol.ToolCallChunk{Base: b, Attributed: a, ToolCallID: g.maybe(g.callID()), ToolCallName: pick(g, "", g.tool()), ParentMessageID: g.maybe(id), Delta: g.maybe(g.delta())}
	case 25:
		return &protocol.ToolCallResult{Base: b, Attributed: a, MessageID: id, ToolCallID: g.callID(), Content: *g.content(), Role: pick(g, "", protocol.RoleTool)}
	case 26:
		return &protocol.ReasoningStart{Base: b, Attributed: a, MessageID: id}
	case 27:
		return &protocol.ReasoningEnd{Base: b, Attributed: a, MessageID: id}
	case 28:
		return &protocol.ReasoningMessageStart{Base: b, Attributed: a, MessageID: id}
	case 29:
		return &protocol.ReasoningMessageContent{Base: b, Attributed: a, MessageID: id, Delta: g.delta()}
	case 30:
		return &protocol.ReasoningMessageEnd{Base: b, Attributed: a, MessageID: id}
	case 31:
		return &protocol.ReasoningMessageChunk{Base: b, Attributed: a, MessageID: g.maybe(id), Delta: g.maybe(g.delta())}
	case 32:
		return &protocol.ReasoningEncryptedValue{Base: b, Attributed: a, Subtype: pick(g, "message", "tool-call"), EntityID: pick(g, id, g.callID()), EncryptedValue: "v"}
	case 33:
		return &protocol.StateSnapshot{Base: b, Attributed: a, Snapshot: json.RawMessage(pick(g, `null`, `0`, `{"a":1,"l":[]}`, `{"a":{},"l":[1]}`))}
	case 34, 35:
		return &protocol.StateDelta{Base: b, Attributed: a, Delta: g.patch()}
	case 36:
		return &protocol.MessagesSnapshot{Base: g.authority(b), Messages: g.messages()}
	case 37, 38:
		replace := g.chance(50)
		e := &protocol.ActivitySnapshot{Base: b, Attributed: a, MessageID: id, ActivityType: pick(g, "plan", "search"), Content: json.RawMessage(`{"a":1,"l":[1]}`)}
		if g.chance(50) {
			e.Replace = &replace
		}
		return e
	case 39:
		return &protocol.ActivityDelta{Base: b, Attributed: a, MessageID: id, ActivityType: pick(g, "plan", "search"), Patch: g.patch()}
	case 40:
		return pick[protocol.Event](g, &protocol.Raw{Base: b, Attributed: a, Event: json.RawMessage(`{}`)}, &protocol.Custom{Base: b, Attributed: a, Name: "n"})
	case 41:
		return &protocol.SubagentStarted{Base: b, SubagentRunID: g.subagent(), Name: "n", ParentSubagentRunID: g.maybe(g.subagent())}
	case 42:
		return &protocol.SubagentFinished{Base: b, SubagentRunID: g.subagent(), Outcome: pick(g, nil, &protocol.SubagentOutcome{Type: protocol.OutcomeSuspended})}
	}
	return &protocol.SubagentError{Base: b, SubagentRunID: g.subagent(), Message: "m"}
}

// runID is that of the latest run.
func (g *generator) runID() string {
	_, id, _ := g.fold.Run()
	return id
}

func (g *generator) role() protocol.Role {
	return pick(g, "", protocol.RoleAssistant, protocol.RoleUser, protocol.RoleSystem, protocol.RoleDeveloper)
}

func (g *generator) outcome() *protocol.RunOutcome {
	return pick(g, nil, &protocol.RunOutcome{Type: protocol.OutcomeSuccess}, &protocol.RunOutcome{Type: protocol.OutcomeCancelled},
		&protocol.RunOutcome{Type: protocol.OutcomeInterrupt, Interrupts: []protocol.Interrupt{{ID: "i0", Reason: "confirmation"}, {ID: "i1", Reason: "a:b", Metadata: g.metadata()}}})
}

func (g *generator) input() *protocol.RunAgentInput {
	if g.chance(50) {
		return nil
	}
	return &protocol.RunAgentInput{ThreadID: "t", RunID: g.runID(), Messages: g.messages()}
}

func (g *generator) content() *protocol.Content {
	return pick(g, protocol.Text("result"), protocol.PartsOf(), protocol.PartsOf(protocol.Part{Type: protocol.PartText, Text: "x"}))
}

// authority makes some snapshots say which activities they speak for.
func (g *generator) authority(b protocol.Base) protocol.Base {
	if g.chance(70) {
		return b
	}
	b.Metadata = protocol.Metadata{"@ag-ui/client": json.RawMessage(pick(g, `{}`, `7`, `{"authoritativeActivityTypes":null}`,
		`{"authoritativeActivityTypes":["plan"]}`, `{"authoritativeActivityTypes":["plan",1]}`))}
	return b
}

// messages makes a conversation whose ids differ.
func (g *generator) messages() protocol.Messages {
	list := protocol.Messages{}
	for i := range 5 {
		if g.chance(60) {
			continue
		}
		m := protocol.Message{ID: fmt.Sprintf("m%d", i), Metadata: g.metadata(), SubagentRunID: g.owner().SubagentRunID}
		m.Role = pick(g, protocol.RoleUser, protocol.RoleAssistant, protocol.RoleAssistant, protocol.RoleTool,
			protocol.RoleActivity, protocol.RoleReasoning, protocol.RoleSystem)
		switch m.Role {
		case protocol.RoleActivity:
			m.ActivityType, m.Content = pick(g, "plan", "search"), protocol.ObjectOf(json.RawMessage(`{"a":2,"l":[]}`))
		case protocol.RoleTool:
			m.ToolCallID, m.Content = g.callID(), g.content()
		case protocol.RoleAssistant:
			if g.chance(50) {
				m.Content = protocol.Text("said")
			}
			if g.chance(50) {
				m.ToolCalls = []protocol.ToolCall{{ID: fmt.Sprintf("c%d", i), Function: protocol.ToolFunction{Name: g.tool(), Arguments: "{"}}}
			}
		case protocol.RoleUser:
			m.Content = g.content()
		default:
			m.Content = protocol.Text("text")
		}
		list = append(list, m)
	}
	g.random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// spoil replaces a patch that does not apply by one that everybody refuses: the
// client's library applies some that RFC 6902 does not.
func (g *generator) spoil(e protocol.Event) {
	if g.fold.Clone().Apply(e) == nil {
		return
	}
	refused := json.RawMessage(`[{"op":"test","path":"","value":"never"}]`)
	switch e := e.(type) {
	case *protocol.StateDelta:
		e.Delta = refused
	case *protocol.ActivityDelta:
		e.Patch = refused
	}
}

func (g *generator) patch() json.RawMessage {
	var ops []string
	for range g.random.IntN(3) {
		path := pick(g, "/a", "/b", "/l", "/l/0", "/l/1", "/l/-", "/a/x")
		from := pick(g, "/a", "/b", "/l/0")
		value := pick(g, `1`, `null`, `"s"`, `{"x":1}`, `[3]`)
		switch pick(g, "add", "add", "replace", "remove", "move", "copy", "test") {
		case "add":
			ops = append(ops, fmt.Sprintf(`{"op":"add","path":%q,"value":%s}`, path, value))
		case "replace":
			ops = append(ops, fmt.Sprintf(`{"op":"replace","path":%q,"value":%s}`, path, value))
		case "remove":
			ops = append(ops, fmt.Sprintf(`{"op":"remove","path":%q}`, path))
		case "move":
			ops = append(ops, fmt.Sprintf(`{"op":"move","from":%q,"path":%q}`, from, path))
		case "copy":
			ops = append(ops, fmt.Sprintf(`{"op":"copy","from":%q,"path":%q}`, from, path))
		case "test":
			ops = append(ops, fmt.Sprintf(`{"op":"test","path":%q,"value":%s}`, path, value))
		}
	}
	return json.RawMessage("[" + strings.Join(ops, ",") + "]")
}
