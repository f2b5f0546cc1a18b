package execution

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

func (l *line) Emit(events []protocol.Event) error {
	l.x.mu.Lock()
	defer l.x.mu.Unlock()
	return l.x.emit(l.s, events, nil)
}

func (l *line) Relay(e protocol.Event, text []byte) error {
	l.x.mu.Lock()
	defer l.x.mu.Unlock()
	if text == nil {
		return l.x.emit(l.s, []protocol.Event{e}, nil)
	}
	return l.x.emit(l.s, []protocol.Event{e}, [][]byte{text})
}

// Holds is about a branch: what it emits is held, and may not be used again.
func (l *line) Holds() bool { return l.s.branch }

func notEmitted(e protocol.Event) error {
	return fmt.Errorf("adapter: emit: %T is not an agent's to emit", e)
}

// emit takes events with their texts; nil: they have none.
func (x *execution) emit(s *scope, events []protocol.Event, texts [][]byte) error {
	if err := x.refusal(s); err != nil {
		return err
	}
	for _, e := range events {
		if e == nil || protocol.EffectOf(e).Family == protocol.FamilyRun {
			return notEmitted(e)
		}
	}
	if s.branch && s.live() {
		s.hold(events, texts)
		return nil
	}
	s.told = s.told || s.step != ""
	it, err := x.admit(s, events, texts)
	if len(it.events) > 0 {
		if err := x.add(it, false); err != nil {
			return err
		}
	}
	return err
}

// add hands on what was admitted. An error seals the run.
func (x *execution) add(it item, wait bool) error {
	if err := x.Pipe.add(x.Ctx, it, wait); err != nil {
		return x.seal(err)
	}
	err := x.logged(it)
	clear(x.texts)
	x.texts = x.texts[:0]
	return err
}

// admit checks events, folds them in and encodes them. On an error the item holds what came
// before it; the item is to be added before anything else is admitted.
func (x *execution) admit(s *scope, events []protocol.Event, texts [][]byte) (item, error) {
	restructured := false
	x.urgent = false
	var err error
	for i, e := range events {
		var text []byte
		if texts != nil {
			text = texts[i]
		}
		if err = x.take(s, e, text, &restructured); err != nil {
			break
		}
	}
	it := item{events: x.texts, patient: !x.urgent}
	if restructured {
		it.closing = x.closing()
	}
	return it, err
}

// take makes texts of one event and what it brings with it. It has one already, unless
// that is nil.
func (x *execution) take(s *scope, given protocol.Event, text []byte, restructured *bool) error {
	log := func(e protocol.Event, does protocol.Effect) error {
		var own []byte
		if e == given {
			own = text
		}
		made, err := x.append(e, does, own)
		if err == nil {
			x.texts = append(x.texts, made)
			*restructured = *restructured || restructures(e, does)
		}
		return err
	}
	if does := protocol.EffectOf(given); does.Verb != protocol.Abridges && x.itself(s) {
		return log(given, does)
	}
	expanded, err := x.expander.Expand(given)
	if err != nil {
		return fmt.Errorf("adapter: emit: %w", err)
	}
	for _, e := range expanded {
		e = x.renames.apply(e)
		if !s.live() {
			s.shadow.Apply(e)
			continue
		}
		for _, e := range s.resume(e, x) {
			if err := log(e, protocol.EffectOf(e)); err != nil {
				return err
			}
		}
	}
	return nil
}

// itself reports whether an event that is no chunk is logged as it is: nothing is
// replayed, open as a stream of chunks, to be opened again, or under another name.
func (x *execution) itself(s *scope) bool {
	return s.shadow == nil && len(s.reopen) == 0 && s.live() && len(x.renames.subagents) == 0 && x.expander.Idle()
}

// restructures reports whether an event may change what Stop has to close.
func restructures(e protocol.Event, does protocol.Effect) bool {
	switch does.Verb {
	case protocol.Continues:
		return false
	case protocol.Apart:
		_, restates := e.(*protocol.MessagesSnapshot)
		return restates
	}
	return true
}

// closing is the list of events that end what is open, as Batch.Closing wants
// it: nil when it is what it was.
func (x *execution) closing() json.RawMessage {
	closings := x.fold.Closings()
	list := append(make([]byte, 0, 2+96*len(closings)), '[')
	for _, e := range closings {
		end := len(list)
		if end > 1 {
			list = append(list, ',')
		}
		var err error
		if list, err = protocol.Append(list, e); err != nil {
			list = list[:end] // it was encoded once in its opening's name
		}
	}
	list = append(list, ']')
	if bytes.Equal(list, x.closes) {
		return nil
	}
	x.closes = list
	return list
}

