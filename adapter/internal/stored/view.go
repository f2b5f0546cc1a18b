package stored

import (
	"encoding/json"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// Fold is the thread's messages and state as of a position: the stored
// snapshot and the fold of the log after it. A negative position means the
// log's end. The view must be of the whole thread.
func Fold(view *store.ThreadView, upTo int64) (*fold.Fold, error) {
	messages := make(protocol.Messages, len(view.Snapshot.Messages))
	for i, text := range view.Snapshot.Messages {
		// By Decode each of them would be checked for being JSON twice.
		if messages[i].UnmarshalJSON(text) != nil {
			return nil, Corrupted("message %d", i)
		}
	}
	if view.Snapshot.State != nil && !json.Valid(view.Snapshot.State) {
		return nil, Corrupted("the state")
	}
	f := fold.New(messages, view.Snapshot.State)
	if err := Reopen(f, view.Snapshot.Open); err != nil {
		return nil, err
	}
	return f, Events(view, view.From, upTo, func(e protocol.Event) { f.Apply(e) })
}

// Window folds a view that may have a window, as of the log's end. It returns as well how
// many messages stand before those of the fold, and their place.
func Window(view *store.ThreadView) (f *fold.Fold, older int64, before string, err error) {
	if view.Snapshot.Older == 0 {
		f, err = Fold(view, -1)
		return f, 0, "", err
	}
	if f, err = Fold(view, view.From); err != nil {
		return nil, 0, "", err
	}
	older, before = view.Snapshot.Older, view.Snapshot.Before
	return f, older, before, Events(view, view.From, -1, func(e protocol.Event) {
		if all, tells := e.(*protocol.MessagesSnapshot); tells && older > 0 {
			cut, left := f.Windowed(all)
			if e, older = cut, int64(left); left == 0 {
				before = ""
			}
		}
		f.Apply(e)
	})
}

// Folds are Fold as of the stored snapshot, and as of the log's end: what the later one
// holds that the other does not is found without a look at the rest.
func Folds(view *store.ThreadView) (snapshot, end *fold.Fold, err error) {
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

// Opened is the run that a fold has open, as Reopen reads it.
func Opened(f *fold.Fold) (json.RawMessage, error) {
	list := []byte{'['}
	for i, e := range f.Opened() {
		if i > 0 {
			list = append(list, ',')
		}
		var err error
		if list, err = protocol.Append(list, e); err != nil {
			return nil, err
		}
	}
	return append(list, ']'), nil
}

// Reopen opens in a fold the run that was open when its messages and state were stored.
func Reopen(f *fold.Fold, opened json.RawMessage) error {
	if opened == nil {
		return nil
	}
	var list []json.RawMessage
	if err := Decode(opened, &list, "the run that is open"); err != nil {
		return err
	}
	for _, text := range list {
		e, err := protocol.Decode(text)
		if err != nil {
			return Corrupted("the run that is open")
		}
		f.Reopen(e)
	}
	return nil
}
