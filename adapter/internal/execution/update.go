package execution

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// UpdateOf is what has changed since the stored snapshot.
func UpdateOf(snapshot, now *fold.Fold) (*store.SnapshotUpdate, error) {
	changes := now.Since(snapshot)
	u := &store.SnapshotUpdate{Upsert: map[string]json.RawMessage{}}
	if state := now.State(); !bytes.Equal(state, snapshot.State()) {
		u.State = state
	}
	for _, m := range slices.Concat(changes.Changed, changes.Added) {
		text, err := m.MarshalJSON() // as it stands in a MESSAGES_SNAPSHOT
		if err != nil {
			return nil, fmt.Errorf("adapter: message %s: %w", m.ID, err)
		}
		u.Upsert[m.ID] = text
	}
	for _, id := range changes.Removed {
		if !now.Has(id) {
			u.Remove = append(u.Remove, id)
		}
	}
	added := changes.Added
	if changes.Moved || len(changes.Removed) > 0 {
		u.Drop, added = reordered(snapshot.Messages(), now.Messages())
	}
	for _, m := range added {
		u.Append = append(u.Append, m.ID)
		if run, step := now.Producer(m.ID); run != "" {
			if u.Producers == nil {
				u.Producers = map[string]store.Producer{}
			}
			u.Producers[m.ID] = store.Producer{RunID: run, Step: step}
		}
	}
	return u, nil
}

// reordered is how many messages go off the end of an order, and which come in their
// place, to make another order of it.
func reordered(was, now protocol.Messages) (drop int, added protocol.Messages) {
	same := 0
	for same < len(was) && same < len(now) && was[same].ID == now[same].ID {
		same++
	}
	return len(was) - same, now[same:]
}
