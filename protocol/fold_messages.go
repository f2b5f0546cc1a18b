package protocol

import (
	"fmt"
	"maps"
	"slices"
)

// foldMessages is a conversation under construction. Text that grows by deltas
// is kept in buffers, so that a delta costs what it adds.
type foldMessages struct {
	list  []*foldMessage
	byID  map[string]*foldMessage // the first with that id
	calls map[string]*foldCall    // the first with that id
}

type foldMessage struct {
	Message        // its ToolCalls are in calls, its growing text in text
	text    []byte // valid while growing
	growing bool
	calls   []*foldCall
	hasList bool // toolCalls is present, if only empty
}

type foldCall struct {
	ToolCall
	args    []byte
	growing bool
}

func newFoldMessages(messages Messages) foldMessages {
	l := foldMessages{byID: map[string]*foldMessage{}, calls: map[string]*foldCall{}}
	for _, m := range messages {
		l.insert(len(l.list), newFoldMessage(m))
	}
	return l
}

func newFoldMessage(m Message) *foldMessage {
	fm := &foldMessage{Message: m, hasList: m.ToolCalls != nil}
	for _, c := range m.ToolCalls {
		fm.calls = append(fm.calls, &foldCall{ToolCall: c})
	}
	fm.ToolCalls = nil
	return fm
}

func (m *foldMessage) grow(delta string) {
	if !m.growing {
		m.text, m.growing = nil, true
		if m.Content.IsText() {
			m.text = []byte(m.Content.String())
		}
	}
	m.text = append(m.text, delta...)
}

func (c *foldCall) grow(delta string) {
	if !c.growing {
		c.args, c.growing = []byte(c.Function.Arguments), true
	}
	c.args = append(c.args, delta...)
}

// flush writes the buffers back, so that the message is whole.
func (m *foldMessage) flush() {
	if m.growing {
		m.Content, m.text, m.growing = Text(string(m.text)), nil, false
	}
	for _, c := range m.calls {
		if c.growing {
			c.Function.Arguments, c.args, c.growing = string(c.args), nil, false
		}
	}
}

func (l *foldMessages) messages() Messages {
	out := make(Messages, len(l.list))
	for i, m := range l.list {
		m.flush()
		out[i] = m.Message
		if m.hasList {
			out[i].ToolCalls = make([]ToolCall, len(m.calls))
			for j, c := range m.calls {
				out[i].ToolCalls[j] = c.ToolCall
			}
		}
	}
	return out
}

func (l *foldMessages) clone() foldMessages { return newFoldMessages(l.messages()) }

func (l *foldMessages) find(id string) *foldMessage { return l.byID[id] }

func (l *foldMessages) insert(at int, m *foldMessage) {
	l.list = slices.Insert(l.list, at, m)
	if l.byID[m.ID] == nil {
		l.byID[m.ID] = m
	} else if at < len(l.list)-1 {
		l.index()
		return
	}
	for _, c := range m.calls {
		if l.calls[c.ID] == nil {
			l.calls[c.ID] = c
		}
	}
}

// index finds again what comes first under each id.
func (l *foldMessages) index() {
	clear(l.byID)
	clear(l.calls)
	for _, m := range l.list {
		if l.byID[m.ID] == nil {
			l.byID[m.ID] = m
		}
		for _, c := range m.calls {
			if l.calls[c.ID] == nil {
				l.calls[c.ID] = c
			}
		}
	}
}

// merge merges key by key, the last writer winning, into a map of its own:
// copies of the message may share the old one.
func merge(into *Metadata, from Metadata) {
	if from == nil {
		return
	}
	merged := make(Metadata, len(*into)+len(from))
	maps.Copy(merged, *into)
	maps.Copy(merged, from)
	*into = merged
}

func (m *foldMessage) merge(from Metadata) { merge(&m.Metadata, from) }

// streaming finds the message that an event of a text or reasoning message is
// about. An activity is none: its id was used twice.
func (l *foldMessages) streaming(id string) (*foldMessage, error) {
	m := l.find(id)
	if m == nil {
		return nil, fmt.Errorf("there is no message %q", id)
	}
	if m.Role == RoleActivity {
		return nil, fmt.Errorf("message %q is an activity", id)
	}
	return m, nil
}

func (l *foldMessages) begin(m Message, meta Metadata) error {
	if l.find(m.ID) == nil {
		l.insert(len(l.list), newFoldMessage(m))
	}
	return l.finish(m.ID, meta)
}

func (l *foldMessages) extend(id, delta string, meta Metadata) error {
	m, err := l.streaming(id)
	if err != nil {
		return err
	}
	m.grow(delta)
	m.merge(meta)
	return nil
}

func (l *foldMessages) finish(id string, meta Metadata) error {
	m, err := l.streaming(id)
	if err != nil {
		return err
	}
	m.merge(meta)
	return nil
}

