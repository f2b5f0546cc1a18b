package protocol

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// foldMessages is a conversation under construction, which clones share: a write
// copies what it changes of what is shared, and nothing else. Text that grows by
// deltas is kept in buffers, so that a delta costs what it adds.
type foldMessages struct {
	foldOrder
	ids     foldIndex[string, Place]     // of messages: the first with that id
	calls   foldIndex[string, callPlace] // the first of that id
	results foldIndex[string, Place]     // of the tool messages that answer calls: the last
	answers foldIndex[Place, Place]      // the last of those right behind a message with calls
	growing map[grown]*buffer
	hot     *buffer    // the one that grew last
	views   *foldViews // of all clones
}

// foldMessage is immutable but for its owner.
type foldMessage struct {
	Message
	place  Place
	owner  *foldOwner
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

func newFoldMessages(messages Messages) foldMessages {
	l := foldMessages{foldOrder: newFoldOrder(), growing: map[grown]*buffer{}, views: new(foldViews)}
	l.ids.own = make(map[string]Place, len(messages))
	for _, m := range messages {
		l.add(m)
	}
	return l
}

// clone returns messages that go on independently.
func (l *foldMessages) clone() foldMessages {
	l.freeze()
	c := *l
	c.ids, c.calls, c.results, c.answers = l.ids.clone(), l.calls.clone(), l.results.clone(), l.answers.clone()
	c.foldOrder.owner = new(foldOwner)
	c.growing, c.hot = map[grown]*buffer{}, nil // only one can append to a buffer
	return c
}

// freeze makes all messages whole, and keeps them as they are: what changes one from
// here on copies it.
func (l *foldMessages) freeze() {
	l.settle()
	l.foldOrder.freeze()
}

// settle makes all messages whole.
func (l *foldMessages) settle() {
	for _, b := range l.growing {
		l.flush(b)
	}
}

func (l *foldMessages) flush(b *buffer) {
	if !b.ahead {
		return
	}
	b.ahead = false
	m := l.writable(b.place)
	if !b.isCall {
		l.say(m, Text(b.String()))
	} else if c := l.call(m, b.id); c != nil {
		l.bytes += b.Len() - len(c.Function.Arguments)
		c.Function.Arguments = b.String()
	}
}

// forget lets go of the buffers: what they are about may be another message now.
func (l *foldMessages) forget() {
	l.settle()
	clear(l.growing)
	l.hot = nil
}

// finished lets go of one.
func (l *foldMessages) finished(key grown) {
	b := l.growing[key]
	if b == nil {
		return
	}
	l.flush(b)
	delete(l.growing, key)
	l.hot = nil
}

// grow adds to a text; false: nothing says yet what is there already.
func (l *foldMessages) grow(key grown, delta string) bool {
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

func (l *foldMessages) beginGrowing(key grown, place Place, text string) {
	b := &buffer{grown: key, place: place}
	b.WriteString(text)
	l.growing[key], l.hot = b, b
}

// find is the first message with the id as it stands; its text may be in a buffer.
func (l *foldMessages) find(id string) *foldMessage {
	place, ok := l.ids.get(id)
	if !ok {
		return nil
	}
	return l.at(place)
}

// callAt is the message that has the call first.
func (l *foldMessages) callAt(id string) *foldMessage {
	place, ok := l.calls.get(id)
	if !ok {
		return nil
	}
	return l.at(place.in)
}

// call is a call that a message of the fold has, nil if it has none of that id. It costs
// the same however many the message has.
func (l *foldMessages) call(m *foldMessage, id string) *ToolCall {
	if p, ok := l.calls.get(id); ok && p.in == m.place && p.at < len(m.ToolCalls) && m.ToolCalls[p.at].ID == id {
		return &m.ToolCalls[p.at]
	}
	return m.call(id)
}

// call is a call that the message has, nil if it has none of that id.
func (m *foldMessage) call(id string) *ToolCall {
	for i := range m.ToolCalls {
		if m.ToolCalls[i].ID == id {
			return &m.ToolCalls[i]
		}
	}
	return nil
}

// add appends a message.
func (l *foldMessages) add(m Message) *foldMessage {
	fm := l.append(m)
	l.note(fm)
	return fm
}

// insert puts a message behind another, and returns it; nil: all have new places.
func (l *foldMessages) insert(m Message, behind Place) *foldMessage {
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
func (l *foldMessages) note(m *foldMessage) {
	if place, ok := l.ids.get(m.ID); !ok || m.place < place {
		l.ids.set(m.ID, m.place)
	}
	for i := range m.ToolCalls {
		if place, ok := l.calls.get(m.ToolCalls[i].ID); !ok || m.place < place.in {
			l.calls.set(m.ToolCalls[i].ID, callPlace{m.place, i})
		}
	}
	if m.Role == RoleTool {
		if place, ok := l.results.get(m.ToolCallID); !ok || m.place > place {
			l.results.set(m.ToolCallID, m.place)
		}
	}
}

// index finds again what is where.
func (l *foldMessages) index() {
	l.ids, l.results = foldIndex[string, Place]{}, foldIndex[string, Place]{}
	l.calls, l.answers = foldIndex[string, callPlace]{}, foldIndex[Place, Place]{}
	for m := range l.all() {
		l.note(m)
	}
}

// merge merges key by key, the last writer winning, into a map of its own:
// copies of the message may share the old one. It returns by how much that weighs more.
func merge(into *Metadata, from Metadata) (more int) {
	if from == nil {
		return 0
	}
	merged := make(Metadata, len(*into)+len(from))
	maps.Copy(merged, *into)
	maps.Copy(merged, from)
	more = membersWeight(merged) - membersWeight(*into)
	*into = merged
	return more
}

func (l *foldMessages) merge(m *foldMessage, from Metadata) {
	if from != nil {
		l.bytes += merge(&l.writable(m.place).Metadata, from)
	}
}

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
		l.add(m)
	}
	held, err := l.streaming(m.ID)
	if err != nil {
		return err
	}
	l.merge(held, meta)
	return nil
}

func (l *foldMessages) extend(id, delta string, meta Metadata) error {
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

func (l *foldMessages) finish(id string, meta Metadata) error {
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
func (l *foldMessages) beginCall(e *ToolCallStart) error {
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
		case m.Role == RoleAssistant:
			l.addCall(m, e)
			return nil
		default:
			warning = fmt.Errorf("message %q is of role %s: call %q has a message of its own", *p, m.Role, e.ToolCallID)
		}
	}
	m := Message{ID: id, Role: RoleAssistant}
	if l.find(id) == nil {
		m.SubagentRunID = e.SubagentRunID
	}
	l.addCall(l.add(m), e)
	return warning
}

func (l *foldMessages) addCall(m *foldMessage, e *ToolCallStart) {
	c := ToolCall{ID: e.ToolCallID, Type: "function", Function: ToolFunction{Name: e.ToolCallName}}
	merge(&c.Metadata, e.Metadata)
	m = l.writable(m.place)
	m.ToolCalls = append(m.ToolCalls, c)
	l.bytes += weightOfCall(&c)
	l.calls.set(c.ID, callPlace{m.place, len(m.ToolCalls) - 1})
}

func (l *foldMessages) extendCall(id, delta string, meta Metadata) error {
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

func (l *foldMessages) finishCall(id string, meta Metadata) error {
	l.finished(grown{id: id, isCall: true})
	m := l.callAt(id)
	if m == nil {
		return fmt.Errorf("there is no tool call %q", id)
	}
	l.mergeCall(m, id, meta)
	return nil
}

func (l *foldMessages) mergeCall(m *foldMessage, id string, from Metadata) {
	if from != nil {
		l.bytes += merge(&l.call(l.writable(m.place), id).Metadata, from)
	}
}

// result puts the answer after the message that carries the call and after the
// answers that are there already.
func (l *foldMessages) result(e *ToolCallResult) {
	content := e.Content
	m := Message{
		ID: e.MessageID, Role: RoleTool, Content: &content,
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
	for next != nil && next.Role == RoleTool {
		behind, next = next.place, l.after(next.place)
	}
	var answer *foldMessage
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
func (l *foldMessages) carrier(call string) *foldMessage {
	m := l.callAt(call)
	if m == nil || m.Role == RoleAssistant {
		return m
	}
	for m := range l.all() {
		if m.Role == RoleAssistant && m.call(call) != nil {
			return m
		}
	}
	return nil
}

func (l *foldMessages) seal(e *ReasoningEncryptedValue) {
	if e.Subtype == SubtypeToolCall {
		if m := l.callAt(e.EntityID); m != nil {
			c := l.call(l.writable(m.place), e.EntityID)
			l.bytes += len(e.EncryptedValue) - len(c.EncryptedValue) + len(e.EncryptedValueType) - len(c.EncryptedValueType)
			c.EncryptedValue, c.EncryptedValueType = e.EncryptedValue, e.EncryptedValueType
		}
		return
	}
	if m := l.find(e.EntityID); m != nil && m.Role != RoleActivity {
		m = l.writable(m.place)
		l.bytes += len(e.EncryptedValue) - len(m.EncryptedValue) + len(e.EncryptedValueType) - len(m.EncryptedValueType)
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
		m = l.add(fresh)
	case m.Role == RoleActivity && replace:
		m = l.writable(m.place)
		l.bytes -= weightOf(&m.Message)
		m.Content, m.ActivityType, m.SubagentRunID = fresh.Content, fresh.ActivityType, fresh.SubagentRunID
		l.bytes += weightOf(&m.Message)
	case m.Role == RoleActivity:
	case replace:
		l.forget()
		m = l.writable(m.place)
		l.bytes += weightOf(&fresh) - weightOf(&m.Message)
		m.Message = fresh
		l.index()
	default:
		return
	}
	l.merge(m, e.Metadata)
}

// message is a message as it is, to be handed out.
func (l *foldMessages) message(m *foldMessage) Message {
	l.settle()
	if m = l.at(m.place); m.owner == l.owner {
		m.owner = nil
	}
	return m.Message
}

// messages are all of them, to be handed out.
func (l *foldMessages) messages() Messages {
	l.freeze()
	return slices.Clip(l.views.of(&l.foldOrder))
}
