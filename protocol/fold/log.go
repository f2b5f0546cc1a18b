package fold

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// log is a conversation under construction, which clones share: a write
// copies what it changes of what is shared, and nothing else. Text that grows by
// deltas is kept in buffers, so that a delta costs what it adds.
type log struct {
	order
	ids     index[string, Place]     // of messages: the first with that id
	calls   index[string, callPlace] // the first of that id
	results index[string, Place]     // of the tool messages that answer calls: the last
	answers index[Place, Place]      // the last of those right behind a message with calls
	growing map[grown]*buffer
	hot     *buffer // the one that grew last
	views   *views  // of all clones
}

// message is immutable but for its owner.
type message struct {
	protocol.Message
	place  Place
	owner  *ownership
	during *underway // nil: it was there before
}

// callPlace is where a call is.
type callPlace struct {
	in Place // of the message
	at int   // of its calls
}

// grown names text that deltas are added to: a message's, or a call's arguments.
type grown struct {
	id     string
	isCall bool
}

type buffer struct {
	grown
	strings.Builder
	place Place // of the message
	ahead bool  // of what the message says
}

func newLog(messages protocol.Messages) log {
	l := log{order: newOrder(), growing: map[grown]*buffer{}, views: new(views)}
	l.ids.own = make(map[string]Place, len(messages))
	for _, m := range messages {
		l.add(m)
	}
	return l
}

// clone returns messages that go on independently.
func (l *log) clone() log {
	l.freeze()
	c := *l
	c.ids, c.calls, c.results, c.answers = l.ids.clone(), l.calls.clone(), l.results.clone(), l.answers.clone()
	c.order.owner = new(ownership)
	c.growing, c.hot = map[grown]*buffer{}, nil // only one can append to a buffer
	return c
}

// freeze makes all messages whole, and keeps them as they are: what changes one from
// here on copies it.
func (l *log) freeze() {
	l.settle()
	l.order.freeze()
}

// settle makes all messages whole.
func (l *log) settle() {
	for _, b := range l.growing {
		l.flush(b)
	}
}

func (l *log) flush(b *buffer) {
	if !b.ahead {
		return
	}
	b.ahead = false
	m := l.writable(b.place)
	if !b.isCall {
		l.say(m, protocol.Text(b.String()))
	} else if c := l.call(m, b.id); c != nil {
		l.bytes += b.Len() - len(c.Function.Arguments)
		c.Function.Arguments = b.String()
	}
}

// forget lets go of the buffers: what they are about may be another message now.
func (l *log) forget() {
	l.settle()
	clear(l.growing)
	l.hot = nil
}

// finished lets go of one.
func (l *log) finished(key grown) {
	b := l.growing[key]
	if b == nil {
		return
	}
	l.flush(b)
	delete(l.growing, key)
	l.hot = nil
}

// grow adds to a text; false: nothing says yet what is there already.
func (l *log) grow(key grown, delta string) bool {
	b := l.hot
	if b == nil || b.grown != key {
		if b = l.growing[key]; b == nil {
			return false
		}
		l.hot = b
	}
	b.ahead = true
	if b.Cap()-b.Len() < len(delta) {
		b.Grow(len(delta)) // twofold, where appending would take a quarter and copy often
	}
	b.WriteString(delta)
	return true
}

func (l *log) beginGrowing(key grown, place Place, text string) {
	b := &buffer{grown: key, place: place}
	b.WriteString(text)
	l.growing[key], l.hot = b, b
}

// find is the first message with the id as it stands; its text may be in a buffer.
func (l *log) find(id string) *message {
	place, ok := l.ids.get(id)
	if !ok {
		return nil
	}
	return l.at(place)
}

// callAt is the message that has the call first.
func (l *log) callAt(id string) *message {
	place, ok := l.calls.get(id)
	if !ok {
		return nil
	}
	return l.at(place.in)
}

// call is a call that a message of the fold has, nil if it has none of that id. It costs
// the same however many the message has.
func (l *log) call(m *message, id string) *protocol.ToolCall {
	if p, ok := l.calls.get(id); ok && p.in == m.place && p.at < len(m.ToolCalls) && m.ToolCalls[p.at].ID == id {
		return &m.ToolCalls[p.at]
	}
	return m.call(id)
}

// call is a call that the message has, nil if it has none of that id.
func (m *message) call(id string) *protocol.ToolCall {
	for i := range m.ToolCalls {
		if m.ToolCalls[i].ID == id {
			return &m.ToolCalls[i]
		}
	}
	return nil
}

// add appends a message.
func (l *log) add(m protocol.Message) *message {
	fm := l.append(m)
	l.note(fm)
	return fm
}

