package fold

import (
	"fmt"
	"slices"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/jsonpatch"
)

// plainMessages is log as one would write it that is never cloned: each message
// once, found by a map. What log does is held against it.
type plainMessages struct {
	list  []*plainMessage
	byID  map[string]*plainMessage // the first with that id
	calls map[string]*plainCall    // the first with that id
}

type plainMessage struct {
	protocol.Message        // its ToolCalls are in calls, its growing text in text
	text             []byte // valid while growing
	growing          bool
	calls            []*plainCall
	hasList          bool // toolCalls is present, if only empty
}

type plainCall struct {
	protocol.ToolCall
	args    []byte
	growing bool
}

func newPlainMessages(messages protocol.Messages) plainMessages {
	l := plainMessages{byID: map[string]*plainMessage{}, calls: map[string]*plainCall{}}
	for _, m := range messages {
		l.insert(len(l.list), newPlainMessage(m))
	}
	return l
}

func newPlainMessage(m protocol.Message) *plainMessage {
	fm := &plainMessage{Message: m, hasList: m.ToolCalls != nil}
	for _, c := range m.ToolCalls {
		fm.calls = append(fm.calls, &plainCall{ToolCall: c})
	}
	fm.ToolCalls = nil
	return fm
}

func (m *plainMessage) grow(delta string) {
	if !m.growing {
		m.text, m.growing = nil, true
		if m.Content.IsText() {
			m.text = []byte(m.Content.String())
		}
	}
	m.text = append(m.text, delta...)
}

func (c *plainCall) grow(delta string) {
	if !c.growing {
		c.args, c.growing = []byte(c.Function.Arguments), true
	}
	c.args = append(c.args, delta...)
}

// flush writes the buffers back, so that the message is whole.
func (m *plainMessage) flush() {
	if m.growing {
		m.Content, m.text, m.growing = protocol.Text(string(m.text)), nil, false
	}
	for _, c := range m.calls {
		if c.growing {
			c.Function.Arguments, c.args, c.growing = string(c.args), nil, false
		}
	}
}

func (l *plainMessages) messages() protocol.Messages {
	out := make(protocol.Messages, len(l.list))
	for i, m := range l.list {
		m.flush()
		out[i] = m.Message
		if m.hasList {
			out[i].ToolCalls = make([]protocol.ToolCall, len(m.calls))
			for j, c := range m.calls {
				out[i].ToolCalls[j] = c.ToolCall
			}
		}
	}
	return out
}

func (l *plainMessages) clone() plainMessages { return newPlainMessages(l.messages()) }

func (l *plainMessages) find(id string) *plainMessage { return l.byID[id] }

func (l *plainMessages) insert(at int, m *plainMessage) {
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
func (l *plainMessages) index() {
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

func (m *plainMessage) merge(from protocol.Metadata) { merge(&m.Metadata, from) }

// streaming finds the message that an event of a text or reasoning message is
// about. An activity is none: its id was used twice.
func (l *plainMessages) streaming(id string) (*plainMessage, error) {
	m := l.find(id)
	if m == nil {
		return nil, fmt.Errorf("there is no message %q", id)
	}
	if m.Role == protocol.RoleActivity {
		return nil, fmt.Errorf("message %q is an activity", id)
	}
	return m, nil
}

func (l *plainMessages) begin(m protocol.Message, meta protocol.Metadata) error {
	if l.find(m.ID) == nil {
		l.insert(len(l.list), newPlainMessage(m))
	}
	return l.finish(m.ID, meta)
}

func (l *plainMessages) extend(id, delta string, meta protocol.Metadata) error {
	m, err := l.streaming(id)
	if err != nil {
		return err
	}
	m.grow(delta)
	m.merge(meta)
	return nil
}

func (l *plainMessages) finish(id string, meta protocol.Metadata) error {
	m, err := l.streaming(id)
	if err != nil {
		return err
	}
	m.merge(meta)
	return nil
}

// beginCall opens a call: one that is there already, one in the message that
// the event names, or one in a message of its own.
func (l *plainMessages) beginCall(e *protocol.ToolCallStart) error {
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
		case m.Role == protocol.RoleAssistant:
			l.addCall(m, e)
			return nil
		default:
			warning = fmt.Errorf("message %q is of role %s: call %q has a message of its own", *p, m.Role, e.ToolCallID)
		}
	}
	m := newPlainMessage(protocol.Message{ID: id, Role: protocol.RoleAssistant})
	if l.find(id) == nil {
		m.SubagentRunID = e.SubagentRunID
	}
	l.insert(len(l.list), m)
	l.addCall(m, e)
	return warning
}

