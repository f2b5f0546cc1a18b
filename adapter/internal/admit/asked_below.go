package admit

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// belowLooked is in how many threads below one, the nearest first, an interrupt is looked for
// that the one has never raised.
const belowLooked = 64

// askedBelow is the thread below that has raised an interrupt which this one has not; "": none
// is known. A thread of another tenant is not told.
func (t *attempt) askedBelow(ctx context.Context, refused *protocol.RunError) (string, error) {
	if refused.Code != judge.CodeUnknownInterrupt || len(t.in.Run.Resume) == 0 || t.in.Login != "" || t.in.Event != "" || t.in.Called != "" {
		return "", nil
	}
	id := t.in.Run.Resume[0].InterruptID
	below, err := t.Store.TreeBelow(ctx, t.key)
	if err != nil {
		return "", nil // nothing below is known of: it is refused as it would be without
	}
	for _, thread := range below[:min(len(below), belowLooked)] {
		key := store.ThreadKey{Namespace: t.key.Namespace, Thread: thread}
		view, err := t.Store.Read(ctx, key, store.ReadQuery{InterruptIDs: []string{id}, Window: 1})
		if err != nil {
			continue // what cannot be read there changes no refusal here
		}
		open, err := stored.Suspension(view.Suspension)
		if errors.Is(err, store.ErrCorrupted) || view.Tenant != t.j.View.Tenant {
			continue
		}
		if open.Item(id) != nil || view.Answers[id] != nil {
			return thread, nil
		}
	}
	return "", nil
}

// elsewhere is the refusal of an answer that is to be given in another thread.
func elsewhere(e *protocol.RunError, ids []string, thread string) *protocol.RunError {
	return judge.Refuse(e.Code, "the thread "+thread+", which stands below this one, has raised what resume names: send the answer there",
		map[string]any{"interruptIds": ids, "threadId": thread})
}

func interruptIDs(entries []protocol.ResumeEntry) []string {
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.InterruptID
	}
	return ids
}