// insert puts a message behind another, and returns it; nil: all have new places.
func (l *log) insert(m protocol.Message, behind Place) *message {
	if l.find(m.ID) == nil {
		l.settle() // what is open is about the same messages as before, but for their places
	} else {
		l.forget()
	}
	fm, renumbered := l.insertAfter(m, behind)
	if renumbered {
		l.forget()
		l.index()
		return nil
	}
	l.note(fm)
	return fm
}

// note notes where a message and its calls are.
func (l *log) note(m *message) {
	if place, ok := l.ids.get(m.ID); !ok || m.place < place {
		l.ids.set(m.ID, m.place)
	}
	for i := range m.ToolCalls {
		if place, ok := l.calls.get(m.ToolCalls[i].ID); !ok || m.place < place.in {
			l.calls.set(m.ToolCalls[i].ID, callPlace{m.place, i})
		}
	}
	if m.Role == protocol.RoleTool {
		if place, ok := l.results.get(m.ToolCallID); !ok || m.place > place {
			l.results.set(m.ToolCallID, m.place)
		}
	}
}

// index finds again what is where.
func (l *log) index() {
	l.ids, l.results = index[string, Place]{}, index[string, Place]{}
	l.calls, l.answers = index[string, callPlace]{}, index[Place, Place]{}
	for m := range l.all() {
		l.note(m)
	}
}

// merge merges key by key, the last writer winning, into a map of its own:
// copies of the message may share the old one. It returns by how much that weighs more.
func merge(into *protocol.Metadata, from protocol.Metadata) (more int) {
	if from == nil {
		return 0
	}
	merged := make(protocol.Metadata, len(*into)+len(from))
	maps.Copy(merged, *into)
	maps.Copy(merged, from)
	more = merged.Weight() - into.Weight()
	*into = merged
	return more
}

func (l *log) merge(m *message, from protocol.Metadata) {
	if from != nil {
		l.bytes += merge(&l.writable(m.place).Metadata, from)
	}
}

// streaming finds the message that an event of a text or reasoning message is
// about. An activity is none: its id was used twice.
func (l *log) streaming(id string) (*message, error) {
	m := l.find(id)
	if m == nil {
		return nil, fmt.Errorf("there is no message %q", id)
	}
	if m.Role == protocol.RoleActivity {
		return nil, fmt.Errorf("message %q is an activity", id)
	}
	return m, nil
}

func (l *log) begin(m protocol.Message, meta protocol.Metadata) error {
	if l.find(m.ID) == nil {
		l.add(m)
	}
	held, err := l.streaming(m.ID)
	if err != nil {
		return err
	}
	l.merge(held, meta)
	return nil
}

func (l *log) extend(id, delta string, meta protocol.Metadata) error {
	key := grown{id: id}
	if meta == nil && l.grow(key, delta) {
		return nil
	}
	m, err := l.streaming(id)
	if err != nil {
		return err
	}
	if !l.grow(key, delta) {
		text := ""
		if m.Content.IsText() {
			text = m.Content.String()
		}
		l.beginGrowing(key, m.place, text)
		l.grow(key, delta)
	}
	l.merge(m, meta)
	return nil
}

func (l *log) finish(id string, meta protocol.Metadata) error {
	l.finished(grown{id: id})
	m, err := l.streaming(id)
	if err != nil {
		return err
	}
	l.merge(m, meta)
	return nil
}

