package stored

import (
	"encoding/json"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Fold is the thread's messages and state as of a position: the stored
// snapshot and the fold of the log after it. A negative position means the
// log's end. The view must be of the whole thread.
func Fold(view *store.ThreadView, upTo int64) (*protocol.Fold, error) {
	messages := make(protocol.Messages, 0, len(view.Snapshot.Messages))
	for i, text := range view.Snapshot.Messages {
		var m protocol.Message
		if err := Decode(text, &m, "message %d", i); err != nil {
			return nil, err
		}
		messages = append(messages, m)
	}
	if view.Snapshot.State != nil && !json.Valid(view.Snapshot.State) {
		return nil, Corrupted("the state")
	}
	f := protocol.NewFold(messages, view.Snapshot.State)
	return f, Events(view, view.From, upTo, func(e protocol.Event) { f.Apply(e) })
}

// Folds are Fold as of the stored snapshot, and as of the log's end: what the later one
// holds that the other does not is found without a look at the rest.
func Folds(view *store.ThreadView) (snapshot, end *protocol.Fold, err error) {
	if snapshot, err = Fold(view, view.Snapshot.At); err != nil {
		return nil, nil, err
	}
	end = snapshot.Clone()
	return snapshot, end, Events(view, view.Snapshot.At, -1, func(e protocol.Event) { end.Apply(e) })
}

// Events calls fn for the logged events after one position and up to
// another.
func Events(view *store.ThreadView, after, upTo int64, fn func(protocol.Event)) error {
	for i, text := range view.Log {
		at := view.From + 1 + int64(i)
		if at <= after || upTo >= 0 && at > upTo {
			continue
		}
		e, err := protocol.Decode(text)
		if err != nil {
			return Corrupted("logged event %d", at)
		}
		fn(e)
	}
	return nil
}