// append checks one explicit event, folds it in and, unless it has a text, encodes it.
func (x *execution) append(e protocol.Event, does protocol.Effect, text []byte) ([]byte, error) {
	if result, ok := e.(*protocol.ToolCallResult); ok {
		if by := x.byReference(result); by != nil {
			e, text = by, nil
		}
	}
	if text == nil {
		var err error
		if text, err = protocol.Encode(e); err != nil {
			return nil, fmt.Errorf("adapter: emit: %w", err)
		}
	}
	if result, ok := e.(*protocol.ToolCallResult); ok && x.fold.Has(result.MessageID) {
		return nil, fmt.Errorf("adapter: emit: the thread has a message %s already", result.MessageID)
	}
	if err := x.tellable(e, text); err != nil {
		return nil, err
	}
	if err := x.sequence.Check(e); err != nil {
		return nil, fmt.Errorf("adapter: emit: %w", err)
	}
	state := x.fold.State()
	err := x.fold.Apply(e)
	if err == nil {
		if err := x.tellableState(e, state); err != nil {
			x.fold.SetState(state)
			return nil, err
		}
	}
	if err != nil {
		switch e.(type) {
		case *protocol.StateDelta, *protocol.ActivityDelta:
			return nil, fmt.Errorf("adapter: emit: %w", err)
		}
		// Legal, and without effect at clients too. The log tells of one of them in a run
		// that emits many.
		level := slog.LevelDebug
		if !x.noEffect {
			x.noEffect, level = true, slog.LevelWarn
		}
		x.node.Log.Log(x.Ctx, level, "an event has no effect", "thread", x.Claim.Thread.Thread, "label", x.label, "type", string(e.Type()), "error", err)
	}
	x.urgent = x.hurries(does) || x.urgent
	if does.Verb != protocol.Continues {
		x.track(e, does)
	}
	return text, nil
}

// hurries reports whether an event waits for no company: all but deltas, and of these the first
// of an item.
func (x *execution) hurries(does protocol.Effect) bool {
	if does.Verb == protocol.Continues && len(x.mute) == 0 {
		return false
	}
	key, named := does.Item()
	if !named {
		return does.Verb != protocol.Continues
	}
	at := slices.Index(x.mute, key)
	switch {
	case does.Verb == protocol.Opens && (does.Family == protocol.FamilyText || does.Family == protocol.FamilyReasoning || does.Family == protocol.FamilyToolCall):
		x.mute = append(x.mute, key)
	case at >= 0:
		x.mute = slices.Delete(x.mute, at, at+1)
	case does.Verb == protocol.Continues:
		return false
	}
	return true
}

// track keeps the calls that this run opened and that have no result, and
// the subagents that ended in it.
func (x *execution) track(e protocol.Event, does protocol.Effect) {
	switch {
	case does.Family == protocol.FamilySubagent && does.Verb == protocol.Ends:
		x.over[*does.ID] = true
		x.ended = append(x.ended, *does.ID)
	case does.Family == protocol.FamilySubagent && does.Verb == protocol.Opens:
		x.back.begun = append(x.back.begun, *does.ID)
	case does.Family == protocol.FamilyToolCall && does.Verb == protocol.Opens:
		x.open.add(*does.ID)
	}
	if result, ok := e.(*protocol.ToolCallResult); ok {
		x.open.remove(result.ToolCallID)
	}
}

// resume returns the events to log for one that a replayed agent emits when it
// has gone live. The suspension or the takeover before has closed what the agent believes
// to be open. To go on with it is to open it again under its id; to end it is nothing.
func (s *scope) resume(e protocol.Event, x *execution) []protocol.Event {
	if s.shadow != nil {
		return append(s.goLive(e, x), s.resume(e, x)...)
	}
	if len(s.reopen) == 0 {
		return []protocol.Event{e}
	}
	does := protocol.EffectOf(e)
	key, _ := does.Item()
	opening := s.reopen[key]
	if opening == nil || does.Verb == protocol.Opens {
		return []protocol.Event{e}
	}
	delete(s.reopen, key)
	if does.Verb == protocol.Ends {
		return nil
	}
	return []protocol.Event{opening, e}
}

// goLive compares what the replay left open with what is open on the wire. It
// returns the openings of the subagents and steps that the agent is in: nothing
// else would open them again, because what happens in one does not always name
// it. An item that e ends stays closed, and so does a subagent that has ended in this run,
// under whose id nothing may begin again.
func (s *scope) goLive(e protocol.Event, x *execution) []protocol.Event {
	s.reopen = map[protocol.ItemKey]protocol.Event{}
	openings := s.shadow.Openings()
	s.shadow = nil
	onWire := map[protocol.ItemKey]bool{}
	for _, opening := range x.fold.Openings() {
		key, _ := protocol.EffectOf(opening).Item()
		onWire[key] = true
	}
	var ended protocol.ItemKey
	if does := protocol.EffectOf(e); does.Verb == protocol.Ends {
		ended, _ = does.Item()
	}
	var events []protocol.Event
	for _, opening := range openings {
		key, _ := protocol.EffectOf(opening).Item()
		switch {
		case onWire[key]:
		case key != ended && (key.Family == protocol.FamilyStep || key.Family == protocol.FamilySubagent && !x.over[key.ID]):
			events = append(events, opening)
		default:
			s.reopen[key] = opening
		}
	}
	return events
}

// flush takes what a branch holds back. The caller commits it with an entry.
func (x *execution) flush(s *scope) (item, error) {
	held, texts := s.held, s.heldTexts
	s.held, s.heldTexts = nil, nil
	return x.admit(s, held, texts)
}

// closed is what a call answers behind the end of the run; nil: it has not ended.
func (x *execution) closed() error {
	if x.sealed == adapter.ErrSuspended {
		return errWentOn
	}
	return x.sealed
}

// seal makes every later call fail. The first reason stays.
func (x *execution) seal(err error) error {
	if x.sealed == nil {
		x.sealed = err
	}
	return x.sealed
}