func (l *plainMessages) addCall(m *plainMessage, e *protocol.ToolCallStart) {
	c := &plainCall{ToolCall: protocol.ToolCall{ID: e.ToolCallID, Type: "function", Function: protocol.ToolFunction{Name: e.ToolCallName}}}
	merge(&c.Metadata, e.Metadata)
	m.calls, m.hasList = append(m.calls, c), true
	l.calls[c.ID] = c
}

func (l *plainMessages) call(id string) (*plainCall, error) {
	if c := l.calls[id]; c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("there is no tool call %q", id)
}

func (l *plainMessages) extendCall(id, delta string, meta protocol.Metadata) error {
	c, err := l.call(id)
	if err != nil {
		return err
	}
	c.grow(delta)
	merge(&c.Metadata, meta)
	return nil
}

func (l *plainMessages) finishCall(id string, meta protocol.Metadata) error {
	c, err := l.call(id)
	if err != nil {
		return err
	}
	merge(&c.Metadata, meta)
	return nil
}

// result puts the answer after the message that carries the call and after the
// answers that are there already.
func (l *plainMessages) result(e *protocol.ToolCallResult) {
	content := e.Content
	m := newPlainMessage(protocol.Message{
		ID: e.MessageID, Role: protocol.RoleTool, Content: &content,
		ToolCallID: e.ToolCallID, SubagentRunID: e.SubagentRunID,
	})
	m.merge(e.Metadata)
	at := slices.IndexFunc(l.list, func(m *plainMessage) bool { return m.carries(e.ToolCallID) })
	if at < 0 {
		l.insert(len(l.list), m)
		return
	}
	for at++; at < len(l.list) && l.list[at].Role == protocol.RoleTool; at++ {
	}
	l.insert(at, m)
}

func (m *plainMessage) carries(call string) bool {
	return m.Role == protocol.RoleAssistant && slices.ContainsFunc(m.calls, func(c *plainCall) bool { return c.ID == call })
}

func (l *plainMessages) seal(e *protocol.ReasoningEncryptedValue) {
	if e.Subtype == protocol.SubtypeToolCall {
		if c := l.calls[e.EntityID]; c != nil {
			c.EncryptedValue, c.EncryptedValueType = e.EncryptedValue, e.EncryptedValueType
		}
		return
	}
	if m := l.find(e.EntityID); m != nil && m.Role != protocol.RoleActivity {
		m.EncryptedValue, m.EncryptedValueType = e.EncryptedValue, e.EncryptedValueType
	}
}

func (l *plainMessages) activity(e *protocol.ActivitySnapshot) {
	replace := e.Replace == nil || *e.Replace
	fresh := protocol.Message{
		ID: e.MessageID, Role: protocol.RoleActivity, ActivityType: e.ActivityType,
		Content: protocol.ObjectOf(e.Content), SubagentRunID: e.SubagentRunID,
	}
	m := l.find(e.MessageID)
	switch {
	case m == nil:
		m = newPlainMessage(fresh)
		l.insert(len(l.list), m)
	case m.Role == protocol.RoleActivity && replace:
		m.ActivityType, m.Content, m.SubagentRunID = fresh.ActivityType, fresh.Content, fresh.SubagentRunID
	case m.Role == protocol.RoleActivity:
	case replace:
		*m = *newPlainMessage(fresh)
		l.index()
	default:
		return
	}
	m.merge(e.Metadata)
}

// join appends the messages whose ids are new.
func (l *plainMessages) join(messages protocol.Messages) {
	for _, m := range messages {
		if l.find(m.ID) == nil {
			l.insert(len(l.list), newPlainMessage(m))
		}
	}
}

