package stored

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// A MESSAGES_SNAPSHOT that is encoded, and has messages alone, has them between these.
const (
	MessagesHead = `{"type":"MESSAGES_SNAPSHOT","messages":[`
	MessagesTail = `]}`
)

// Told is what there is to tell somebody of a thread who holds nothing of it.
type Told struct {
	Messages []byte           // an encoded MESSAGES_SNAPSHOT, which may be shared
	State    json.RawMessage  // as Fold.State
	Openings []protocol.Event // as Fold.Openings
	Older    int64            // as Window's
	Before   string
}

// Tell tells a view as of the log's end. Its messages are told in their stored bytes if it has
// nothing that changes them.
func Tell(view *store.ThreadView) (*Told, error) {
	if t, err := TellSnapshot(view); t != nil || err != nil {
		return t, err
	}
	f, older, before, err := Window(view)
	if err != nil {
		return nil, err
	}
	t, err := TellFold(f)
	if err != nil {
		return nil, err
	}
	t.Older, t.Before = older, before
	return t, nil
}

// TellSnapshot tells the stored snapshot of a view in its stored bytes; nil: something is
// logged behind it, or a run is open in it. Every message is checked, and none is folded.
func TellSnapshot(view *store.ThreadView) (*Told, error) {
	if len(view.Log) > 0 || view.Held || view.Snapshot.Open != nil {
		return nil, nil
	}
	messages, err := tellMessages(&view.Snapshot)
	if err != nil {
		return nil, err
	}
	t := &Told{Messages: messages, State: view.Snapshot.State, Older: view.Snapshot.Older, Before: view.Snapshot.Before}
	if t.State == nil {
		t.State = json.RawMessage("{}")
	} else if !json.Valid(t.State) {
		return nil, Corrupted("the state")
	}
	return t, nil
}

// tellMessages encodes a MESSAGES_SNAPSHOT of stored messages. The store's text is one if each of
// them is there as it is written.
func tellMessages(s *store.Snapshot) ([]byte, error) {
	if s.Text != nil && !slices.ContainsFunc(s.Messages, func(m json.RawMessage) bool { return !protocol.Written(m) }) {
		return s.Text, nil
	}
	size := len(MessagesHead) + len(MessagesTail)
	for _, m := range s.Messages {
		size += len(m) + len(",")
	}
	text := append(make([]byte, 0, size), MessagesHead...)
	for i, m := range s.Messages {
		if i > 0 {
			text = append(text, ',')
		}
		var err error
		if text, err = protocol.AppendMessage(text, m); err != nil {
			return nil, Corrupted("message %d", i)
		}
	}
	return append(text, MessagesTail...), nil
}

// TellFold tells what a fold has.
func TellFold(f *fold.Fold) (*Told, error) {
	messages, err := protocol.Encode(&protocol.MessagesSnapshot{Messages: f.Messages()})
	if err != nil {
		return nil, fmt.Errorf("adapter: telling the messages: %w", err)
	}
	return &Told{Messages: messages, State: f.State(), Openings: f.Openings()}, nil
}

// Fold is what a client holds that was told so, if no run is open.
func (t *Told) Fold() (*fold.Fold, error) {
	e, err := protocol.Decode(t.Messages)
	if err != nil {
		return nil, Corrupted("the messages")
	}
	return fold.New(e.(*protocol.MessagesSnapshot).Messages, t.State), nil
}