// beginCall opens a call: one that is there already, one in the message that
// the event names, or one in a message of its own.
func (l *foldMessages) beginCall(e *ToolCallStart) error {
	if c := l.calls[e.ToolCallID]; c != nil {
		then := c.Function.Name
		c.Function.Name = e.ToolCallName
		merge(&c.Metadata, e.Metadata)
		if then != e.ToolCallName {
			return fmt.Errorf("call %q was of %q and is of %q now", e.ToolCallID, then, e.ToolCallName)
		}
		return nil
	}
	var warning error
	id := e.ToolCallID
	if p := e.ParentMessageID; p != nil && *p != "" {
		switch m := l.find(*p); {
		case m == nil:
			id = *p
		case m.Role == RoleAssistant:
			l.addCall(m, e)
			return nil
		default:
			warning = fmt.Errorf("message %q is of role %s: call %q has a message of its own", *p, m.Role, e.ToolCallID)
		}
	}
	m := newFoldMessage(Message{ID: id, Role: RoleAssistant})
	if l.find(id) == nil {
		m.SubagentRunID = e.SubagentRunID
	}
	l.insert(len(l.list), m)
	l.addCall(m, e)
	return warning
}

func (l *foldMessages) addCall(m *foldMessage, e *ToolCallStart) {
	c := &foldCall{ToolCall: ToolCall{ID: e.ToolCallID, Type: "function", Function: ToolFunction{Name: e.ToolCallName}}}
	merge(&c.Metadata, e.Metadata)
	m.calls, m.hasList = append(m.calls, c), true
	l.calls[c.ID] = c
}

func (l *foldMessages) call(id string) (*foldCall, error) {
	if c := l.calls[id]; c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("there is no tool call %q", id)
}

func (l *foldMessages) extendCall(id, delta string, meta Metadata) error {
	c, err := l.call(id)
	if err != nil {
		return err
	}
	c.grow(delta)
	merge(&c.Metadata, meta)
	return nil
}

func (l *foldMessages) finishCall(id string, meta Metadata) error {
	c, err := l.call(id)
	if err != nil {
		return err
	}
	merge(&c.Metadata, meta)
	return nil
}

// result puts the answer after the message that carries the call and after the
// answers that are there already.
func (l *foldMessages) result(e *ToolCallResult) {
	content := e.Content
	m := newFoldMessage(Message{
		ID: e.MessageID, Role: RoleTool, Content: &content,
		ToolCallID: e.ToolCallID, SubagentRunID: e.SubagentRunID,
	})
	m.merge(e.Metadata)
	at := slices.IndexFunc(l.list, func(m *foldMessage) bool { return m.carries(e.ToolCallID) })
	if at < 0 {
		l.insert(len(l.list), m)
		return
	}
	for at++; at < len(l.list) && l.list[at].Role == RoleTool; at++ {
	}
	l.insert(at, m)
}

// carrier finds the message that holds a call.
func (l *foldMessages) carrier(call string) *foldMessage {
	if l.calls[call] == nil {
		return nil
	}
	if i := slices.IndexFunc(l.list, func(m *foldMessage) bool { return m.carries(call) }); i >= 0 {
		return l.list[i]
	}
	return nil
}

func (m *foldMessage) carries(call string) bool {
	return m.Role == RoleAssistant && slices.ContainsFunc(m.calls, func(c *foldCall) bool { return c.ID == call })
}

func (l *foldMessages) seal(e *ReasoningEncryptedValue) {
	if e.Subtype == SubtypeToolCall {
		if c := l.calls[e.EntityID]; c != nil {
			c.EncryptedValue, c.EncryptedValueType = e.EncryptedValue, e.EncryptedValueType
		}
		return
	}
	if m := l.find(e.EntityID); m != nil && m.Role != RoleActivity {
		m.EncryptedValue, m.EncryptedValueType = e.EncryptedValue, e.EncryptedValueType
	}
}

func (l *foldMessages) activity(e *ActivitySnapshot) {
	replace := e.Replace == nil || *e.Replace
	fresh := Message{
		ID: e.MessageID, Role: RoleActivity, ActivityType: e.ActivityType,
		Content: ObjectOf(e.Content), SubagentRunID: e.SubagentRunID,
	}
	m := l.find(e.MessageID)
	switch {
	case m == nil:
		m = newFoldMessage(fresh)
		l.insert(len(l.list), m)
	case m.Role == RoleActivity && replace:
		m.ActivityType, m.Content, m.SubagentRunID = fresh.ActivityType, fresh.Content, fresh.SubagentRunID
	case m.Role == RoleActivity:
	case replace:
		*m = *newFoldMessage(fresh)
		l.index()
	default:
		return
	}
	m.merge(e.Metadata)
}