// reconcile takes over a complete set: what it holds is replaced in place or
// appended, what it lacks is dropped, except activities and reasoning where the
// set does not speak for them.
func (l *plainMessages) reconcile(e *protocol.MessagesSnapshot) {
	latest := make(map[string]protocol.Message, len(e.Messages))
	hasReasoning := false
	for _, m := range e.Messages {
		latest[m.ID] = m
		hasReasoning = hasReasoning || m.Role == protocol.RoleReasoning
	}
	owns := activityAuthority(e)
	next := newPlainMessages(nil)
	held := map[string]bool{}
	for _, m := range l.list {
		if now, ok := latest[m.ID]; ok {
			m = newPlainMessage(now)
		} else if m.Role != protocol.RoleReasoning && m.Role != protocol.RoleActivity ||
			m.Role == protocol.RoleReasoning && hasReasoning ||
			m.Role == protocol.RoleActivity && owns(m.ActivityType) {
			continue
		}
		held[m.ID] = true
		next.insert(len(next.list), m)
	}
	for _, m := range e.Messages {
		if !held[m.ID] {
			next.insert(len(next.list), newPlainMessage(m))
		}
	}
	*l = next
}

// plainFold takes events in as Fold does, as far as they are about messages.
type plainFold struct {
	log    plainMessages
	chunks protocol.Expander
}

func (f *plainFold) clone() *plainFold {
	return &plainFold{f.log.clone(), f.chunks.Clone()}
}

func (f *plainFold) Apply(e protocol.Event) (warnings []error) {
	events, err := f.chunks.Expand(e)
	if err != nil {
		return []error{err}
	}
	for _, e := range events {
		if err := f.apply(e, protocol.EffectOf(e)); err != nil {
			warnings = append(warnings, err)
		}
	}
	return warnings
}

func (f *plainFold) apply(e protocol.Event, x protocol.Effect) error {
	meta := protocol.Common(e).Metadata
	switch {
	case x.Verb == protocol.Continues && x.Family == protocol.FamilyToolCall:
		return f.log.extendCall(*x.ID, *x.Delta, meta)
	case x.Verb == protocol.Continues:
		return f.log.extend(*x.ID, *x.Delta, meta)
	case x.Verb == protocol.Ends && x.Family == protocol.FamilyToolCall:
		return f.log.finishCall(*x.ID, meta)
	case x.Verb == protocol.Ends && (x.Family == protocol.FamilyText || x.Family == protocol.FamilyReasoning):
		return f.log.finish(*x.ID, meta)
	}
	switch e := e.(type) {
	case *protocol.TextMessageStart:
		m := protocol.Message{ID: e.MessageID, Role: e.Role, Name: e.Name, Content: protocol.Text(""), SubagentRunID: e.SubagentRunID}
		if m.Role == "" {
			m.Role = protocol.RoleAssistant
		}
		return f.log.begin(m, meta)
	case *protocol.ReasoningMessageStart:
		return f.log.begin(protocol.Message{ID: e.MessageID, Role: protocol.RoleReasoning, Content: protocol.Text(""), SubagentRunID: e.SubagentRunID}, meta)
	case *protocol.ToolCallStart:
		return f.log.beginCall(e)
	case *protocol.ToolCallResult:
		f.log.result(e)
	case *protocol.ReasoningEncryptedValue:
		f.log.seal(e)
	case *protocol.MessagesSnapshot:
		f.log.reconcile(e)
	case *protocol.ActivitySnapshot:
		f.log.activity(e)
	case *protocol.ActivityDelta:
		m := f.log.find(e.MessageID)
		switch {
		case m == nil:
			return nil
		case m.Role != protocol.RoleActivity:
			return fmt.Errorf("message %q is of role %s", e.MessageID, m.Role)
		}
		m.merge(meta)
		next, err := jsonpatch.Apply(m.Content.Object(), e.Patch)
		if err != nil {
			return err
		}
		m.Content, m.ActivityType = protocol.ObjectOf(next), e.ActivityType
	case *protocol.RunStarted:
		if e.Input != nil {
			f.log.join(e.Input.Messages)
		}
	}
	return nil
}