// beginCall opens a call: one that is there already, one in the message that
// the event names, or one in a message of its own.
func (l *log) beginCall(e *protocol.ToolCallStart) error {
	if m := l.callAt(e.ToolCallID); m != nil {
		c := l.call(l.writable(m.place), e.ToolCallID)
		then := c.Function.Name
		c.Function.Name = e.ToolCallName
		l.bytes += len(e.ToolCallName) - len(then) + merge(&c.Metadata, e.Metadata)
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
	m := protocol.Message{ID: id, Role: protocol.RoleAssistant}
	if l.find(id) == nil {
		m.SubagentRunID = e.SubagentRunID
	}
	l.addCall(l.add(m), e)
	return warning
}

func (l *log) addCall(m *message, e *protocol.ToolCallStart) {
	c := protocol.ToolCall{ID: e.ToolCallID, Type: "function", Function: protocol.ToolFunction{Name: e.ToolCallName}}
	merge(&c.Metadata, e.Metadata)
	m = l.writable(m.place)
	m.ToolCalls = append(m.ToolCalls, c)
	l.bytes += c.Weight()
	l.calls.set(c.ID, callPlace{m.place, len(m.ToolCalls) - 1})
}

func (l *log) extendCall(id, delta string, meta protocol.Metadata) error {
	key := grown{id: id, isCall: true}
	if meta == nil && l.grow(key, delta) {
		return nil
	}
	m := l.callAt(id)
	if m == nil {
		return fmt.Errorf("there is no tool call %q", id)
	}
	if !l.grow(key, delta) {
		l.beginGrowing(key, m.place, l.call(m, id).Function.Arguments)
		l.grow(key, delta)
	}
	l.mergeCall(m, id, meta)
	return nil
}

func (l *log) finishCall(id string, meta protocol.Metadata) error {
	l.finished(grown{id: id, isCall: true})
	m := l.callAt(id)
	if m == nil {
		return fmt.Errorf("there is no tool call %q", id)
	}
	l.mergeCall(m, id, meta)
	return nil
}

func (l *log) mergeCall(m *message, id string, from protocol.Metadata) {
	if from != nil {
		l.bytes += merge(&l.call(l.writable(m.place), id).Metadata, from)
	}
}

// result puts the answer after the message that carries the call and after the
// answers that are there already.
func (l *log) result(e *protocol.ToolCallResult) {
	content := e.Content
	m := protocol.Message{
		ID: e.MessageID, Role: protocol.RoleTool, Content: &content,
		ToolCallID: e.ToolCallID, SubagentRunID: e.SubagentRunID,
	}
	merge(&m.Metadata, e.Metadata)
	carrier := l.carrier(e.ToolCallID)
	if carrier == nil {
		l.add(m)
		return
	}
	behind, ok := l.answers.get(carrier.place)
	if !ok {
		behind = carrier.place
	}
	next := l.after(behind)
	for next != nil && next.Role == protocol.RoleTool {
		behind, next = next.place, l.after(next.place)
	}
	var answer *message
	if next == nil {
		answer = l.add(m)
	} else {
		answer = l.insert(m, behind)
	}
	if answer != nil {
		l.answers.set(carrier.place, answer.place)
	}
}

// carrier finds the message that holds a call.
func (l *log) carrier(call string) *message {
	m := l.callAt(call)
	if m == nil || m.Role == protocol.RoleAssistant {
		return m
	}
	for m := range l.all() {
		if m.Role == protocol.RoleAssistant && m.call(call) != nil {
			return m
		}
	}
	return nil
}

func (l *log) seal(e *protocol.ReasoningEncryptedValue) {
	if e.Subtype == protocol.SubtypeToolCall {
		if m := l.callAt(e.EntityID); m != nil {
			c := l.call(l.writable(m.place), e.EntityID)
			l.bytes += len(e.EncryptedValue) - len(c.EncryptedValue) + len(e.EncryptedValueType) - len(c.EncryptedValueType)
			c.EncryptedValue, c.EncryptedValueType = e.EncryptedValue, e.EncryptedValueType
		}
		return
	}
	if m := l.find(e.EntityID); m != nil && m.Role != protocol.RoleActivity {
		m = l.writable(m.place)
		l.bytes += len(e.EncryptedValue) - len(m.EncryptedValue) + len(e.EncryptedValueType) - len(m.EncryptedValueType)
		m.EncryptedValue, m.EncryptedValueType = e.EncryptedValue, e.EncryptedValueType
	}
}

func (l *log) activity(e *protocol.ActivitySnapshot) {
	replace := e.Replace == nil || *e.Replace
	fresh := protocol.Message{
		ID: e.MessageID, Role: protocol.RoleActivity, ActivityType: e.ActivityType,
		Content: protocol.ObjectOf(e.Content), SubagentRunID: e.SubagentRunID,
	}
	m := l.find(e.MessageID)
	switch {
	case m == nil:
		m = l.add(fresh)
	case m.Role == protocol.RoleActivity && replace:
		m = l.writable(m.place)
		l.bytes -= m.Message.Weight()
		m.Content, m.ActivityType, m.SubagentRunID = fresh.Content, fresh.ActivityType, fresh.SubagentRunID
		l.bytes += m.Message.Weight()
	case m.Role == protocol.RoleActivity:
	case replace:
		l.forget()
		m = l.writable(m.place)
		l.bytes += fresh.Weight() - m.Message.Weight()
		m.Message = fresh
		l.index()
	default:
		return
	}
	l.merge(m, e.Metadata)
}

// message is a message as it is, to be handed out.
func (l *log) message(m *message) protocol.Message {
	l.settle()
	if m = l.at(m.place); m.owner == l.owner {
		m.owner = nil
	}
	return m.Message
}

// messages are all of them, to be handed out.
func (l *log) messages() protocol.Messages {
	l.freeze()
	return slices.Clip(l.views.of(&l.order))
}
