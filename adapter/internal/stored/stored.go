// Package stored reads what lies in a store: each value as its shape, and a thread's
// view as messages, state and events. A value that cannot be read is store.ErrCorrupted.
package stored

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
)

// Corrupted says what cannot be read. Why is in the log of nobody: the errors of
// decoders quote what they were given.
func Corrupted(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{store.ErrCorrupted}, args...)...)
}

// Decode decodes a stored value; format and args say which one it is.
func Decode(text []byte, into any, format string, args ...any) error {
	if json.Unmarshal(text, into) != nil {
		return Corrupted(format, args...)
	}
	return nil
}

// Record decodes a run record.
func Record(state *store.RunState) (store.RunRecord, error) {
	var r store.RunRecord
	err := Decode(state.Record, &r, "the record of run %s", state.ID)
	return r, err
}

// Brief is Record without its Messages, of which an input may have brought thousands.
func Brief(state *store.RunState) (store.RunRecord, error) {
	short := *state
	short.Record = withoutMessages(state.Record)
	r, err := Record(&short)
	r.Messages = nil
	return r, err
}

// withoutMessages cuts the ids out of a record as it is written, with nothing but strings before
// them; any other is returned as it is.
func withoutMessages(record []byte) []byte {
	const member = `,"messages":["`
	at := bytes.Index(record, []byte(member))
	if at < 0 || bytes.LastIndexByte(record[:at], '{') != 0 || bytes.IndexByte(record[:at], '[') >= 0 {
		return record
	}
	for i := at + len(member); ; {
		end := bytes.IndexByte(record[i:], '"')
		if end < 0 || bytes.IndexByte(record[i:i+end], '\\') >= 0 {
			return record
		}
		i += end + 1
		switch {
		case bytes.HasPrefix(record[i:], []byte(`,"`)):
			i += len(`,"`)
		case bytes.HasPrefix(record[i:], []byte(`]`)):
			return append(record[:at:at], record[i+1:]...)
		default:
			return record
		}
	}
}

// Suspension decodes the open suspension; nil when there is none.
func Suspension(text json.RawMessage) (*store.Suspension, error) {
	if text == nil {
		return nil, nil
	}
	s := new(store.Suspension)
	if err := Decode(text, s, "the open suspension"); err != nil {
		return nil, err
	}
	for i, it := range s.Items {
		if it.ID == "" || !json.Valid(it.Interrupt) {
			return nil, Corrupted("open interrupt %d", i)
		}
	}
	return s, nil
}
